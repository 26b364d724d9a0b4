//! `--show-config`: `iobound.config/1`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::{Contract, Version};

/// The settings of a verb, with the origin of each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigDocument {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<ConfigDocument>,
    /// The settings.
    pub settings: Vec<SettingPart>,
}

impl Contract for ConfigDocument {
    const ID: &'static str = "iobound.config/1";
}

/// A setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SettingPart {
    /// Name of the setting.
    pub name: String,
    /// Its value; `null` if none was given and there is no default.
    pub value: Option<String>,
    /// Origin of the value: `flag`, `environment`, `file` or `default`.
    pub from: String,
    /// Name of the variable, or of the file with the line; otherwise `null`.
    pub place: Option<String>,
}

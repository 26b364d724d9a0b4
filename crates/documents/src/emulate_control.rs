//! The control socket of an emulator: a line of JSON asks, and a line answers (`iobound.emulate-ctl/2`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::{Contract, Version};
use crate::emulate::EmulateState;

/// A line to the control socket of an emulator.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlLine {
    /// The command, as words: `cache`, `data`, `readonly`.
    pub words: Vec<String>,
    /// Width of the terminal that shows the answer, in columns; `None`: lines of any length.
    #[serde(default)]
    pub width: Option<usize>,
    /// True if the answer may have colours.
    #[serde(default)]
    pub color: bool,
    /// True if the answer has ASCII alone.
    #[serde(default)]
    pub ascii: bool,
}

/// The answer to a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ControlDocument {
    /// The command was carried out.
    Done(ControlDone),
    /// The command was refused: nothing changed.
    Refused(ControlRefused),
}

impl Contract for ControlDocument {
    const ID: &'static str = "iobound.emulate-ctl/2";
}

/// The answer to a command that was carried out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ControlDone {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<ControlDocument>,
    /// Report of the changes, in lines.
    pub said: Vec<String>,
    /// The state, after `state`; else `null`.
    pub state: Option<Box<EmulateState>>,
}

/// The answer to a command that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ControlRefused {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<ControlDocument>,
    /// The problem.
    pub error: String,
    /// Remedy; `null` if unknown.
    pub help: Option<String>,
}

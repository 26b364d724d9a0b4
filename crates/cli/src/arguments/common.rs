use clap::Args;
use iobound_app::{Common, Env};

/// Options of every verb.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct CommonArgs {
    /// Print one JSON document; its version is in `schema`
    #[arg(long, global = true, help_heading = "Every verb")]
    pub(crate) json: bool,
    /// Seed of all random choices; the same seed gives the same bytes [default: 0]
    #[arg(long, global = true, value_name = "N", help_heading = "Every verb")]
    pub(crate) seed: Option<String>,
    /// TOML file with machine, disks and jobs
    #[arg(long, global = true, value_name = "FILE", help_heading = "Every verb")]
    pub(crate) config: Option<String>,
    /// Show each setting and its origin: flag, environment (IOBOUND_*), file or default
    #[arg(long, global = true, help_heading = "Every verb")]
    pub(crate) show_config: bool,
    /// Show everything; do not wrap lines
    #[arg(long, global = true, help_heading = "Every verb")]
    pub(crate) wide: bool,
    /// Do not use color (like NO_COLOR)
    #[arg(long, global = true, help_heading = "Every verb")]
    pub(crate) no_color: bool,
    /// Use only ASCII characters, as in a locale that is not UTF-8
    #[arg(long, global = true, help_heading = "Every verb")]
    pub(crate) ascii: bool,
    /// Environment of the caller, if the caller is not this process
    #[arg(skip)]
    pub(crate) env: Option<Env>,
}

impl CommonArgs {
    /// Fields of it that requests use.
    pub(crate) fn common(&self) -> Common {
        Common { seed: self.seed.clone(), config: self.config.clone() }
    }

    /// An option of an answer in our own form, which an answer in another tool's form has no place for.
    #[cfg(feature = "load")]
    pub(crate) fn refused_by_tools(&self) -> Option<&'static str> {
        let ours = [("json", self.json), ("show-config", self.show_config)];
        ours.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
    }
}

use std::sync::{Arc, Mutex};

use clap::Args;

/// What every verb takes.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct CommonArgs {
    /// One JSON document on standard output, its version in `schema`
    #[arg(long, global = true, help_heading = "Every verb")]
    pub(crate) json: bool,
    /// Draws every random choice (default 0): the same seed gives the same bytes
    #[arg(long, global = true, value_name = "N", help_heading = "Every verb")]
    pub(crate) seed: Option<String>,
    /// Machine, disks and jobs from a TOML file
    #[arg(long, global = true, value_name = "FILE", help_heading = "Every verb")]
    pub(crate) config: Option<String>,
    /// Which value won, and from where: flag, environment (IOBOUND_*), file or default
    #[arg(long, global = true, help_heading = "Every verb")]
    pub(crate) show_config: bool,
    /// All there is, on lines as long as they need
    #[arg(long, global = true, help_heading = "Every verb")]
    pub(crate) wide: bool,
    /// No color (as NO_COLOR)
    #[arg(long, global = true, help_heading = "Every verb")]
    pub(crate) no_color: bool,
    /// Only ASCII, as in a locale that is not UTF-8: us for microseconds, bars of other signs
    #[arg(long, global = true, help_heading = "Every verb")]
    pub(crate) ascii: bool,
    /// Where the answer goes
    #[arg(skip)]
    pub(crate) to: AnswerTo,
}

/// Where an answer goes.
#[derive(Clone, Debug, Default)]
pub(crate) enum AnswerTo {
    /// To standard output.
    #[default]
    Output,
    /// To the program itself, which asked on behalf of a page: the document's text.
    Program(Arc<Mutex<Option<String>>>),
}

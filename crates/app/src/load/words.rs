//! Verbs in the words of other tools.

use iobound_formats::Tool;

use super::advice::in_words_of;
use super::foreign::At;
use crate::fleet::coordinator::OfRanks;
use crate::options::{Options, options};
use crate::{Common, Env, Failure, Finished};

options! {
    /// Options of ours of a verb in another tool's words.
    pub struct ToolFlags {
        /// Results store, or off [default: IOBOUND_RESULTS, else in the user's data folder]
        results: Option<String> = Form::One, "FILE|off";
        /// Write notes to standard error [default: only on a terminal]
        verbose: bool = Form::Switch;
    }
}

/// Circumstances of such a verb.
pub struct ToolCall<'a> {
    pub(super) common: &'a Common,
    /// An option of ours that was given, which has no place in another tool's answer.
    pub(super) refused: Option<&'static str>,
    pub(super) at: At<'a>,
    pub(super) env: &'a Env,
}

/// A request in the words of another tool, whose answer has that tool's form.
pub trait InToolsWords: Options {
    /// The tool.
    const TOOL: Tool;

    /// Runs it, and returns its answer; with a coordinator in this process, for ranks elsewhere.
    ///
    /// # Errors
    /// Returns the errors of `iobound run`.
    fn carry_out(&self, call: ToolCall<'_>) -> Result<Finished, Failure>;
}

/// Runs a request in the words of another tool. `refused` is an option of ours that was given, which has no place in that tool's
/// answer.
///
/// # Errors
/// Returns an error if the request cannot be read or run. Its advice names the variables and options of the verb.
pub fn run_in_tools_words<T: InToolsWords>(
    request: &T,
    common: &Common,
    refused: Option<&'static str>,
    env: &Env,
) -> Result<Finished, Failure> {
    called(request, ToolCall { common, refused, at: None, env })
}

/// Answers for ranks whose coordinator is in this process, which issues no load itself.
pub(super) fn at_coordinator<T: InToolsWords>(
    at: OfRanks<'_>,
    request: &T,
    (common, refused): (&Common, Option<&'static str>),
    env: &Env,
) -> Result<Finished, Failure> {
    called(request, ToolCall { common, refused, at: Some(at), env })
}

fn called<T: InToolsWords>(request: &T, call: ToolCall<'_>) -> Result<Finished, Failure> {
    request.carry_out(call).map_err(|failure| failure.reworded(|text| in_words_of(T::TOOL, text)))
}

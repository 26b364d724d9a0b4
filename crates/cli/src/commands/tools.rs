//! The verbs in the words of other tools, which take every word behind the verb.

use iobound_app::load::{InToolsWords, run_in_tools_words};
use iobound_app::{Exit, Failure};

use crate::arguments::CommonArgs;
use crate::output;

/// Runs in the words of the other tool.
pub(crate) fn run(request: &impl InToolsWords, common: &CommonArgs) -> Result<Exit, Failure> {
    run_in_tools_words(request, &common.common(), common.refused_by_tools(), &common.env())
        .map(|finished| output::finished(finished, common))
}

/// The help of a verb, if one of these `flags` alone asks for it or there are no words.
pub(crate) fn help(verb: &str, flags: &[&str], words: &[String]) -> Option<Result<Exit, Failure>> {
    let mut others = words.iter().filter(|word| *word != "--verbose");
    let (first, second) = (others.next(), others.next());
    let is_asked = second.is_none() && first.is_none_or(|word| flags.contains(&word.as_str()));
    is_asked.then(|| output::verb_help(verb, first.is_none()))
}

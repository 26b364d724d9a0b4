//! Selected rows of an experiment: names and patterns.

use iobound_lab::{Experiment, PlannedRun};
use iobound_workload::nearest;

use crate::Failure;

/// No more names of rows are listed in a message.
const LISTED: usize = 12;

/// The rows that were asked for, in the experiment's order.
pub(crate) fn chosen(experiment: &Experiment, only: &[&str]) -> Result<Vec<PlannedRun>, Failure> {
    let only: Vec<&str> = only.iter().map(|pattern| pattern.trim()).filter(|p| !p.is_empty()).collect();
    let any = |pattern: &str| experiment.runs.iter().any(|run| matches(pattern, &run.name));
    // E9 is of several rows, E9-warm and so on: it means them all where no row has that very name.
    let only: Vec<String> = only
        .into_iter()
        .map(|pattern| {
            let members = format!("{pattern}-*");
            if !any(pattern) && any(&members) { members } else { pattern.to_string() }
        })
        .collect();
    for pattern in &only {
        if !any(pattern) {
            let failure = Failure::input(format!("--only: no row is named `{pattern}`"));
            let near = nearest(pattern, experiment.runs.iter().map(|run| run.name.as_str()));
            return Err(match near.as_slice() {
                [] => {
                    let names = experiment.runs.iter().take(LISTED).map(|run| run.name.as_str());
                    let names: Vec<&str> = names.collect();
                    let more = if experiment.runs.len() > LISTED { ", ..." } else { "" };
                    failure.help(format!("the rows are {}{more}", names.join(", ")))
                }
                near => failure.help(format!("did you mean {}?", near.join(" or "))),
            });
        }
    }
    let is_chosen =
        |run: &&PlannedRun| only.is_empty() || only.iter().any(|pattern| matches(pattern, &run.name));
    Ok(experiment.runs.iter().filter(is_chosen).cloned().collect())
}

/// True if a name fits a pattern with `*` (any characters) and `?` (one), whatever the case.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    fn fits(pattern: &[char], name: &[char]) -> bool {
        match (pattern.split_first(), name.split_first()) {
            (None, None) => true,
            (Some(('*', rest)), _) => (0..=name.len()).any(|skip| fits(rest, &name[skip..])),
            (Some(('?', rest)), Some((_, name))) => fits(rest, name),
            (Some((one, rest)), Some((other, name))) => one == other && fits(rest, name),
            _ => false,
        }
    }
    let chars = |text: &str| text.to_lowercase().chars().collect::<Vec<char>>();
    fits(&chars(pattern), &chars(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_a_name_or_has_stars() {
        for (pattern, name, fits) in [
            ("E7", "E7", true),
            ("e7", "E7", true),
            ("E7", "E7-r", false),
            ("E7*", "E7-r", true),
            ("E1?", "E13-512B", false),
            ("E1?-*B", "E13-512B", true),
            ("*", "anything", true),
            ("", "x", false),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}

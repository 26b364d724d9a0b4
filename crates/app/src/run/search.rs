//! The search that is worth running after a run.

use crate::Env;
use crate::options::{ConfigurationOptions, OptionSpec, Options, TOGGLE};
use iobound_workload::{Load, Workload, shell_line};

/// The command line to run next: the same as a search, where there is one thing to raise.
pub(crate) fn next_search(workloads: &[Workload], env: &Env) -> Option<String> {
    let [workload] = workloads else { return None };
    let [job] = &workload.jobs[..] else { return None };
    matches!(job.load, Load::Closed { cap: None, .. })
        .then(|| as_search(env.of_process().command().into_iter().skip(1)))
}

/// Flags with a value that a search takes nothing from.
const NOT_OF_A_SEARCH: [&str; 13] = [
    "--duration",
    "--warmup",
    "--cooldown",
    "--until",
    "--interval",
    "--ndjson",
    "--csv",
    "--hlog",
    "--trace-out",
    "--html",
    "--depth",
    "--fail-if",
    "--results",
];

/// A command line of `run` as a search.
fn as_search(words: impl Iterator<Item = String>) -> String {
    let mut kept = Vec::new();
    let mut words = words;
    while let Some(word) = words.next() {
        let (name, value) =
            word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
        if NOT_OF_A_SEARCH.contains(&name) || is_of_configuration(name) {
            if value.is_none() {
                words.next();
            }
        } else if ![
            "--json",
            "--html-with-names",
            "--verify",
            "--separate",
            "--published",
            "--on-demand-burst",
        ]
        .contains(&name)
        {
            kept.push(word);
        }
    }
    format!("iobound {} --find-knee", shell_line(kept.iter().map(String::as_str)))
}

/// An option with a value that says what to compare with.
fn is_of_configuration(name: &str) -> bool {
    let named = |spec: &OptionSpec| name.strip_prefix("--") == Some(spec.name) && spec.form != TOGGLE;
    ConfigurationOptions::specs().iter().any(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_after_a_run_is_of_the_same_workload() {
        let words =
            "run /mnt/data --block 8KiB --duration=3s --vm DS14 --disk 10xP30 --read 70% --json --csv x";
        assert_eq!(
            as_search(words.split(' ').map(String::from)),
            "iobound run /mnt/data --block 8KiB --read 70% --find-knee"
        );
    }

    #[test]
    fn a_pasted_search_runs_nothing_that_a_path_names() {
        let words = ["run", "/mnt/$(touch x) `id`;\"a", ""].map(String::from);
        assert_eq!(as_search(words.into_iter()), "iobound run '/mnt/$(touch x) `id`;\"a' '' --find-knee");
    }
}

//! Options of a run that change nothing where they stand: refused where they were typed, noted where they stand in the
//! environment or a file, which are meant for several runs. Never ignored.

use iobound_units::Op;

use super::how::RunOptions;
use super::targets::does;
use crate::Failure;
use crate::settings::{Origin, Settings};
use crate::workload::AskedWorkload;

const PROBES: &str = "a search chooses the length of its probes, and its only answer is its curve";

const IN_TURNS: &str =
    "both sides share one answer; `iobound results export --series` prints their intervals";

/// Notes about options that change nothing here.
///
/// # Errors
/// Returns an error if such an option is on this command line.
pub(crate) fn refuse_idle(
    settings: &Settings,
    how: &RunOptions,
    asked: &AskedWorkload,
) -> Result<Vec<String>, Failure> {
    let mut idle: Vec<(&str, &str, &str)> = Vec::new();
    if how.find_knee {
        let names = [
            "duration",
            "warmup",
            "cooldown",
            "until",
            "interval",
            "verify",
            "ndjson",
            "csv",
            "hlog",
            "trace-out",
        ];
        idle.extend(names.map(|name| (name, PROBES, "leave it out, or leave out --find-knee")));
        let compared = "a search is not compared with a prediction";
        idle.extend(["vm", "disk"].map(|name| (name, compared, "leave it out, or leave out --find-knee")));
    }
    if how.find_knee {
        idle.push((
            "results",
            "the probes of a search are not stored",
            "leave it out, or leave out --find-knee",
        ));
        idle.push(("vs", PROBES, "leave it out, or leave out --find-knee"));
        idle.push(("find-load", PROBES, "leave it out, or leave out --find-knee"));
    }
    if settings.given("vs").is_some() {
        let help = "leave it out, or leave out --vs";
        let parts = ["ndjson", "csv", "hlog", "trace-out"].map(|name| (name, IN_TURNS, help));
        idle.extend(parts);
        idle.extend(
            ["vm", "disk"]
                .map(|name| (name, "two sides are compared with each other, not with a prediction", help)),
        );
        idle.push(("find-load", "each side runs at its own depth", help));
        idle.extend(
            ["until", "verify", "cooldown"]
                .map(|name| (name, "turns have a fixed length and run one after the other", help)),
        );
    } else {
        idle.push(("rounds", "only --vs has rounds", "leave it out, or add --vs"));
    }
    let writes =
        asked.workloads.iter().flat_map(|workload| &workload.jobs).any(|job| does(job, |op| op == Op::Write));
    if !writes {
        let help = "leave it out, or write: --read 0%";
        idle.push(("write-through", "nothing is written", help));
        idle.push(("verify", "the workload writes nothing that could be verified", help));
    }
    let mut notes = Vec::new();
    for (name, why, help) in idle {
        let Some(given) = settings.given(name).filter(|given| given.text != "false") else { continue };
        match given.from {
            Origin::Flag(_) => {
                return Err(given.refuse(format!("it has no effect here: {why}")).help(help));
            }
            _ => notes.push(format!("{} has no effect here: {why}", given.place())),
        }
    }
    Ok(notes)
}

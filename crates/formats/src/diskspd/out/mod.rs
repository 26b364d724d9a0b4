//! DiskSpd 2.2's output of a run: its text, its XML (`-Rxml`), and the profile alone (`-Rp`).
//!
//! The layout is that of `ResultParser.cpp`, `XmlResultParser.cpp` and `Common.h` of microsoft/diskspd 2.2, because
//! scripts scan it by words and columns. Where a figure is not known here, it is `N/A` in the text, as DiskSpd writes
//! a deviation of no latencies, and its element or line is left out otherwise; it is never a made-up zero:
//!
//! - the deviation of IOPS of a thread on several targets (`-F` with `-D`), and of a `-D` that the series' intervals do
//!   not add up to;
//! - the kinds of cores of a machine whose kernel does not tell them, and processor groups beyond the first;
//! - the waits of `-vs` (`WaitStatistics`) and the counts of `-e` (`ETW`), which are of Windows and of DiskSpd's own loop.
//!
//! The rest of the counted time that is no whole interval of `-D` is in no bucket.

mod input;
mod iops;
mod latency;
mod machine;
mod page;
mod part;
mod profile;
mod tables;
mod xml;
mod zones;

use super::options::{Profile, ResultFormat, TimeSpan};
use crate::Ran;
use page::{Markup, Page};
use part::Parts;

/// The version whose form this is.
const FORM: &str = "2.2";
/// The date of that version.
const FORM_DATE: &str = "2024/6/3";

/// Placeholder for missing figures.
const INTERRUPTED: &str = "The test was interrupted before the measurements began. No results are displayed.";

/// Request of the profile of these runs, one a time span in their order; fewer where the rest was not run.
pub fn report(profile: &Profile, runs: &[Ran<'_>]) -> String {
    match profile.result_format {
        ResultFormat::Text => text(profile, runs),
        ResultFormat::Xml => xml(profile, runs),
    }
}

/// The profile alone (`-Rp`), in the form that it asks for. `command` is the command line as it was given.
pub fn profile_report(profile: &Profile, command: &str) -> String {
    match profile.result_format {
        ResultFormat::Text => profile_text(profile, command),
        ResultFormat::Xml => profile_xml(profile),
    }
}

/// The profile as text.
pub fn profile_text(profile: &Profile, command: &str) -> String {
    let mut page = Page::default();
    input::parameters(&mut page, profile, command);
    page.into_string()
}

/// The profile as XML, which `-X` reads.
pub fn profile_xml(profile: &Profile) -> String {
    let mut markup = Markup::default();
    profile::element(&mut markup, profile);
    markup.into_string()
}

/// The text of a result; `runs` as in [`report`].
pub fn text(profile: &Profile, runs: &[Ran<'_>]) -> String {
    let profile = &with_seeds(profile, runs);
    let mut page = Page::default();
    let command = runs.first().map_or("", |ran| ran.machine.command.as_str());
    input::parameters(&mut page, profile, command);
    if let Some(ran) = runs.first() {
        machine::system(&mut page, ran.machine);
    }
    let all = parts(profile, runs);
    for ((parts, span), number) in all.iter().zip(&profile.time_spans).zip(1..) {
        page.line(format_args!("\nResults for timespan {number}:\n{}", "*".repeat(79)));
        results_text(&mut page, parts, span);
    }
    if all.len() > 1 {
        tables::totals(&mut page, &all);
    }
    page.into_string()
}

fn results_text(page: &mut Page, parts: &Parts<'_>, span: &TimeSpan) {
    if parts.seconds <= 0.0 {
        page.line(format_args!("{INTERRUPTED}"));
        return;
    }
    page.line(format_args!("\nactual test time:\t{:.2}s", parts.seconds));
    match span.thread_count {
        0 => page.line(format_args!("thread count:\t\t{}", parts.threads())),
        threads => page.line(format_args!("thread count:\t\t{threads}")),
    }
    if span.thread_count > 0 && span.request_count > 0 {
        page.line(format_args!("request count:\t\t{}", span.request_count));
    }
    machine::cpu_table(page, &parts.ran.machine.cpu);
    zones::distributions(page, parts.ran);
    tables::sections(page, parts, span);
    if span.measure_latency {
        latency::distributions(page, parts);
    }
}

/// The XML of a result; `runs` as in [`report`].
pub fn xml(profile: &Profile, runs: &[Ran<'_>]) -> String {
    let profile = &with_seeds(profile, runs);
    let mut markup = Markup::default();
    xml::results(&mut markup, profile, &parts(profile, runs));
    markup.into_string()
}

fn parts<'a>(profile: &Profile, runs: &'a [Ran<'a>]) -> Vec<Parts<'a>> {
    let of =
        |(ran, span): (&'a Ran<'a>, &TimeSpan)| Parts::of(ran, span.iops_deviation.then_some(span.bucket_ms));
    runs.iter().zip(&profile.time_spans).map(of).collect()
}

/// The profile with the seeds that a bare `-z` left to the run.
fn with_seeds(profile: &Profile, runs: &[Ran<'_>]) -> Profile {
    let mut profile = profile.clone();
    for (span, ran) in profile.time_spans.iter_mut().zip(runs) {
        span.seed = span.seed.or(Some(ran.workload.seed));
    }
    profile
}

//! The XML profile (`diskspd.xsd`): sizes are plain bytes, times seconds but for the few in milliseconds.

use std::collections::BTreeMap;

use super::element::{Element, read_profile};
use super::options::{Affinity, Etw, Processor, Profile, ReadProfile, ResultFormat, TimeSpan};
use super::switch::Knob;
use crate::error::{At, Trouble};
use crate::nearest::nearest;

/// Reads a profile, or the profile in a result; `None` with at least one problem. Not yet checked.
pub(super) fn read(text: &str, source: usize, trouble: &mut Trouble) -> Option<ReadProfile> {
    let root = read_profile(text, source, trouble)?;
    let mut reader = XmlReader { trouble, places: BTreeMap::new(), here: (None, None) };
    let profile = reader.profile(&root);
    let places = reader.places;
    trouble.is_empty().then_some(ReadProfile { profile, places, whole: root.at, switches: false })
}

pub(super) struct XmlReader<'a> {
    trouble: &'a mut Trouble,
    places: BTreeMap<(Option<usize>, Option<usize>, Knob), At>,
    pub here: (Option<usize>, Option<usize>),
}

const PROFILE: [&str; 8] = [
    "TimeSpans",
    "Verbose",
    "VerboseStats",
    "Progress",
    "ResultFormat",
    "ExperimentFlags",
    "ETW",
    "PrecreateFiles",
];
const TIME_SPAN: [&str; 15] = [
    "Targets",
    "Duration",
    "Warmup",
    "Cooldown",
    "RandSeed",
    "RandomWriteData",
    "ThreadCount",
    "RequestCount",
    "GroupAffinity",
    "Affinity",
    "DisableAffinity",
    "CompletionRoutines",
    "MeasureLatency",
    "CalculateIopsStdDev",
    "IoBucketDuration",
];
impl XmlReader<'_> {
    pub(super) fn turned(&mut self, knob: Knob, element: &Element) {
        self.places.insert((self.here.0, self.here.1, knob), element.at);
    }

    pub(super) fn wrong(&mut self, element: &Element, what: String, help: &str) {
        self.trouble.add(element.at, what, help);
    }

    pub(super) fn unknown(&mut self, element: &Element, inside: &str, known: &[&str]) {
        let help = match nearest(&element.name, known.iter().copied()) {
            Some(name) => format!("did you mean {name}?"),
            None => format!("inside {inside}: {}", known.join(", ")),
        };
        self.trouble.add(element.at, format!("{inside} has no element {}", element.name), help);
    }

    pub(super) fn number<N: TryFrom<u64> + Default>(&mut self, element: &Element) -> N {
        let number = element.text.parse::<u64>().ok().and_then(|n| N::try_from(n).ok());
        number.unwrap_or_else(|| {
            let unit = element.text.trim_end_matches(['b', 'B']).ends_with(|c: char| "kKmMgGtT".contains(c));
            let help = if unit { "sizes are plain bytes here: 4096, not 4K" } else { "write a whole number" };
            self.wrong(element, format!("{}: `{}` is not such a number", element.name, element.text), help);
            N::default()
        })
    }

    pub(super) fn truth(&mut self, element: &Element) -> bool {
        match element.text.as_str() {
            "true" | "1" => true,
            "false" | "0" => false,
            other => {
                self.wrong(
                    element,
                    format!("{}: `{other}` is neither true nor false", element.name),
                    "write true or false",
                );
                false
            }
        }
    }

    fn profile(&mut self, root: &Element) -> Profile {
        let mut profile = Profile::default();
        for element in &root.children {
            match element.name.as_str() {
                "TimeSpans" => {
                    for span in &element.children {
                        if span.name == "TimeSpan" {
                            self.here = (Some(profile.time_spans.len()), None);
                            let span = self.time_span(span);
                            profile.time_spans.push(span);
                            self.here = (None, None);
                        } else {
                            self.unknown(span, "TimeSpans", &["TimeSpan"]);
                        }
                    }
                }
                "Verbose" => {
                    profile.verbose = self.truth(element);
                    if profile.verbose {
                        self.turned(Knob::Verbose, element);
                    }
                }
                "VerboseStats" => {
                    profile.wait_statistics = self.truth(element);
                    if profile.wait_statistics {
                        self.turned(Knob::Verbose, element);
                    }
                }
                "ExperimentFlags" => {
                    profile.flags = Some(self.number(element)).filter(|flags| *flags > 0);
                    self.turned(Knob::Flags, element);
                }
                "Progress" => {
                    let every: u32 = self.number(element);
                    profile.progress = Some(every).filter(|n| *n > 0);
                    if every > 0 {
                        self.turned(Knob::Progress, element);
                    }
                }
                "ResultFormat" => {
                    profile.result_format = match element.text.as_str() {
                        "text" => ResultFormat::Text,
                        "xml" => ResultFormat::Xml,
                        other => {
                            self.wrong(element, format!("ResultFormat: `{other}`"), "write text or xml");
                            ResultFormat::Text
                        }
                    };
                    self.turned(Knob::Results, element);
                }
                "ETW" => {
                    let words =
                        element.children.iter().filter(|traced| matches!(traced.text.as_str(), "true" | "1"));
                    profile.etw = Some(Etw { words: words.map(|traced| traced.name.clone()).collect() });
                    self.turned(Knob::Etw, element);
                }
                "PrecreateFiles" => {
                    profile.precreate_files = Some(element.text.clone());
                    self.turned(Knob::Precreate, element);
                }
                _ => self.unknown(element, "Profile", &PROFILE),
            }
        }
        if profile.time_spans.is_empty() {
            self.wrong(root, "the profile has no time span".into(), "add TimeSpans with a TimeSpan in it");
        }
        profile
    }

    fn time_span(&mut self, root: &Element) -> TimeSpan {
        let mut span = TimeSpan::default();
        for element in &root.children {
            let knob = match element.name.as_str() {
                "Targets" => {
                    self.targets(element, &mut span);
                    continue;
                }
                "Duration" => {
                    span.duration_s = self.number(element);
                    Knob::Duration
                }
                "Warmup" => {
                    span.warmup_s = self.number(element);
                    Knob::Warmup
                }
                "Cooldown" => {
                    span.cooldown_s = self.number(element);
                    Knob::Cooldown
                }
                "RandSeed" => {
                    span.seed = Some(self.number(element));
                    Knob::Seed
                }
                "RandomWriteData" => {
                    span.random_write_data = self.truth(element);
                    Knob::RandomWriteData
                }
                "ThreadCount" => {
                    span.thread_count = self.number(element);
                    Knob::ThreadCount
                }
                "RequestCount" => {
                    span.request_count = self.number(element);
                    Knob::ThreadRequests
                }
                // Groups have been the default since 2.0.18; the element is still written.
                "GroupAffinity" => {
                    self.truth(element);
                    continue;
                }
                "Affinity" => {
                    span.affinity = Affinity::Processors(self.affinity(element));
                    Knob::Affinity
                }
                "DisableAffinity" => {
                    if !self.truth(element) {
                        continue;
                    }
                    if span.affinity == Affinity::Groups {
                        span.affinity = Affinity::None;
                    }
                    Knob::NoAffinity
                }
                "CompletionRoutines" => {
                    span.completion_routines = self.truth(element);
                    if !span.completion_routines {
                        continue;
                    }
                    Knob::Completion
                }
                "MeasureLatency" => {
                    span.measure_latency = self.truth(element);
                    Knob::Latency
                }
                "CalculateIopsStdDev" => {
                    span.iops_deviation = self.truth(element);
                    Knob::Buckets
                }
                "IoBucketDuration" => {
                    span.bucket_ms = self.number(element);
                    Knob::Buckets
                }
                _ => {
                    self.unknown(element, "TimeSpan", &TIME_SPAN);
                    continue;
                }
            };
            self.turned(knob, element);
        }
        if span.duration_s == 0 {
            self.wrong(
                root,
                "the duration of the time span is zero".into(),
                "give a Duration of a second or more",
            );
        }
        if span.targets.is_empty() {
            self.wrong(root, "the time span has no target".into(), "add Targets with a Target in it");
        }
        span
    }

    fn affinity(&mut self, root: &Element) -> Vec<Processor> {
        let mut processors = Vec::new();
        for element in &root.children {
            let (group, core) = match element.name.as_str() {
                "AffinityAssignment" => (Some(0), element.text.parse().ok()),
                "AffinityGroupAssignment" => (
                    element.attribute("Group").and_then(|group| group.parse().ok()),
                    element.attribute("Processor").and_then(|core| core.parse().ok()),
                ),
                _ => {
                    self.unknown(element, "Affinity", &["AffinityAssignment", "AffinityGroupAssignment"]);
                    continue;
                }
            };
            match (group, core) {
                (Some(group), Some(core)) => processors.push(Processor { group, core }),
                _ => self.wrong(
                    element,
                    format!("{} names no processor", element.name),
                    "write <AffinityGroupAssignment Group=\"0\" Processor=\"1\"/>",
                ),
            }
        }
        processors
    }
}

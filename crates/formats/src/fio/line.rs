//! The command line: options of fio itself, options before the first `--name` (defaults), jobs, job files.

use super::Context;
use super::jobfile::{JobFile, JobFileReader, ProgramSetting, Section, Text, add_text, is_global};
use super::known;
use super::options::ValueKind;
use super::setting::{self, Settings};
use crate::error::{At, Trouble};
use crate::notes::Notes;
use crate::paste::{self, Word};

/// The outcome of an option of the program itself.
#[derive(Clone, Copy, PartialEq)]
enum Own {
    /// It leaves the I/O as it is.
    Idle(&'static str),
    /// Nothing is run, or elsewhere.
    Refused(&'static str),
    /// It changes what fio prints and nothing else.
    Reported,
    /// fio would do this instead of running anything.
    Instead,
    /// `--section`.
    Section,
    /// `--readonly`.
    ReadOnly,
}

const REPORT: Own = Own::Reported;
const NOTHING_RUN: Own = Own::Refused("fio would run nothing");
const ELSEWHERE: Own = Own::Refused("running on other machines is not supported");

/// Options of the program: name, whether a value follows, what becomes of it.
const OWN: &[(&str, bool, Own)] = &[
    ("output", true, REPORT),
    ("output-format", true, REPORT),
    ("append-terse", false, REPORT),
    ("terse-version", true, REPORT),
    ("minimal", false, REPORT),
    ("bandwidth-log", false, REPORT),
    ("latency-log", false, REPORT),
    ("status-interval", true, REPORT),
    ("eta", true, REPORT),
    ("eta-newline", true, REPORT),
    ("eta-interval", true, REPORT),
    ("debug", true, REPORT),
    ("idle-prof", true, REPORT),
    ("aux-path", true, REPORT),
    ("max-jobs", true, Own::Idle("fio's memory for jobs: no effect here")),
    ("alloc-size", true, Own::Idle("fio's memory: no effect here")),
    ("warnings-fatal", false, Own::Idle("notes are notes here")),
    ("daemonize", true, Own::Idle("runs in the foreground here")),
    ("trigger-file", true, Own::Idle("triggers are not supported: the run is not stopped early")),
    ("trigger-timeout", true, Own::Idle("triggers are not supported: the run is not stopped early")),
    ("trigger", true, Own::Idle("triggers are not supported: the run is not stopped early")),
    ("trigger-remote", true, Own::Idle("triggers are not supported: the run is not stopped early")),
    ("readonly", false, Own::ReadOnly),
    ("section", true, Own::Section),
    ("profile", true, Own::Refused("the built-in profiles (tiobench, act) are not supported")),
    ("server", false, ELSEWHERE),
    ("client", true, ELSEWHERE),
    ("remote-config", true, ELSEWHERE),
    ("help", false, NOTHING_RUN),
    ("version", false, NOTHING_RUN),
    ("cmdhelp", false, NOTHING_RUN),
    ("enghelp", false, NOTHING_RUN),
    ("showcmd", false, Own::Instead),
    ("parse-only", false, Own::Instead),
    ("xmlhelp", false, NOTHING_RUN),
    ("crctest", false, NOTHING_RUN),
    ("memcpytest", false, NOTHING_RUN),
    ("cpuclock-test", false, NOTHING_RUN),
    ("merge-blktrace-only", false, NOTHING_RUN),
];

/// One option of the line: its name, its value, where it stands.
struct LineOption<'a> {
    name: &'a str,
    value: Option<&'a str>,
    at: At,
    word: &'a str,
}

/// The job files that a line names, in order.
pub(super) fn job_files(text: &str, trouble: &mut Trouble) -> Vec<String> {
    let source = trouble.source(None, text);
    let pasted = paste::words(text, source, "fio", trouble);
    let (_, files) = split(&pasted.words, source, trouble);
    files.into_iter().map(|file| file.text.clone()).collect()
}

/// Reads a command line and the job files that it names.
pub(super) fn read(text: &str, context: &dyn Context, trouble: &mut Trouble, notes: &mut Notes) -> JobFile {
    let source = trouble.source(None, text);
    let pasted = paste::words(text, source, "fio", trouble);
    notes.extend(pasted.notes);
    let (options, files) = split(&pasted.words, source, trouble);
    let mut line =
        Jobs { file: JobFile::default(), defaults: Settings::default(), only: Vec::new(), is_global: false };
    for option in options {
        line.take(&option, context, trouble, notes);
    }
    let Jobs { mut file, defaults, only, .. } = line;
    file.globals.clone_from(&defaults);
    for word in files {
        let at = At { source, at: word.at, len: word.len };
        let Some(text) = context.file(&word.text) else {
            trouble.add(
                at,
                format!("the job file {} does not exist", word.text),
                "an argument without dashes is a job file: give its path, or --name=<job> for a job of the command line",
            );
            continue;
        };
        let file_source = trouble.source(Some(&word.text), &text);
        let mut reader = JobFileReader::new(context, trouble, notes);
        let text = Text { name: &word.text, text: &text, source: file_source };
        add_text(&mut file, &text, &defaults, &only, &mut reader);
    }
    if file.jobs.is_empty() && trouble.is_empty() {
        let at = At { source, at: 0, len: 1 };
        trouble.add(at, "there is no job", "add --name=<job> and its options, or a job file with a section");
    }
    file
}

/// Options and job files. As getopt does, files may stand between options.
fn split<'a>(
    words: &'a [Word],
    source: usize,
    trouble: &mut Trouble,
) -> (Vec<LineOption<'a>>, Vec<&'a Word>) {
    let (mut written, mut files) = (Vec::new(), Vec::new());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let at = At { source, at: word.at, len: word.len };
        if word.text == "--" {
            files.extend(words.by_ref());
            break;
        }
        // A job file from standard input.
        if word.text == "-" {
            files.push(word);
            continue;
        }
        let Some(bare) = word.text.strip_prefix("--").or_else(|| word.text.strip_prefix('-')) else {
            files.push(word);
            continue;
        };
        if let Some((name, value)) = bare.split_once('=') {
            written.push(LineOption { name, value: Some(value), at, word: &word.text });
            continue;
        }
        let mut option = LineOption { name: bare, value: None, at, word: &word.text };
        if takes_value(bare) {
            match words.next() {
                Some(next) => {
                    option.value = Some(&next.text);
                    option.at.len = (next.at + next.len).saturating_sub(word.at);
                }
                None => trouble.add(
                    at,
                    format!("`{}` has no value", word.text),
                    format!("write {}=<value>", word.text),
                ),
            }
        }
        written.push(option);
    }
    (written, files)
}

/// True if the next word is the value of an option that has no `=`.
fn takes_value(name: &str) -> bool {
    match OWN.iter().find(|(own, ..)| *own == name) {
        Some((_, value, _)) => *value,
        None => known::find(name)
            .is_some_and(|option| !matches!(option.kind, ValueKind::Flag | ValueKind::Optional)),
    }
}

struct Jobs {
    file: JobFile,
    defaults: Settings,
    only: Vec<String>,
    /// Options go to the defaults: no job is open, or `--name=global` was the last name.
    is_global: bool,
}

impl Jobs {
    fn take(
        &mut self,
        option: &LineOption<'_>,
        context: &dyn Context,
        trouble: &mut Trouble,
        notes: &mut Notes,
    ) {
        if let Some((name, _, own)) = OWN.iter().find(|(own, ..)| *own == option.name) {
            let value = option.value.map(str::to_string);
            self.file.program.push(ProgramSetting { name, value, at: option.at });
            match own {
                Own::Reported if notes.reported => {}
                Own::Reported => notes.add(option.word, "what fio prints: no effect here"),
                Own::Instead if notes.reported => {}
                Own::Instead => {
                    trouble.add(option.at, format!("{}: fio would run nothing", option.word), "leave it out")
                }
                Own::Idle(says) => notes.add(option.word, *says),
                Own::Refused(why) => {
                    trouble.add(option.at, format!("{}: {why}", option.word), "leave it out")
                }
                Own::Section => self.only.extend(option.value.map(str::to_string)),
                Own::ReadOnly => self.set("readonly", None, option.at, context, trouble),
            }
            return;
        }
        if option.name == "name" {
            let name = option.value.unwrap_or("");
            if name.is_empty() || self.file.jobs.len() >= 4096 {
                trouble.add(
                    option.at,
                    "a job has no name, or there are more than 4,096",
                    "write --name=<job>",
                );
                return;
            }
            self.is_global = is_global(name);
            if self.is_global {
                return;
            }
            self.file.jobs.push(Section {
                name: name.to_string(),
                settings: self.defaults.to_inherit(),
                at: option.at,
            });
            // fio lists a job's name among its options where it was one.
            self.set("name", option.value, option.at, context, trouble);
            return;
        }
        if known::find(option.name).is_none() {
            let known = known::names().chain(OWN.iter().map(|(name, ..)| *name));
            let help = match setting::likely(option.name, known, trouble) {
                Some(known) => format!("did you mean --{known}?"),
                None => "leave it out: it is not an option of fio 3.42 for files and devices".to_string(),
            };
            trouble.add(
                option.at,
                format!("`{}` is not an option of fio, or it belongs to an unsupported engine", option.word),
                help,
            );
            return;
        }
        self.set(option.name, option.value, option.at, context, trouble);
    }

    /// Sets an option of the open job, or a default where none is open.
    fn set(&mut self, name: &str, value: Option<&str>, at: At, context: &dyn Context, trouble: &mut Trouble) {
        if let Some(setting) = setting::read(name, value, at, context, trouble) {
            match self.file.jobs.last_mut().filter(|_| !self.is_global) {
                Some(job) => job.settings.set(setting),
                None => self.defaults.set(setting),
            }
        }
    }
}

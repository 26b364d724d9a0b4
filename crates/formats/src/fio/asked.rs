//! The options of one job, asked for by name and type.

use std::collections::BTreeMap;

use iobound_units::Span;

use super::jobfile::Section;
use super::options::{Effect, ValueKind};
use super::setting::Setting;
use super::units::{Amount, Bare, Wrong, parse_amount, parse_bytes, parse_time};
use super::{Context, NoContext};
use crate::error::{At, Trouble};
use crate::notes::Notes;

/// A job's options and what there is to say of them.
pub(super) struct Asked<'a> {
    pub section: &'a Section,
    pub trouble: &'a mut Trouble,
    pub notes: &'a mut Notes,
    /// 1,024 or 1,000: what a `k` is.
    pub kb_base: u64,
    /// The machine that the job is read on.
    pub context: &'a dyn Context,
    /// The sizes that files have once the jobs before this one are set up.
    pub laid_out: &'a BTreeMap<String, u64>,
}

/// No file of an earlier job.
pub(super) static NONE_LAID_OUT: BTreeMap<String, u64> = BTreeMap::new();

impl<'a> Asked<'a> {
    /// The options of a section, with its `kb_base` read.
    pub(super) fn new(section: &'a Section, trouble: &'a mut Trouble, notes: &'a mut Notes) -> Asked<'a> {
        let mut asked = Asked::bare(section, trouble, notes);
        match asked.text("kb_base") {
            None | Some("1024") => {}
            Some("1000") => asked.kb_base = 1000,
            Some(other) => {
                asked.refuse("kb_base", format!("kb_base is {other}"), "it is 1024 (the default) or 1000");
            }
        }
        asked
    }

    /// The same before its `kb_base` is read, of no machine.
    pub(super) fn bare(section: &'a Section, trouble: &'a mut Trouble, notes: &'a mut Notes) -> Asked<'a> {
        Asked { section, trouble, notes, kb_base: 1024, context: &NoContext, laid_out: &NONE_LAID_OUT }
    }

    /// The size of a file or device: as it is, or as an earlier job makes it.
    pub(super) fn size_of(&self, path: &str) -> Option<u64> {
        let laid_out = self.laid_out.get(path).copied();
        self.context.size_of(path).max(laid_out).filter(|size| *size > 0)
    }

    /// The setting of an option.
    pub(super) fn get(&self, name: &str) -> Option<&'a Setting> {
        self.section.settings.get(name)
    }

    /// True if an option is set to something else than 0.
    pub(super) fn truth(&self, name: &str) -> bool {
        self.section.settings.truth(name)
    }

    /// The value of an option as written.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.get(name)?.value.as_deref()
    }

    /// Notes a problem with an option, or with the job where it is not set.
    pub(super) fn refuse(&mut self, name: &str, what: impl Into<String>, help: impl Into<String>) {
        let at: At = self.get(name).map_or(self.section.at, |setting| setting.at);
        self.trouble.add(at, what, help);
    }

    /// Refuses what fio would do and this program can't: the words themselves are right.
    pub(super) fn cannot(&mut self, name: &str, what: impl Into<String>, help: impl Into<String>) {
        let at: At = self.get(name).map_or(self.section.at, |setting| setting.at);
        self.trouble.cannot(at, what, help);
    }

    /// Says what became of an option.
    pub(super) fn note(&mut self, name: &str, says: impl Into<String>) {
        let about = match self.get(name) {
            Some(Setting { written, value: Some(value), .. }) => format!("{written}={value}"),
            Some(setting) => setting.written.clone(),
            None => name.to_string(),
        };
        self.notes.add(about, says);
    }

    /// A value read by `read`; `None` where the option is not set, or with a problem.
    fn value<T>(&mut self, name: &str, read: impl FnOnce(&str, u64) -> Result<T, Wrong>) -> Option<T> {
        match read(self.text(name)?, self.kb_base) {
            Ok(value) => Some(value),
            Err((what, help)) => {
                self.refuse(name, format!("{name}: {what}"), help);
                None
            }
        }
    }

    /// A size that may be a share of the file.
    pub(super) fn amount(&mut self, name: &str) -> Option<Amount> {
        self.value(name, parse_amount)
    }

    /// A number or a size in bytes.
    pub(super) fn number(&mut self, name: &str) -> Option<u64> {
        let bare = self.text(name).and_then(|text| text.trim().strip_suffix('%'));
        if let Some(bare) = bare.filter(|bare| bare.parse::<u32>().is_ok()) {
            self.refuse(name, with_percent(name, bare), format!("write {name}={bare}"));
            return None;
        }
        self.value(name, parse_bytes)
    }

    /// A number between bounds, with its default.
    pub(super) fn count(&mut self, name: &str, default: u32, from: u32, to: u32) -> u32 {
        let Some(number) = self.number(name) else { return default };
        match u32::try_from(number).ok().filter(|n| (from..=to).contains(n)) {
            Some(number) => number,
            None => {
                self.refuse(name, format!("{name} is {number}"), format!("{from} to {to} are possible"));
                default
            }
        }
    }

    /// A time.
    pub(super) fn time(&mut self, name: &str, bare: Bare) -> Option<Span> {
        self.value(name, |text, _| parse_time(text, bare))
    }

    /// The values for reads, writes and trims: one that no comma ends counts for those after it too.
    pub(super) fn three(text: &str) -> [Option<&str>; 3] {
        for_each_direction(text.splitn(3, ','))
    }

    /// The same of an option of numbers, whose values fio parts at `:` where no comma is left, and at `-` where
    /// neither is: `bs=4k-8k` is no range, it is reads of 4k and writes of 8k. Source: `handle_option` of `parse.c`.
    pub(super) fn three_numbers(text: &str) -> [Option<&str>; 3] {
        let mut rest = Some(text);
        let parts = std::iter::from_fn(|| {
            let now = rest?;
            // A sign is no separator to whoever writes it.
            let part = [',', ':', '-']
                .into_iter()
                .find_map(|mark| now.split_once(mark))
                .filter(|(part, _)| !part.trim().is_empty() || !now.trim_start().starts_with('-'));
            let (part, after) = part.map_or((now, None), |(part, after)| (part, Some(after)));
            rest = after;
            Some(part)
        });
        for_each_direction(parts.take(3))
    }

    /// Says what becomes of every option that leaves the I/O as it is, and refuses those that don't.
    pub(super) fn remark(&mut self) {
        for setting in self.section.settings.in_order() {
            let value = setting.value.as_deref();
            match setting.option.effect {
                Effect::Carried => {}
                Effect::Reported(_) if self.notes.reported => {}
                Effect::Idle(says) | Effect::Reported(says) => {
                    let off = match value {
                        Some("0") => {
                            matches!(setting.option.kind, ValueKind::Flag | ValueKind::Truth)
                                || setting.option.name == "verify"
                        }
                        value => setting.option.name == "verify" && value == Some("none"),
                    };
                    if !off {
                        self.note(setting.option.name, says);
                    }
                }
                Effect::Refused(harmless, why) => {
                    if value.is_none_or(|value| !harmless.contains(&value)) {
                        let written = match value {
                            Some(value) => format!("{}={value}", setting.written),
                            None => setting.written.clone(),
                        };
                        self.cannot(setting.option.name, format!("{written}: {why}"), "leave it out");
                    }
                }
            }
        }
    }
}

/// fio keeps a share as a number below zero, whatever the option: of one that is no size, a huge number is left.
pub(super) fn with_percent(name: &str, bare: &str) -> String {
    let read = bare.parse::<u32>().map_or_else(|_| "no number".to_string(), |n| (u32::MAX - n).to_string());
    format!("{name}: fio reads `{bare}%` as {read}")
}

fn for_each_direction<'t>(mut parts: impl Iterator<Item = &'t str>) -> [Option<&'t str>; 3] {
    let (first, second, third) = (parts.next(), parts.next(), parts.next());
    let kept = |part: Option<&'t str>| part.map(str::trim).filter(|part| !part.is_empty());
    match (second, third) {
        (None, _) => [kept(first); 3],
        (Some(_), None) => [kept(first), kept(second), kept(second)],
        (Some(_), Some(_)) => [kept(first), kept(second), kept(third)],
    }
}

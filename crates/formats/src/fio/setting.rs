//! One option with its value, and the options of one job.

use std::collections::BTreeMap;

use super::Context;
use super::arithmetic;
use super::known;
use super::options::{FioOption, ValueKind};
use super::units::{Wrong, parse_amount, parse_time};
use crate::error::{At, Trouble};
use crate::nearest::nearest;

/// An option as it was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The option.
    pub option: &'static FioOption,
    /// Its value, with variables and keywords put in; `None` where it stands alone.
    pub value: Option<String>,
    /// The name it was set by: the option's own or its alias.
    pub written: String,
    /// Its place in the order of all settings of the job: where two contradict each other, the later counts.
    pub order: u32,
    /// True if it was set for all jobs, in a `[global]` section or before the first job of the line.
    pub inherited: bool,
    pub(crate) at: At,
}

/// The options of a job, with those of the `[global]` sections above it; of each option, the last setting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    map: BTreeMap<&'static str, Setting>,
    count: u32,
    files: Vec<FileWord>,
}

/// Options that add to a job's files, or set the number that is used: fio keeps all of them, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileWord {
    /// `filename`, with the directory that was set by then.
    Names {
        /// The files go here: the first of several directories.
        directory: Option<String>,
        /// The names, with colons between them.
        names: String,
    },
    /// `nrfiles`.
    Count(String),
}

impl Settings {
    /// The last setting of an option, by its own name.
    pub fn get(&self, name: &str) -> Option<&Setting> {
        self.map.get(name)
    }

    /// All settings, by the name of the option.
    pub fn iter(&self) -> impl Iterator<Item = &Setting> {
        self.map.values()
    }

    /// The settings in the order in which they were written.
    pub fn in_order(&self) -> Vec<&Setting> {
        let mut settings: Vec<&Setting> = self.iter().collect();
        settings.sort_by_key(|setting| setting.order);
        settings
    }

    /// The same settings, as what a job that begins here inherits.
    pub(super) fn to_inherit(&self) -> Settings {
        let mut settings = self.clone();
        settings.map.values_mut().for_each(|setting| setting.inherited = true);
        settings
    }

    /// Every setting of `filename` and `nrfiles`, in order.
    pub fn files(&self) -> &[FileWord] {
        &self.files
    }

    /// Sets an option; `filename` adds to the files there are.
    pub(super) fn set(&mut self, mut setting: Setting) {
        match (setting.option.name, &setting.value) {
            ("filename", Some(names)) => {
                let directories = self.get("directory").and_then(|setting| setting.value.as_deref());
                let first = directories.and_then(|text| text.split(':').find(|part| !part.is_empty()));
                let directory = first.map(|path| path.trim_end_matches('/').to_string());
                self.files.push(FileWord::Names { directory, names: names.clone() });
            }
            ("nrfiles", Some(count)) => self.files.push(FileWord::Count(count.clone())),
            _ => {}
        }
        setting.order = self.count;
        self.count += 1;
        self.map.insert(setting.option.name, setting);
    }

    /// True if an option is set to something else than 0: fio's flags and truths.
    pub(super) fn truth(&self, name: &str) -> bool {
        self.get(name).is_some_and(|setting| setting.value.as_deref() != Some("0"))
    }
}

/// Reads one `name` or `name=value`; `None` with a problem.
pub(super) fn read(
    name: &str,
    value: Option<&str>,
    at: At,
    context: &dyn Context,
    trouble: &mut Trouble,
) -> Option<Setting> {
    let Some(option) = known::find(name) else {
        let help = match likely(name, known::names(), trouble) {
            Some(known) => format!("did you mean {known}?"),
            None => "leave it out: it is not an option of fio 3.42 for files and devices".to_string(),
        };
        trouble.add(
            at,
            format!("`{name}` is not an option of fio, or it belongs to an unsupported engine"),
            help,
        );
        return None;
    };
    let read = substitute(value.map(|value| unclosed(option, value)), context).and_then(|value| {
        check(option, value.as_deref())?;
        Ok(value)
    });
    match read {
        Ok(value) => {
            Some(Setting { option, value, written: name.to_string(), order: 0, inherited: false, at })
        }
        Err((what, help)) => {
            trouble.add(at, format!("{name}: {what}"), help);
            None
        }
    }
}

/// A size without a closing parenthesis that nothing opened: fio reads the number before it.
fn unclosed<'v>(option: &FioOption, value: &'v str) -> &'v str {
    let is_size = matches!(option.kind, ValueKind::Size | ValueKind::Number) || option.name == "filesize";
    match value.strip_suffix(')') {
        Some(number) if is_size && !value.contains('(') => number,
        _ => value,
    }
}

/// The name that was meant, unless nobody would read it any more.
pub(super) fn likely(
    name: &str,
    known: impl Iterator<Item = &'static str>,
    trouble: &Trouble,
) -> Option<&'static str> {
    if trouble.is_full() { None } else { nearest(name, known) }
}

/// Puts in `${VARIABLE}`, `$pagesize`, `$mb_memory` and `$ncpus`; what then is arithmetic is computed.
fn substitute(value: Option<&str>, context: &dyn Context) -> Result<Option<String>, Wrong> {
    let Some(value) = value else { return Ok(None) };
    let mut filled = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once("${") {
        filled.push_str(before);
        let Some((name, after)) = after.split_once('}') else {
            return Err((format!("`{value}` has a `${{` without `}}`"), "write ${NAME}".to_string()));
        };
        let variable = context.variable(name).ok_or_else(|| {
            (
                format!("the environment variable {name} is not set; fio would replace it with nothing"),
                format!("set it, or write the value instead of ${{{name}}}"),
            )
        })?;
        filled.push_str(&variable);
        rest = after;
    }
    filled.push_str(rest);
    let keywords = [
        ("$pagesize", Some(context.page_bytes())),
        ("$mb_memory", context.memory_mib()),
        ("$ncpus", context.cpus().map(u64::from)),
    ];
    let mut computed = false;
    for (keyword, number) in keywords {
        if filled.contains(keyword) {
            let number = number.ok_or_else(|| {
                (format!("{keyword} is not known here"), "write the number in its place".to_string())
            })?;
            filled = filled.replace(keyword, &number.to_string());
            computed = true;
        }
    }
    if computed && !filled.starts_with('(') && filled.contains(['+', '*', '/']) {
        let plain = |letters: &str| letters.is_empty().then_some(1);
        filled = arithmetic::evaluate(&filled, &plain)?.to_string();
    }
    Ok(Some(filled))
}

/// True if a value is of its option's kind. What depends on `kb_base` or on other options is read later.
fn check(option: &FioOption, value: Option<&str>) -> Result<(), Wrong> {
    let Some(value) = value else {
        return if matches!(option.kind, ValueKind::Flag | ValueKind::Optional) {
            Ok(())
        } else {
            let example = if option.kind == ValueKind::Truth { "1" } else { "<value>" };
            Err(("it needs a value".to_string(), format!("write {}={example}", option.name)))
        };
    };
    let each = |check: &dyn Fn(&str) -> Result<(), Wrong>| {
        value.split([',']).filter(|part| !part.is_empty()).try_for_each(check)
    };
    match option.kind {
        ValueKind::Text | ValueKind::Optional => Ok(()),
        ValueKind::Flag | ValueKind::Truth => match value {
            "0" | "1" => Ok(()),
            _ => Err((format!("`{value}` is neither 0 nor 1"), format!("write {}=1 or 0", option.name))),
        },
        ValueKind::Number => each(&|part| parse_amount(part, 1024).map(|_| ())),
        ValueKind::Signed => match value.parse::<i64>() {
            Ok(_) => Ok(()),
            Err(_) => Err((format!("`{value}` is not a whole number"), format!("write {}=1", option.name))),
        },
        ValueKind::Size => parse_amount(value, 1024).map(|_| ()),
        ValueKind::Time(bare) => each(&|part| parse_time(part, bare).map(|_| ())),
    }
}

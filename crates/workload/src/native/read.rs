//! Workloads in TOML: `[[job]]` tables beside `duration`, `warmup`, `cooldown` and `seed`.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::job::{job_keys, key_names, read_job};
use super::words::{Style, Word, WordError, Words};
use super::{DEFAULT_DURATION, NativeError, Place, TIME_KEYS, read_times};
use crate::Workload;
use crate::nearest::nearest;

/// Tables of the same file that others read: what the workload runs on, and where a preset is from.
const OTHER_TABLES: [&str; 4] = ["disk", "machine", "preset", "probed"];

/// A table's words and where each key's value stands.
struct Read {
    words: Words,
    spans: Vec<(&'static str, Range<usize>)>,
    whole: Range<usize>,
}

/// An error and where in the text it is.
struct Located {
    message: String,
    span: Range<usize>,
}

impl Workload {
    /// Reads the workload of a TOML file; `None` where it has no `[[job]]`, as a configuration may. `file` names
    /// it in messages.
    ///
    /// ```
    /// let text = r#"
    /// duration = "60s"
    /// warmup = "5s"
    ///
    /// [[job]]
    /// name = "data"
    /// block = "4KiB:60,64KiB:40"
    /// read = "70%"
    /// hot = "90/10"
    /// threads = 4
    /// depth = 8
    ///
    /// [[job]]
    /// name = "log"
    /// sequential = true
    /// mix = ["3 write 4KiB", "1 write 64KiB"]
    /// rate = "300iops"
    /// arrivals = "poisson"
    /// flush-every = 1
    /// "#;
    /// let workload = iobound_workload::Workload::from_toml("jobs.toml", text)?.expect("it has jobs");
    /// assert_eq!(workload.jobs.len(), 2);
    /// # Ok::<(), iobound_workload::NativeError>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error for the first problem, with its line and a caret: broken TOML, an unknown key, a wrong type, an
    /// invalid value, keys that exclude each other.
    pub fn from_toml(file: &str, text: &str) -> Result<Option<Workload>, NativeError> {
        read(text).map_err(|error| NativeError {
            message: error.message,
            place: Some(Place::of(file, text, error.span)),
        })
    }
}

fn read(text: &str) -> Result<Option<Workload>, Located> {
    let document = DeTable::parse(text).map_err(|error| Located {
        message: format!("this is not TOML: {}", error.message()),
        span: error.span().unwrap_or(0..0),
    })?;
    let mut run = Read { words: Words::new(Style::Key), spans: Vec::new(), whole: 0..0 };
    let mut jobs = None;
    for (key, value) in document.get_ref() {
        match key.get_ref().as_ref() {
            "job" => jobs = Some(job_tables(value)?),
            other if OTHER_TABLES.contains(&other) => {}
            _ => run.take(key, value, &TIME_KEYS, &["job", "disk", "machine"])?,
        }
    }
    let Some(jobs) = jobs else {
        return match run.spans.into_iter().next() {
            Some((key, span)) => {
                let message = format!("`{key}` has no effect without a job: add a [[job]] table");
                Err(Located { message, span })
            }
            None => Ok(None),
        };
    };
    let mut workload = Workload::new(Vec::with_capacity(jobs.len()), DEFAULT_DURATION);
    read_times(&run.words, &mut workload).map_err(|error| run.locate(error))?;
    let known = key_names();
    for (index, (table, span)) in jobs.into_iter().enumerate() {
        let mut job = Read { words: Words::new(Style::Key), spans: Vec::new(), whole: span };
        for (key, value) in table {
            job.take(key, value, &known, &[])?;
        }
        let read = read_job(&job.words, &format!("job{}", index + 1)).map_err(|error| job.locate(error))?;
        workload.jobs.push(read);
    }
    Ok(Some(workload))
}

/// The tables of `[[job]]`.
fn job_tables<'a, 'i>(
    value: &'a Spanned<DeValue<'i>>,
) -> Result<Vec<(&'a DeTable<'i>, Range<usize>)>, Located> {
    let wrong = |span| Located {
        message: "`job` is a list of tables: write [[job]] above each job's keys".to_string(),
        span,
    };
    let tables = value.get_ref().as_array().ok_or_else(|| wrong(value.span()))?;
    tables
        .iter()
        .map(|item| {
            item.get_ref().as_table().map(|table| (table, item.span())).ok_or_else(|| wrong(item.span()))
        })
        .collect()
}

impl Read {
    fn take(
        &mut self,
        key: &Spanned<impl AsRef<str>>,
        value: &Spanned<DeValue<'_>>,
        known: &[&'static str],
        beside: &[&str],
    ) -> Result<(), Located> {
        let name = key.get_ref().as_ref();
        let Some(known_key) = known.iter().find(|known| **known == name) else {
            return Err(Located { message: unknown(name, known, beside), span: key.span() });
        };
        let word = word(value).map_err(|type_name| Located {
            message: format!("`{name}` is {type_name}: write text, a number or true"),
            span: value.span(),
        })?;
        self.words.give(known_key, word);
        self.spans.push((known_key, value.span()));
        Ok(())
    }

    fn locate(&self, error: WordError) -> Located {
        let span = error.key.and_then(|key| self.spans.iter().find(|(name, _)| *name == key));
        let span = span.map_or_else(|| self.whole.clone(), |(_, span)| span.clone());
        Located { message: error.message, span }
    }
}

fn unknown(name: &str, known: &[&str], beside: &[&str]) -> String {
    let all: Vec<&str> = known.iter().chain(beside).copied().collect();
    // A key of jobs that stands above the first [[job]] is the likeliest slip of all.
    if !beside.is_empty() && job_keys().any(|key| key.name == name) {
        return format!("`{name}` is a key of a job: move it below [[job]]");
    }
    if beside.is_empty() && TIME_KEYS.contains(&name) {
        return format!("`{name}` belongs to the whole run: move it above the first [[job]]");
    }
    match nearest(name, all.iter().copied()).as_slice() {
        [] => format!("unknown key `{name}`: the keys are {}", all.join(", ")),
        near => format!("unknown key `{name}`: did you mean {}?", near.join(" or ")),
    }
}

/// The value as words, or the name of a type that no key has.
fn word(value: &Spanned<DeValue<'_>>) -> Result<Word, String> {
    let text = |value: &DeValue<'_>| match value {
        DeValue::String(text) => Ok(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Ok(number.as_str().to_string()),
        DeValue::Integer(_) => Err("a number of another base".to_string()),
        DeValue::Float(number) => Ok(number.as_str().to_string()),
        DeValue::Boolean(on) => Ok(on.to_string()),
        DeValue::Datetime(_) => Err("a date".to_string()),
        DeValue::Array(_) => Err("a list within a list".to_string()),
        DeValue::Table(_) => Err("a table".to_string()),
    };
    match value.get_ref() {
        DeValue::Array(items) => {
            items.iter().map(|item| text(item.get_ref())).collect::<Result<_, _>>().map(Word::Many)
        }
        one => text(one).map(Word::One),
    }
}

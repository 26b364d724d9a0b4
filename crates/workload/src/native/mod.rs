//! The native language of workloads: the same words as flags of the program and as keys of a TOML file.
//!
//! By default, a job is random reads of [`DEFAULT_BLOCK`] over the whole of every target, in a closed loop of one
//! thread with [`DEFAULT_DEPTH`] outstanding, for [`DEFAULT_DURATION`] without warm-up.

mod access;
mod flags;
mod job;
mod lines;
mod mix;
mod quantity;
mod read;
mod words;
mod write;

use iobound_units::Span;
use thiserror::Error;

use words::{WordError, Words};

use crate::Workload;

pub use job::{JobKey, job_keys};

/// The keys of the run as a whole.
pub const TIME_KEYS: [&str; 4] = ["cooldown", "duration", "seed", "warmup"];

/// Block size in bytes where nothing is said.
pub const DEFAULT_BLOCK: u32 = 4096;

/// Outstanding I/Os of each thread on each target where nothing is said.
pub const DEFAULT_DEPTH: u32 = 32;

/// Time that figures are counted where nothing is said.
pub const DEFAULT_DURATION: Span = Span::from_secs(30);

/// A workload, in flags or a file, that cannot be read: where, what was read, how to fix it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", self.text())]
pub struct NativeError {
    /// Text read, text expected, and the fix.
    pub message: String,
    /// Place in a file; `None` for flags.
    pub place: Option<Place>,
}

/// No more characters of a line are shown with an error.
const LONGEST: usize = 160;

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file as the caller named it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The line's text.
    pub text: String,
    /// Number of characters of it that are meant; at least 1.
    pub width: usize,
}

impl Place {
    /// The place of a span of bytes in a file's text; the span is cut at its line's end.
    pub fn of(file: &str, text: &str, span: std::ops::Range<usize>) -> Place {
        let start = (0..=span.start.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line_text = text[line_start..].lines().next().unwrap_or("");
        let meant = text.get(start..span.end).map_or("", |meant| meant.lines().next().unwrap_or(""));
        Place {
            file: file.to_string(),
            line: before.matches('\n').count() + 1,
            column: text[line_start..start].chars().count() + 1,
            text: line_text.to_string(),
            width: meant.chars().count().max(1),
        }
    }
}

impl NativeError {
    fn text(&self) -> String {
        let Some(Place { file, line, column, text, width }) = &self.place else {
            return self.message.clone();
        };
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        // Of a line of thousands of characters, those around what is meant.
        let from =
            if text.chars().nth(LONGEST).is_some() { (column - 1).saturating_sub(LONGEST / 2) } else { 0 };
        let shown: String = text.chars().skip(from).take(LONGEST).collect();
        let (text, caret) = (shown.as_str(), column - from);
        // Tabs before the caret are kept, so that it stands below what it means however wide they are shown.
        let indent: String =
            text.chars().take(caret - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        format!(
            "{file}:{line}:{column}: {}\n {number} | {text}\n {margin} | {indent}{}",
            self.message,
            "^".repeat((*width).min(text.chars().count().saturating_sub(caret - 1)).max(1))
        )
    }
}

/// Reads what belongs to the run and not to a job into `workload`.
fn read_times(words: &Words, workload: &mut Workload) -> Result<(), WordError> {
    if let Some(duration) = words.parse("duration", iobound_units::parse_span)? {
        if duration.is_zero() {
            return Err(words.error("duration", "it is zero: write a measurement time, such as 30s"));
        }
        workload.duration = duration;
    }
    if let Some(warmup) = words.parse("warmup", iobound_units::parse_span)? {
        workload.warmup = warmup;
    }
    if let Some(cooldown) = words.parse("cooldown", iobound_units::parse_span)? {
        workload.cooldown = cooldown;
    }
    if let Some(seed) = words.count("seed")? {
        workload.seed = seed;
    }
    Ok(())
}

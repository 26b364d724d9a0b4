//! A workload of one job in flags, each a name without dashes and its value as it was typed.

use super::job::{job_keys, read_job};
use super::words::{Style, Word, WordError, Words};
use super::{DEFAULT_DURATION, NativeError, TIME_KEYS, read_times};
use crate::Workload;
use crate::error::UNNAMED;

impl Workload {
    /// The workload of one job, `job`, that the flags describe: `[("block", "8KiB"), ("sequential", "true")]`.
    ///
    /// # Errors
    /// Returns an error if a flag does not exist, a value cannot be read, or two flags exclude each other; it names
    /// both.
    pub fn from_flags(flags: &[(&str, &str)]) -> Result<Workload, NativeError> {
        let words = words_of(flags)?;
        let mut workload =
            Workload::new(vec![read_job(&words, UNNAMED).map_err(in_flags)?], DEFAULT_DURATION);
        read_times(&words, &mut workload).map_err(in_flags)?;
        Ok(workload)
    }

    /// Replaces the times and the seed where flags (`duration`, `warmup`, `cooldown`, `seed`) give them.
    ///
    /// # Errors
    /// Returns an error if a value cannot be read.
    pub fn set_times(&mut self, flags: &[(&str, &str)]) -> Result<(), NativeError> {
        read_times(&words_of(flags)?, self).map_err(in_flags)
    }
}

fn words_of(flags: &[(&str, &str)]) -> Result<Words, NativeError> {
    let mut words = Words::new(Style::Flag);
    for (name, value) in flags {
        let mut keys = job_keys().map(|key| key.name).chain(TIME_KEYS);
        let Some(key) = keys.find(|key| key == name) else {
            return Err(NativeError { message: format!("--{name}: unknown option"), place: None });
        };
        words.give(key, Word::One((*value).to_string()));
    }
    Ok(words)
}

fn in_flags(error: WordError) -> NativeError {
    NativeError { message: error.message, place: None }
}

//! The native flags as plain text: the program's command line fills them in.

use super::job::read_job;
use super::words::{Style, Word, WordError, Words};
use super::{DEFAULT_DURATION, NativeError, read_times};
use crate::Workload;
use crate::error::UNNAMED;

/// One job in flags, each as it was typed; `None` where it was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NativeFlags {
    /// `--random`.
    pub random: bool,
    /// `--sequential` is `Some("")`, `--sequential=shared` is `Some("shared")`.
    pub sequential: Option<String>,
    /// `--random-share PERCENT`: this many random, the others sequential.
    pub random_share: Option<String>,
    /// `--block SIZE` or `--block SIZE:WEIGHT,SIZE:WEIGHT`.
    pub block: Option<String>,
    /// `--read PERCENT`.
    pub read: Option<String>,
    /// `--depth N`.
    pub depth: Option<String>,
    /// `--threads N`.
    pub threads: Option<String>,
    /// `--rate IOPS|MB/s`: an open loop.
    pub rate: Option<String>,
    /// `--arrivals fixed|poisson`.
    pub arrivals: Option<String>,
    /// `--cap IOPS|MB/s`: a closed loop no faster than this, per thread and target.
    pub cap: Option<String>,
    /// `--size SIZE`.
    pub size: Option<String>,
    /// `--offset SIZE`.
    pub offset: Option<String>,
    /// `--duration TIME`.
    pub duration: Option<String>,
    /// `--warmup TIME`.
    pub warmup: Option<String>,
    /// `--cooldown TIME`.
    pub cooldown: Option<String>,
    /// `--zipf THETA`.
    pub zipf: Option<String>,
    /// `--hot IOS/RANGE`.
    pub hot: Option<String>,
    /// `--flush-every N`.
    pub flush_every: Option<String>,
    /// `--think TIME`.
    pub think: Option<String>,
    /// `--burst N`.
    pub burst: Option<String>,
    /// `--stride SIZE`.
    pub stride: Option<String>,
    /// `--align SIZE`.
    pub align: Option<String>,
    /// `--seed N`.
    pub seed: Option<String>,
}

impl NativeFlags {
    /// The workload of one job, `job`, that the flags describe.
    ///
    /// # Errors
    /// A value that cannot be read, or two flags that exclude each other, both named.
    pub fn to_workload(&self) -> Result<Workload, NativeError> {
        let words = self.words();
        let mut workload =
            Workload::new(vec![read_job(&words, UNNAMED).map_err(in_flags)?], DEFAULT_DURATION);
        read_times(&words, &mut workload).map_err(in_flags)?;
        Ok(workload)
    }

    /// True if any flag says what a job is; those of the run (`--duration`, `--warmup`, `--cooldown`, `--seed`)
    /// do not and can be [applied](NativeFlags::apply_times) to a workload from elsewhere.
    pub fn describe_a_job(&self) -> bool {
        let of_the_run = NativeFlags {
            duration: self.duration.clone(),
            warmup: self.warmup.clone(),
            cooldown: self.cooldown.clone(),
            seed: self.seed.clone(),
            ..NativeFlags::default()
        };
        *self != of_the_run
    }

    /// Replaces the workload's times and seed where flags give them.
    ///
    /// # Errors
    /// A value that cannot be read.
    pub fn apply_times(&self, workload: &mut Workload) -> Result<(), NativeError> {
        read_times(&self.words(), workload).map_err(in_flags)
    }

    fn words(&self) -> Words {
        let mut words = Words::new(Style::Flag);
        if self.random {
            words.give("random", Word::One("true".into()));
        }
        if let Some(stream) = &self.sequential {
            let text = if stream.is_empty() { "true" } else { stream };
            words.give("sequential", Word::One(text.into()));
        }
        let texts = [
            ("random-share", &self.random_share),
            ("block", &self.block),
            ("read", &self.read),
            ("depth", &self.depth),
            ("threads", &self.threads),
            ("rate", &self.rate),
            ("arrivals", &self.arrivals),
            ("cap", &self.cap),
            ("size", &self.size),
            ("offset", &self.offset),
            ("duration", &self.duration),
            ("warmup", &self.warmup),
            ("cooldown", &self.cooldown),
            ("zipf", &self.zipf),
            ("hot", &self.hot),
            ("flush-every", &self.flush_every),
            ("think", &self.think),
            ("burst", &self.burst),
            ("stride", &self.stride),
            ("align", &self.align),
            ("seed", &self.seed),
        ];
        for (key, text) in texts {
            if let Some(text) = text {
                words.give(key, Word::One(text.clone()));
            }
        }
        words
    }
}

fn in_flags(error: WordError) -> NativeError {
    NativeError { message: error.message, place: None }
}

//! Progress of reading long files, on standard error of a terminal.

use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use iobound_app::Env;
use iobound_units::Bytes;

use crate::output;

/// Nothing is shown of what is done in this time.
const PATIENCE: Duration = Duration::from_millis(500);
/// A terminal is written to no more often than this.
const OFTEN: Duration = Duration::from_millis(100);

/// A line about the progress of reading.
pub(crate) struct ReadingLine;

impl ReadingLine {
    /// The environment, with a line on the terminal while a trace is read.
    pub(crate) fn env(env: Env) -> Env {
        if !output::is_screen(&std::io::stderr()) {
            return env;
        }
        let begin = Instant::now();
        // Time of the last line, and its width.
        let last = Mutex::new((begin, 0));
        env.progress_to(move |done, of| {
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            let (shown, width) = *last;
            let ends = of == Some(0);
            if (begin.elapsed() < PATIENCE || shown.elapsed() < OFTEN) && !ends {
                return;
            }
            let text = match of {
                Some(0) if width == 0 => return,
                Some(0) => String::new(),
                Some(of) => {
                    let percent = (u128::from(done) * 100 / u128::from(of.max(1))).min(100);
                    format!("{percent} % read, {} of {}", Bytes(done), Bytes(of))
                }
                None => format!("{} read", Bytes(done)),
            };
            let text = output::shown(&text);
            let mut stderr = std::io::stderr().lock();
            // A user who has closed standard error does not want to see it.
            let _ = write!(stderr, "\r{text:<width$}");
            if ends {
                let _ = write!(stderr, "\r");
            }
            let _ = stderr.flush();
            *last = (Instant::now(), text.chars().count().max(width));
        })
    }
}

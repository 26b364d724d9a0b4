//! Places, lines and times of a file.

use iobound_units::Span;

use crate::error::{At, Trouble};

/// The beginning of a file, for what is wrong with the whole of it.
pub fn whole(source: usize) -> At {
    At { source, at: 0, len: 1 }
}

/// The lines of a text with the offset at which each begins, without their ends.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut next = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = next;
        next += line.len();
        (at, line.trim_end_matches(['\n', '\r']))
    })
}

/// The interval: what the person said, what the files tell, or a problem where they contradict each other by more than
/// a tenth and a second.
pub fn agreed(said: Option<Span>, told_s: Option<f64>, at: At, trouble: &mut Trouble) -> Option<f64> {
    let (Some(span), Some(told)) = (said, told_s) else {
        return told_s.or(said.map(Span::secs_f64));
    };
    if (span.secs_f64() - told).abs() > 0.1 * told + 1.0 {
        trouble.add(
            at,
            format!("the interval is given as {span}, but the file's own times are {told:.1} s apart"),
            "leave --interval out to use the times in the file",
        );
        return None;
    }
    told_s
}

/// Number of seconds, as far as a span goes.
pub fn span(seconds: f64) -> Option<Span> {
    (seconds > 0.0 && seconds < 1e9).then(|| Span::from_ns((seconds * 1e9) as u64))
}

/// Place at which a text stops being JSON.
pub fn json_place(text: &str, error: &serde_json::Error) -> At {
    let before: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    At { source: 0, at: before + error.column().saturating_sub(1), len: 1 }
}

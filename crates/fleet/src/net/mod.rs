//! The protocol over gRPC: sockets, streams and the clock, on threads of their own.

mod dial;
mod door;
mod driver;
mod guarded;
mod listen;
mod local;
mod speaker;

use iobound_units::Instant;

pub(crate) use dial::Dial;
pub(crate) use driver::{Ask, Drive};
pub(crate) use listen::Listener;
pub(crate) use speaker::{Connection, Shared};

/// The machine's monotonic clock from a moment of this process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(std::time::Instant);

impl Clock {
    pub(crate) fn starting_now() -> Clock {
        Clock(std::time::Instant::now())
    }

    pub(crate) fn now(self) -> Instant {
        self.of(std::time::Instant::now())
    }

    /// Its reading at a moment; zero where that lies before its own.
    pub(crate) fn of(self, moment: std::time::Instant) -> Instant {
        let since = moment.saturating_duration_since(self.0);
        Instant::from_ns(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
    }

    /// The moment at which it shows this; `None` where the machine's clock does not reach as far.
    pub(crate) fn moment(self, at: Instant) -> Option<std::time::Instant> {
        self.0.checked_add(std::time::Duration::from_nanos(at.ns()))
    }
}

/// An error and what caused it, as one sentence: the outermost of a connection's errors says only that there was one.
pub(crate) fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        // A status prints its causes, too; so does an error that wraps one.
        let status = error.downcast_ref::<tonic::Status>();
        let text = status.map_or_else(|| error.to_string(), |status| status.message().to_string());
        let is_dump = text.is_empty() || text.starts_with("code: '");
        if !is_dump && parts.last().is_none_or(|last| !last.contains(&text)) {
            parts.push(text);
        }
        next = error.source();
    }
    // These say nothing where something follows.
    if parts.len() > 1 && (parts[0] == "transport error" || parts[0].starts_with("h2 protocol error")) {
        parts.remove(0);
    }
    if parts.is_empty() { "for an unknown reason".into() } else { parts.join(": ") }
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};

    use super::causes;

    #[test]
    fn why_a_connection_ended_is_a_sentence_and_no_dump() {
        let broken = Error::new(ErrorKind::BrokenPipe, "stream closed because of a broken pipe");
        let status = tonic::Status::from_error(Box::new(broken));
        assert_eq!(causes(&status), "stream closed because of a broken pipe");
        let wrapped = Error::other(status);
        assert_eq!(causes(&wrapped), "stream closed because of a broken pipe");
        assert_eq!(causes(&tonic::Status::unavailable("transport error")), "transport error");
        assert_eq!(causes(&tonic::Status::unavailable("")), "for an unknown reason");
    }
}

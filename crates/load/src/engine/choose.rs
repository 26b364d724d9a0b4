//! Which engine: io_uring first, and what else there is where the kernel refuses it.

use std::fmt;
use std::io;

use io_uring::IoUring;

use super::aio;

/// A way to issue I/O to real targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Rings shared with the kernel.
    IoUring,
    /// `io_submit`: asynchronous for direct I/O only.
    Libaio,
    /// `preadv2` and `pwritev2`, a thread for each outstanding I/O above depth 1.
    Sync,
}

/// What was chosen, and why nothing faster was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The engine.
    pub kind: Kind,
    /// Why it is not io_uring, where nobody asked for another.
    pub because: Option<String>,
}

impl Kind {
    /// All, in the order in which they are tried.
    pub const ALL: [Kind; 3] = [Kind::IoUring, Kind::Libaio, Kind::Sync];

    /// The word for it in every output.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::IoUring => "io_uring",
            Kind::Libaio => "libaio",
            Kind::Sync => "sync",
        }
    }

    /// The engine of that name.
    pub fn of_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a run needs of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// I/O goes past the page cache.
    pub direct: bool,
    /// Some I/Os discard.
    pub discards: bool,
}

/// The engine for a run: the one asked for, else the first that this kernel lets us have.
///
/// # Errors
/// The one asked for is refused here, or can't do what the run needs; in words.
pub fn choose(asked: Option<Kind>, needs: Needs) -> Result<Choice, String> {
    match asked {
        Some(Kind::IoUring) => match probe_ring() {
            Ok(()) => Ok(Choice { kind: Kind::IoUring, because: None }),
            Err(error) => Err(format!("io_uring is refused here: {}", reason(&error))),
        },
        Some(Kind::Libaio) if needs.discards => {
            Err("libaio has no discard: take --engine io_uring or --engine sync".into())
        }
        Some(Kind::Libaio) => match aio::probe() {
            Ok(()) => Ok(Choice { kind: Kind::Libaio, because: None }),
            Err(error) => Err(format!("libaio is refused here: {}", reason_of_aio(&error))),
        },
        Some(Kind::Sync) => Ok(Choice { kind: Kind::Sync, because: None }),
        None => Ok(first(needs, probe_ring(), aio::probe)),
    }
}

/// The first engine that is not refused, and why none before it.
fn first(needs: Needs, ring: io::Result<()>, aio: impl FnOnce() -> io::Result<()>) -> Choice {
    let Err(error) = ring else { return Choice { kind: Kind::IoUring, because: None } };
    let mut because = format!("io_uring is refused here: {}", reason(&error));
    if !needs.direct || needs.discards {
        return Choice { kind: Kind::Sync, because: Some(because) };
    }
    let kind = match aio() {
        Ok(()) => Kind::Libaio,
        Err(error) => {
            because = format!("{because}; libaio too: {}", reason_of_aio(&error));
            Kind::Sync
        }
    };
    Choice { kind, because: Some(because) }
}

fn probe_ring() -> io::Result<()> {
    let ring = IoUring::new(2)?;
    if !ring.params().is_feature_ext_arg() {
        let why = "the kernel is older than 5.11, and its rings can not wait for a time";
        return Err(io::Error::new(io::ErrorKind::Unsupported, why));
    }
    Ok(())
}

fn reason(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::EPERM) => format!(
            "{error} (containers often forbid it: allow io_uring_setup, io_uring_enter and io_uring_register in their \
             seccomp profile; or kernel.io_uring_disabled is set)"
        ),
        Some(libc::ENOSYS) => format!("{error} (the kernel is older than 5.1, or was built without it)"),
        Some(libc::ENOMEM) => format!("{error} (raise the limit of locked memory, ulimit -l)"),
        _ => error.to_string(),
    }
}

fn reason_of_aio(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::EAGAIN) => format!("{error} (all events of the machine are taken: raise fs.aio-max-nr)"),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_engine_that_is_not_refused_is_taken_and_the_others_named() {
        let direct = Needs { direct: true, discards: false };
        let refused = |number| Err(io::Error::from_raw_os_error(number));
        let kind = |choice: Choice| choice.kind;
        assert_eq!(first(direct, Ok(()), || Ok(())), Choice { kind: Kind::IoUring, because: None });
        assert_eq!(kind(first(direct, refused(libc::EPERM), || Ok(()))), Kind::Libaio);
        // Buffered, libaio would block in the call that submits.
        let buffered = Needs { direct: false, discards: false };
        assert_eq!(kind(first(buffered, refused(libc::EPERM), || Ok(()))), Kind::Sync);
        let neither = first(direct, refused(libc::ENOSYS), || refused(libc::EAGAIN));
        assert_eq!(neither.kind, Kind::Sync);
        let because = neither.because.unwrap();
        assert!(because.contains("io_uring is refused") && because.contains("fs.aio-max-nr"), "{because}");
    }

    #[test]
    fn an_engine_has_one_name() {
        for kind in Kind::ALL {
            assert_eq!(Kind::of_name(kind.name()), Some(kind));
        }
        assert_eq!(Kind::of_name("psync"), None);
    }

    #[test]
    fn libaio_is_refused_where_it_can_not_do_the_work() {
        let needs = Needs { direct: true, discards: true };
        assert!(choose(Some(Kind::Libaio), needs).unwrap_err().contains("--engine io_uring"));
        assert_eq!(choose(Some(Kind::Sync), needs).unwrap().kind, Kind::Sync);
    }
}

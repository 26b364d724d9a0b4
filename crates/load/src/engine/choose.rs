//! Which engine: io_uring first, libaio where that suits the targets better, and what else there is where the kernel
//! refuses it.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::Path;

use io_uring::IoUring;

use super::aio;
use super::manner::{Manner, manner};
use super::target::OpenFile;

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

/// What was chosen, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The engine.
    pub kind: Kind,
    /// Why it is this one; `None` where it was asked for, or is io_uring with nothing against it.
    pub because: Option<Because>,
}

/// Why an engine was taken that nobody asked for, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// It suits the targets better than io_uring.
    Suits(String),
    /// What would cost less of the processor can't be had.
    LeftOver(String),
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Because::Suits(why) | Because::LeftOver(why)) = self;
        f.write_str(why)
    }
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
    /// How many I/Os of all threads may be outstanding.
    pub outstanding: u64,
}

/// The engine for a run on these files, which may not be open yet: the one asked for, else the one that suits them of
/// those that this kernel lets us have. Where none was asked for, a few blocks of the files are read.
///
/// # Errors
/// The one asked for is refused here, or can't do what the run needs; in words.
pub fn choose(asked: Option<Kind>, needs: Needs, files: &[OpenFile]) -> Result<Choice, String> {
    if let Some(device) = files.iter().find(|file| needs.discards && file.block_device && file.writes()) {
        return of_calls(asked, &device.path);
    }
    match asked {
        Some(Kind::IoUring) => match probe_ring() {
            Ok(()) => Ok(Choice { kind: Kind::IoUring, because: None }),
            Err(error) => Err(format!("io_uring is refused here: {}", reason(&error))),
        },
        Some(Kind::Libaio) if needs.discards => {
            Err("libaio has no discard: take --engine io_uring or --engine sync".into())
        }
        Some(Kind::Libaio) => match aio::probe(needs.outstanding) {
            Ok(()) => Ok(Choice { kind: Kind::Libaio, because: None }),
            Err(error) => Err(format!("libaio is refused here: {}", reason_of_aio(&error))),
        },
        Some(Kind::Sync) => Ok(Choice { kind: Kind::Sync, because: None }),
        None => {
            // Through the page cache, libaio would do in the call what io_uring does at once or leaves to a worker.
            let asks = || if needs.direct { worst(files) } else { None };
            Ok(suited(needs, probe_ring(), || aio::probe(needs.outstanding), asks))
        }
    }
}

/// For discards on a block device: only a call that waits (`BLKDISCARD`) does nothing but discard there. What a hole
/// punched by io_uring does is the device's to choose: it may write zeroes.
fn of_calls(asked: Option<Kind>, device: &Path) -> Result<Choice, String> {
    let path = device.display();
    let because = match asked {
        Some(Kind::Sync) => None,
        None => Some(Because::Suits(format!("{path} is a block device, and discarded by calls that wait"))),
        Some(other) => {
            return Err(format!(
                "{path} is a block device, which {other} can't discard: take --engine sync (IOBOUND_ENGINE=sync)"
            ));
        }
    };
    Ok(Choice { kind: Kind::Sync, because })
}

/// The manner of the files that take nothing at once, and one of them; `None` where all do. Those of one file system
/// take it alike; one that sleeps is worse than any that does not.
fn worst(files: &[OpenFile]) -> Option<(Manner, &Path)> {
    let mut known = BTreeSet::new();
    let mut found = None;
    for file in files.iter().filter(|file| known.insert(file.device())) {
        match manner(file) {
            Manner::AtOnce => {}
            Manner::Asleep => return Some((Manner::Asleep, &file.path)),
            Manner::Submitted => found = found.or(Some((Manner::Submitted, file.path.as_path()))),
        }
    }
    found
}

/// The engine that suits, of those that are not refused, and why.
fn suited<'a>(
    needs: Needs,
    ring: io::Result<()>,
    aio: impl FnOnce() -> io::Result<()>,
    asks: impl FnOnce() -> Option<(Manner, &'a Path)>,
) -> Choice {
    if let Err(error) = ring {
        return without_ring(needs, &error, aio);
    }
    let Some((manner, path)) = asks() else { return Choice { kind: Kind::IoUring, because: None } };
    let path = path.display();
    let hands =
        format!("{path} takes no I/O without waiting, so that io_uring hands each to a worker thread");
    let left_over = |but: String| Choice {
        kind: Kind::IoUring,
        because: Some(Because::LeftOver(format!("{hands}, four a processor at most; {but}"))),
    };
    if manner == Manner::Asleep {
        return left_over("libaio would sleep for each in the call that submits it".into());
    }
    if needs.discards {
        return left_over("libaio, which issues them itself, has no discard".into());
    }
    match aio() {
        Ok(()) => Choice {
            kind: Kind::Libaio,
            because: Some(Because::Suits(format!("{hands}; libaio issues them itself"))),
        },
        Err(error) => left_over(format!("libaio is refused here: {}", reason_of_aio(&error))),
    }
}

/// The first engine after io_uring that is not refused, and why none before it.
fn without_ring(needs: Needs, error: &io::Error, aio: impl FnOnce() -> io::Result<()>) -> Choice {
    let mut because = format!("io_uring is refused here: {}", reason(error));
    let mut kind = Kind::Sync;
    if needs.direct && !needs.discards {
        match aio() {
            Ok(()) => kind = Kind::Libaio,
            Err(error) => because = format!("{because}; libaio too: {}", reason_of_aio(&error)),
        }
    }
    Choice { kind, because: Some(Because::LeftOver(because)) }
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

    const DIRECT: Needs = Needs { direct: true, discards: false, outstanding: 32 };

    fn refused(number: i32) -> io::Result<()> {
        Err(io::Error::from_raw_os_error(number))
    }

    /// Where the ring is granted and a target answers so.
    fn on(needs: Needs, aio: io::Result<()>, manner: Manner) -> Choice {
        suited(needs, Ok(()), || aio, || Some((manner, Path::new("/dev/zram0"))))
    }

    #[test]
    fn the_first_engine_that_is_not_refused_is_taken_and_the_others_named() {
        let without = |needs, aio: io::Result<()>| suited(needs, refused(libc::EPERM), || aio, || None);
        assert_eq!(suited(DIRECT, Ok(()), || Ok(()), || None), Choice { kind: Kind::IoUring, because: None });
        assert_eq!(without(DIRECT, Ok(())).kind, Kind::Libaio);
        // Buffered, libaio would block in the call that submits.
        assert_eq!(without(Needs { direct: false, ..DIRECT }, Ok(())).kind, Kind::Sync);
        let neither = without(DIRECT, refused(libc::EAGAIN));
        assert_eq!(neither.kind, Kind::Sync);
        let because = neither.because.unwrap().to_string();
        assert!(because.contains("io_uring is refused") && because.contains("fs.aio-max-nr"), "{because}");
    }

    #[test]
    fn what_takes_nothing_without_waiting_is_given_to_libaio() {
        let choice = on(DIRECT, Ok(()), Manner::Submitted);
        assert_eq!(choice.kind, Kind::Libaio);
        let Some(Because::Suits(why)) = choice.because else { panic!("{:?}", choice.because) };
        assert!(why.starts_with("/dev/zram0 takes no I/O without waiting"), "{why}");
    }

    #[test]
    fn where_libaio_would_be_no_better_io_uring_stays_and_says_what_it_costs() {
        let cases = [
            (on(DIRECT, Ok(()), Manner::Asleep), "would sleep"),
            (on(Needs { discards: true, ..DIRECT }, Ok(()), Manner::Submitted), "no discard"),
            (on(DIRECT, refused(libc::EAGAIN), Manner::Submitted), "fs.aio-max-nr"),
        ];
        for (choice, but) in cases {
            assert_eq!(choice.kind, Kind::IoUring);
            let Some(Because::LeftOver(why)) = choice.because else { panic!("{:?}", choice.because) };
            assert!(why.contains("worker thread") && why.contains(but), "{why}");
        }
    }

    #[test]
    fn an_engine_has_one_name() {
        for kind in Kind::ALL {
            assert_eq!(Kind::of_name(kind.name()), Some(kind));
        }
        assert_eq!(Kind::of_name("psync"), None);
    }

    #[test]
    fn a_block_device_is_discarded_by_calls_that_wait() {
        let device = Path::new("/dev/loop7");
        let choice = of_calls(None, device).unwrap();
        assert_eq!(choice.kind, Kind::Sync);
        assert!(choice.because.unwrap().to_string().starts_with("/dev/loop7 is a block device"));
        assert_eq!(of_calls(Some(Kind::Sync), device).unwrap().because, None);
        assert!(of_calls(Some(Kind::IoUring), device).unwrap_err().contains("IOBOUND_ENGINE=sync"));
    }

    #[test]
    fn libaio_is_refused_where_it_can_not_do_the_work() {
        let needs = Needs { discards: true, ..DIRECT };
        assert!(choose(Some(Kind::Libaio), needs, &[]).unwrap_err().contains("--engine io_uring"));
        assert_eq!(choose(Some(Kind::Sync), needs, &[]).unwrap().kind, Kind::Sync);
    }
}

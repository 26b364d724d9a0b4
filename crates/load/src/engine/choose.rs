//! Choice of the engine: io_uring first, libaio where that suits the targets better, and the others where the kernel
//! refuses it.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use super::submit_mode::{SubmitMode, submit_mode};
use super::target::OpenFile;
use crate::sys::{refused_aio, refused_ring};

/// A way to issue I/O to real targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Rings shared with the kernel.
    IoUring,
    /// `io_submit`: asynchronous for direct I/O only.
    Libaio,
    /// A completion port of Windows: overlapped reads and writes.
    Iocp,
    /// `preadv2` and `pwritev2`, a thread for each outstanding I/O above depth 1.
    Sync,
    /// No I/O: each completes at once, which leaves the cost of the program (fio's `null`).
    Null,
}

/// The chosen engine, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The engine.
    pub kind: Kind,
    /// Reason why it is this one; `None` where it was asked for, or is io_uring with nothing against it.
    pub because: Option<ChoiceReason>,
}

/// Reason why an engine was taken that nobody asked for, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChoiceReason {
    /// It suits the targets better than io_uring.
    Suits(String),
    /// The cheaper engine is not available.
    LeftOver(String),
}

impl fmt::Display for ChoiceReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ChoiceReason::Suits(why) | ChoiceReason::LeftOver(why)) = self;
        f.write_str(why)
    }
}

impl Kind {
    /// Those that do I/O, in the order in which they are tried.
    #[cfg(not(windows))]
    pub const ALL: [Kind; 3] = [Kind::IoUring, Kind::Libaio, Kind::Sync];
    /// Those that do I/O, in the order in which they are tried.
    #[cfg(windows)]
    pub const ALL: [Kind; 1] = [Kind::Iocp];

    /// The word for it in every output.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::IoUring => "io_uring",
            Kind::Libaio => "libaio",
            Kind::Iocp => "iocp",
            Kind::Sync => "sync",
            Kind::Null => "null",
        }
    }

    /// True if this platform has the engine, whether or not its kernel allows it.
    pub fn is_here(self) -> bool {
        self == Kind::Null || Kind::ALL.contains(&self)
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

/// Engine features that a run needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// I/O goes past the page cache.
    pub direct: bool,
    /// Some I/Os discard.
    pub discards: bool,
    /// Some flushes are `sync_file_range(2)`.
    pub range_syncs: bool,
    /// Most I/Os of all threads that may be outstanding.
    pub outstanding: u64,
}

/// The engine for a run on these files, which may not be open yet: the one asked for, else the one that suits them of
/// those that this kernel lets us have. Where none was asked for, a few blocks of the files are read.
///
/// # Errors
/// Returns an error if the requested engine is not available or cannot do what the run needs: a sentence.
pub fn choose(asked: Option<Kind>, needs: Needs, files: &[OpenFile]) -> Result<Choice, String> {
    if asked == Some(Kind::Null) {
        return Ok(Choice { kind: Kind::Null, because: None });
    }
    if cfg!(windows) || asked == Some(Kind::Iocp) {
        return of_port(asked, needs);
    }
    if let Some(device) = files.iter().find(|file| needs.discards && file.block_device && file.writes()) {
        return of_calls(asked, &device.path);
    }
    if needs.range_syncs {
        return of_range_syncs(asked);
    }
    match asked {
        Some(Kind::IoUring) => match refused_ring() {
            None => Ok(Choice { kind: Kind::IoUring, because: None }),
            Some(why) => Err(format!("io_uring is not available: {why}")),
        },
        Some(Kind::Libaio) if needs.discards => {
            Err("libaio has no discard: use --engine io_uring or --engine sync".into())
        }
        Some(Kind::Libaio) => match refused_aio(needs.outstanding) {
            None => Ok(Choice { kind: Kind::Libaio, because: None }),
            Some(why) => Err(format!("libaio is not available: {why}")),
        },
        Some(kind @ (Kind::Sync | Kind::Null | Kind::Iocp)) => Ok(Choice { kind, because: None }),
        None => {
            // Through the page cache, libaio would do in the call what io_uring does at once or leaves to a worker.
            let asks = || if needs.direct { worst(files) } else { None };
            Ok(suited(needs, refused_ring(), || refused_aio(needs.outstanding), asks))
        }
    }
}

/// For Windows, whose only engine is a completion port.
fn of_port(asked: Option<Kind>, needs: Needs) -> Result<Choice, String> {
    if !cfg!(windows) {
        return Err("iocp is an engine of Windows".into());
    }
    match asked {
        Some(other) if other != Kind::Iocp => {
            Err(format!("{other} is not an engine of Windows: use --engine iocp, or leave it out"))
        }
        _ if needs.discards => Err("iocp has no discard: leave discards out".into()),
        _ if needs.range_syncs => Err("sync_file_range is a call of Linux: leave it out".into()),
        _ => Ok(Choice { kind: Kind::Iocp, because: None }),
    }
}

/// Discards on a block device need a waiting call: only `BLKDISCARD` does nothing but discard. A hole punched by
/// io_uring may be written with zeroes, which the device decides.
fn of_calls(asked: Option<Kind>, device: &Path) -> Result<Choice, String> {
    let path = device.display();
    let because = match asked {
        Some(Kind::Sync) => None,
        None => Some(ChoiceReason::Suits(format!(
            "{path} is a block device, and its discards are blocking calls"
        ))),
        Some(other) => {
            return Err(format!(
                "{path} is a block device, which {other} cannot discard: use --engine sync (IOBOUND_ENGINE=sync)"
            ));
        }
    };
    Ok(Choice { kind: Kind::Sync, because })
}

/// For `sync_file_range(2)`: a call that waits. Rings take no range above 4 GiB, and libaio takes none.
fn of_range_syncs(asked: Option<Kind>) -> Result<Choice, String> {
    let because = match asked {
        Some(Kind::Sync) => None,
        None => Some(ChoiceReason::Suits("sync_file_range is a call that waits".into())),
        Some(other) => {
            return Err(format!(
                "{other} makes no sync_file_range: take --engine sync (IOBOUND_ENGINE=sync)"
            ));
        }
    };
    Ok(Choice { kind: Kind::Sync, because })
}

/// Submit mode of the files that accept no I/O without waiting, and one of them; `None` if all accept. Those of one file system
/// take it alike; one that sleeps is worse than any that does not.
fn worst(files: &[OpenFile]) -> Option<(SubmitMode, &Path)> {
    let mut known = BTreeSet::new();
    let mut found = None;
    for file in files.iter().filter(|file| known.insert(file.device())) {
        match submit_mode(file) {
            SubmitMode::AtOnce => {}
            SubmitMode::Asleep => return Some((SubmitMode::Asleep, &file.path)),
            SubmitMode::Submitted => found = found.or(Some((SubmitMode::Submitted, file.path.as_path()))),
        }
    }
    found
}

/// The engine that suits, of those that are not refused, and why.
fn suited<'a>(
    needs: Needs,
    refused_ring: Option<String>,
    refused_aio: impl FnOnce() -> Option<String>,
    asks: impl FnOnce() -> Option<(SubmitMode, &'a Path)>,
) -> Choice {
    if let Some(why) = refused_ring {
        return without_ring(needs, &why, refused_aio);
    }
    let Some((submit_mode, path)) = asks() else { return Choice { kind: Kind::IoUring, because: None } };
    let path = path.display();
    let hands =
        format!("{path} does not support non-blocking I/O, so io_uring passes each I/O to a worker thread");
    let left_over = |but: String| Choice {
        kind: Kind::IoUring,
        because: Some(ChoiceReason::LeftOver(format!("{hands}, at most four on each processor; {but}"))),
    };
    if submit_mode == SubmitMode::Asleep {
        return left_over("libaio would block in the submitting call".into());
    }
    if needs.discards {
        return left_over("libaio, which issues them itself, has no discard".into());
    }
    match refused_aio() {
        None => Choice {
            kind: Kind::Libaio,
            because: Some(ChoiceReason::Suits(format!("{hands}; libaio issues them itself"))),
        },
        Some(why) => left_over(format!("libaio is not available: {why}")),
    }
}

/// The first engine after io_uring that is not refused, and why none before it.
fn without_ring(needs: Needs, why: &str, refused_aio: impl FnOnce() -> Option<String>) -> Choice {
    let mut because = format!("io_uring is not available: {why}");
    let mut kind = Kind::Sync;
    if needs.direct && !needs.discards {
        match refused_aio() {
            None => kind = Kind::Libaio,
            Some(why) => because = format!("{because}; libaio too: {why}"),
        }
    }
    Choice { kind, because: Some(ChoiceReason::LeftOver(because)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIRECT: Needs = Needs { direct: true, discards: false, range_syncs: false, outstanding: 32 };

    const REFUSED: Option<&str> = Some("all events are taken");

    /// Choice if the kernel grants the ring and a target answers with `refused`.
    fn on(needs: Needs, refused: Option<&str>, submit_mode: SubmitMode) -> Choice {
        suited(needs, None, || refused.map(str::to_string), || Some((submit_mode, Path::new("/dev/zram0"))))
    }

    #[test]
    fn the_first_engine_that_is_not_refused_is_taken_and_the_others_named() {
        let without = |needs, refused: Option<&str>| {
            suited(needs, Some("no rings".into()), || refused.map(str::to_string), || None)
        };
        assert_eq!(suited(DIRECT, None, || None, || None), Choice { kind: Kind::IoUring, because: None });
        assert_eq!(without(DIRECT, None).kind, Kind::Libaio);
        // Buffered, libaio would block in the call that submits.
        assert_eq!(without(Needs { direct: false, ..DIRECT }, None).kind, Kind::Sync);
        let neither = without(DIRECT, REFUSED);
        assert_eq!(neither.kind, Kind::Sync);
        let because = neither.because.unwrap().to_string();
        assert!(
            because.contains("io_uring is not available") && because.contains("events are taken"),
            "{because}"
        );
    }

    #[test]
    fn what_takes_nothing_without_waiting_is_given_to_libaio() {
        let choice = on(DIRECT, None, SubmitMode::Submitted);
        assert_eq!(choice.kind, Kind::Libaio);
        let Some(ChoiceReason::Suits(why)) = choice.because else { panic!("{:?}", choice.because) };
        assert!(why.starts_with("/dev/zram0 does not support non-blocking I/O"), "{why}");
    }

    #[test]
    fn where_libaio_would_be_no_better_io_uring_stays_and_says_what_it_costs() {
        let cases = [
            (on(DIRECT, None, SubmitMode::Asleep), "would block"),
            (on(Needs { discards: true, ..DIRECT }, None, SubmitMode::Submitted), "no discard"),
            (on(DIRECT, REFUSED, SubmitMode::Submitted), "events are taken"),
        ];
        for (choice, but) in cases {
            assert_eq!(choice.kind, Kind::IoUring);
            let Some(ChoiceReason::LeftOver(why)) = choice.because else { panic!("{:?}", choice.because) };
            assert!(why.contains("worker thread") && why.contains(but), "{why}");
        }
    }

    #[test]
    fn ranges_are_synced_by_calls_that_wait() {
        let needs = Needs { range_syncs: true, ..DIRECT };
        for asked in [None, Some(Kind::Sync)] {
            assert_eq!(choose(asked, needs, &[]).unwrap().kind, Kind::Sync);
        }
        let why = choose(Some(Kind::Libaio), needs, &[]).unwrap_err();
        assert!(why.contains("libaio makes no sync_file_range: take --engine sync"), "{why}");
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

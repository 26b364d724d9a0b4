//! Mode in which a target accepts non-blocking I/O: tested with reads, before the run.
//!
//! io_uring first issues each I/O with "at once or not at all" (`IOCB_NOWAIT`). A file or device that never takes one
//! so (its file system or its driver does not know the flag) has every I/O handed to a worker thread of the kernel, of
//! which as many as four a processor work at a time. `io_submit` asks for nothing of the kind: it issues the I/O in the
//! thread that calls, which costs a fifth of that, if the thread does not have to sleep for it.

use std::io;
use std::sync::mpsc;
use std::time::Duration;

use super::common::PATIENCE;
use super::target::OpenFile;
use crate::sys::Reader;
use crate::sys::answer::AtOnce;

/// Mode in which a target accepts I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SubmitMode {
    /// At once where asked to; or nothing is known against it.
    AtOnce,
    /// Never at once; but `io_submit` comes back without having slept.
    Submitted,
    /// Never without waiting: the submitting thread sleeps until the I/O is done.
    Asleep,
}

/// A target that can be asked, by a read of one block.
trait Asked {
    /// Reads at once or not at all.
    fn read_at_once(&mut self, offset: u64) -> AtOnce;
    /// Reads.
    fn read(&mut self, offset: u64) -> io::Result<()>;
    /// Reads by `io_submit`; says whether the calling thread slept in it.
    fn submit(&mut self, offset: u64) -> io::Result<bool>;
}

/// Places that are read: a file's parts may be of different kinds (cached, dirty, not yet allocated).
const PLACES: u64 = 4;

/// Number of blocking I/Os in a row that decides the mode: the first may wait for the file system's own blocks.
const ATTEMPTS: usize = 3;

/// Mode of this file. Reads a few blocks of it, and nothing else; no longer than a run waits for a device that
/// hangs, of which nothing is known then.
pub(super) fn submit_mode(file: &OpenFile) -> SubmitMode {
    let block = file.alignment.get().max(512);
    let blocks = file.size.get() / block;
    let places: Vec<u64> = (0..PLACES.min(blocks)).map(|n| blocks / PLACES.min(blocks) * n * block).collect();
    let Ok(mut reader) = Reader::new(file.file(), block as usize) else { return SubmitMode::AtOnce };
    let (says, said) = mpsc::channel();
    // A thread of its own, because sleeps are counted by thread, and a device that hangs must not stop others.
    let asks = move || {
        // Nobody listens any more only where patience is out.
        let _ = says.send(mode_of(&mut reader, &places));
    };
    match std::thread::Builder::new().name("iobound-asks".into()).spawn(asks) {
        Ok(_) => said.recv_timeout(Duration::from_nanos(PATIENCE.ns())).unwrap_or(SubmitMode::AtOnce),
        Err(_) => SubmitMode::AtOnce,
    }
}

fn mode_of(asked: &mut impl Asked, places: &[u64]) -> SubmitMode {
    for place in places {
        let mut answer = asked.read_at_once(*place);
        if answer == AtOnce::NotNow && asked.read(*place).is_ok() {
            // Now the file system has its own blocks in memory, and nothing is dirty.
            answer = asked.read_at_once(*place);
        }
        match answer {
            AtOnce::Never => return without_waiting(asked, *place),
            // Not now, or not this block: another may tell.
            AtOnce::NotNow | AtOnce::Unknown => {}
            AtOnce::Taken => return SubmitMode::AtOnce,
        }
    }
    SubmitMode::AtOnce
}

/// Of a target that takes nothing at once, whether `io_submit` sleeps.
fn without_waiting(asked: &mut impl Asked, place: u64) -> SubmitMode {
    for _ in 0..ATTEMPTS {
        match asked.submit(place) {
            Ok(false) => return SubmitMode::Submitted,
            Ok(true) => {}
            Err(_) => return SubmitMode::AtOnce,
        }
    }
    SubmitMode::Asleep
}

impl Asked for Reader {
    fn read_at_once(&mut self, offset: u64) -> AtOnce {
        Reader::read_at_once(self, offset)
    }

    fn read(&mut self, offset: u64) -> io::Result<()> {
        Reader::read(self, offset)
    }

    fn submit(&mut self, offset: u64) -> io::Result<bool> {
        Reader::submit(self, offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A target by its answers: of a read at once in each place before and after a read that waits, and whether
    /// `io_submit` slept.
    struct Told {
        before: Vec<AtOnce>,
        after: Vec<AtOnce>,
        slept: Vec<io::Result<bool>>,
    }

    impl Asked for Told {
        fn read_at_once(&mut self, offset: u64) -> AtOnce {
            self.before[offset as usize]
        }

        fn read(&mut self, offset: u64) -> io::Result<()> {
            self.before[offset as usize] = self.after[offset as usize];
            Ok(())
        }

        fn submit(&mut self, _offset: u64) -> io::Result<bool> {
            self.slept.remove(0)
        }
    }

    const TAKEN: AtOnce = AtOnce::Taken;
    const NEVER: AtOnce = AtOnce::Never;
    const NOT_NOW: AtOnce = AtOnce::NotNow;

    fn told(before: &[AtOnce], after: &[AtOnce], slept: Vec<io::Result<bool>>) -> SubmitMode {
        let mut told = Told { before: before.to_vec(), after: after.to_vec(), slept };
        mode_of(&mut told, &Vec::from_iter(0..before.len() as u64))
    }

    #[test]
    fn what_takes_one_read_at_once_takes_io_at_once() {
        assert_eq!(told(&[TAKEN], &[TAKEN], vec![]), SubmitMode::AtOnce);
        // Dirty at first, written back by the read that waits.
        assert_eq!(told(&[NOT_NOW], &[TAKEN], vec![]), SubmitMode::AtOnce);
        // Dirty for good in one place, not in the next.
        assert_eq!(told(&[NOT_NOW, TAKEN], &[NOT_NOW, TAKEN], vec![]), SubmitMode::AtOnce);
    }

    #[test]
    fn what_takes_nothing_at_once_is_told_by_whether_the_call_sleeps() {
        assert_eq!(told(&[NEVER], &[NEVER], vec![Ok(false)]), SubmitMode::Submitted);
        // The first waited for the file system's own blocks.
        assert_eq!(told(&[NEVER], &[NEVER], vec![Ok(true), Ok(false)]), SubmitMode::Submitted);
        assert_eq!(told(&[NEVER], &[NEVER], vec![Ok(true), Ok(true), Ok(true)]), SubmitMode::Asleep);
        // The file system says "not now" until its own blocks are there, then its device says "never".
        assert_eq!(told(&[NOT_NOW], &[NEVER], vec![Ok(false)]), SubmitMode::Submitted);
    }

    #[test]
    fn where_nothing_is_known_nothing_is_held_against_a_target() {
        assert_eq!(told(&[], &[], vec![]), SubmitMode::AtOnce);
        assert_eq!(told(&[NOT_NOW, AtOnce::Unknown], &[NOT_NOW, NEVER], vec![]), SubmitMode::AtOnce);
        let refused = io::ErrorKind::WouldBlock.into();
        assert_eq!(told(&[NEVER], &[NEVER], vec![Err(refused)]), SubmitMode::AtOnce);
    }
}

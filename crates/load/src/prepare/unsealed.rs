use std::io;

use iobound_machine::open::{Facts, Seal};

use super::handle::Handle;
use super::mark::Mark;

/// A file of ours that a run may write to. Its mark says so. When this is dropped, after the last write and however the
/// run ended, the mark states the content of the file. If another process opened the file meanwhile, the mark says that
/// instead, and the next run asks. A killed process leaves the mark unchanged; the next run then recognises the file by
/// its blocks, or asks.
#[derive(Debug)]
pub struct Unsealed {
    handle: Handle,
    mark: Mark,
}

impl Unsealed {
    /// Marks a file as being written to. `None` where a mark has no value.
    ///
    /// # Errors
    /// Returns an error if the mark cannot be written.
    pub(super) fn begin(handle: &Handle, mark: Mark) -> io::Result<Option<Unsealed>> {
        let mark = Mark { seal: None, opened_by_others: false, ..mark };
        let counts = mark.write(handle)?;
        Ok(counts.then(|| Unsealed { handle: handle.clone(), mark }))
    }

    fn seal(&self) -> io::Result<()> {
        let facts = Facts::of(self.handle.file())?;
        // Removed, or of a size that this program did not give it.
        if facts.links == 0 || facts.size != self.mark.size {
            return Ok(());
        }
        match self.handle.was_opened_by_others() {
            Some(false) => {}
            Some(true) => {
                // Writes of such a process cannot be told from those of the run.
                return Mark { opened_by_others: true, ..self.mark }.write(&self.handle).map(drop);
            }
            // As after a kill.
            None => return Ok(()),
        }
        let seal = Seal::of(self.handle.file())?;
        Mark { seal: Some(seal), ..self.mark }.write(&self.handle).map(drop)
    }
}

impl Drop for Unsealed {
    fn drop(&mut self) {
        // Without a seal the next run looks at the blocks, and asks if it does not know them.
        let _ = self.seal();
    }
}

//! A trace that is kept in memory while it is read, for those who read it again.

use std::cell::RefCell;
use std::io::Cursor;
use std::rc::Rc;
use std::sync::Arc;

use iobound_formats::trace::{TraceFormat, read_trace};
use iobound_trace::{InMemory, OwnWriter, Record, Source, TraceError, TraceFacts};

use super::info::unread;
use super::open::{OpenTrace, STDIN};
use crate::Failure;

/// The most bytes that are kept of files, which can be read again: some ten million I/Os.
const MOST: usize = 64 << 20;
/// The most bytes that are kept of standard input: some hundred million I/Os.
const MOST_OF_STDIN: usize = 512 << 20;

/// The records of a trace in the project's own format, while they are read.
pub(crate) struct Kept(Rc<RefCell<Option<OwnWriter<Vec<u8>>>>>);

fn has_stdin(trace: &OpenTrace) -> bool {
    trace.files.iter().any(|file| file == STDIN)
}

impl Kept {
    /// Keeps what is read of a trace from now on.
    pub(crate) fn behind(trace: &mut OpenTrace) -> Kept {
        let writer = Rc::new(RefCell::new(OwnWriter::new(Vec::new()).ok()));
        let inner = std::mem::replace(&mut trace.source, Box::new(InMemory::new(Vec::new(), Vec::new())));
        let most = if has_stdin(trace) { MOST_OF_STDIN } else { MOST };
        trace.source = Box::new(KeepingSource { inner, writer: Rc::clone(&writer), most });
        Kept(writer)
    }

    /// The trace once it was read. What is too large to be kept is opened again by `reopen`.
    ///
    /// # Errors
    /// Returns an error if it is too large and came from standard input.
    pub(crate) fn finish(
        self,
        trace: &OpenTrace,
        reopen: impl Fn() -> Result<OpenTrace, Failure> + Send + Sync + 'static,
    ) -> Result<ReadAgain, Failure> {
        let ended = || {
            let mut writer = self.0.borrow_mut().take()?;
            writer.devices(trace.source.devices()).ok()?;
            writer.finish().ok().map(|(bytes, _)| bytes)
        };
        let kept = ended().map(|bytes| KeptBytes(Arc::new(bytes)));
        if kept.is_none() && has_stdin(trace) {
            return Err(Failure::input(format!(
                "--trace -: the trace is read twice, and it takes more than {} MiB of memory",
                MOST_OF_STDIN >> 20
            ))
            .help("write it to a file first: iobound trace convert - --out monday.trace"));
        }
        Ok(ReadAgain { kept, files: trace.files.clone(), reopen: Arc::new(reopen) })
    }
}

type Reopen = dyn Fn() -> Result<OpenTrace, Failure> + Send + Sync;

/// A trace that was read once, and is read again as often as needed, by any thread.
#[derive(Clone)]
pub(crate) struct ReadAgain {
    kept: Option<KeptBytes>,
    files: Vec<String>,
    reopen: Arc<Reopen>,
}

impl ReadAgain {
    /// The trace from its begin.
    ///
    /// # Errors
    /// Returns an error if its files can no longer be read.
    pub(crate) fn open(&self) -> Result<Box<dyn Source>, Failure> {
        match &self.kept {
            None => (self.reopen)().map(|trace| trace.source),
            Some(kept) => read_trace(TraceFormat::Own, Box::new(Cursor::new(kept.clone())), None)
                .map_err(|error| unread(&self.files, &error)),
        }
    }
}

#[derive(Clone)]
struct KeptBytes(Arc<Vec<u8>>);

impl AsRef<[u8]> for KeptBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

struct KeepingSource {
    inner: Box<dyn Source>,
    writer: Rc<RefCell<Option<OwnWriter<Vec<u8>>>>>,
    most: usize,
}

impl Source for KeepingSource {
    fn read(&mut self, batch: &mut Vec<Record>) -> Result<(), TraceError> {
        let before = batch.len();
        self.inner.read(batch)?;
        let mut kept = self.writer.borrow_mut();
        if let Some(writer) = kept.as_mut() {
            let written = writer.devices(self.inner.devices()).and_then(|()| writer.write(&batch[before..]));
            if written.is_err() || writer.out().len() > self.most {
                *kept = None;
            }
        }
        Ok(())
    }

    fn devices(&self) -> &[String] {
        self.inner.devices()
    }

    fn facts(&self) -> TraceFacts {
        self.inner.facts()
    }
}

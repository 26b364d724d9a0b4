//! A trace that is kept in memory while it is read, for those who read it again.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use iobound_trace::{InMemory, OwnWriter, Record, Source, TraceError, TraceFacts};

use super::open::OpenTrace;

/// The most bytes that are kept: some hundred million I/Os.
const MOST: usize = 512 << 20;

/// The records of a trace in the project's own format.
pub(crate) struct Kept(Rc<RefCell<Option<OwnWriter<Vec<u8>>>>>);

impl Kept {
    /// Keeps what is read of a trace from now on.
    pub(crate) fn behind(trace: &mut OpenTrace) -> Kept {
        let writer = Rc::new(RefCell::new(OwnWriter::new(Vec::new()).ok()));
        let inner = std::mem::replace(&mut trace.source, Box::new(InMemory::new(Vec::new(), Vec::new())));
        trace.source = Box::new(KeepingSource { inner, writer: Rc::clone(&writer) });
        Kept(writer)
    }

    /// All that was read, with the devices of the trace; `None` if it was too much.
    pub(crate) fn finish(self, devices: &[String]) -> Option<Arc<[u8]>> {
        let mut writer = self.0.borrow_mut().take()?;
        writer.devices(devices).ok()?;
        writer.finish().ok().map(|(bytes, _)| bytes.into())
    }
}

struct KeepingSource {
    inner: Box<dyn Source>,
    writer: Rc<RefCell<Option<OwnWriter<Vec<u8>>>>>,
}

impl Source for KeepingSource {
    fn read(&mut self, batch: &mut Vec<Record>) -> Result<(), TraceError> {
        let before = batch.len();
        self.inner.read(batch)?;
        let mut kept = self.writer.borrow_mut();
        if let Some(writer) = kept.as_mut() {
            let written = writer.devices(self.inner.devices()).and_then(|()| writer.write(&batch[before..]));
            if written.is_err() || writer.out().len() > MOST {
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

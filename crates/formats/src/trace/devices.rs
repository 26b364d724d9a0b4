use std::collections::BTreeMap;

use iobound_trace::TraceError;

/// Names of devices, with their index.
#[derive(Debug, Default)]
pub(super) struct Devices {
    names: Vec<String>,
    known: BTreeMap<Vec<u8>, u16>,
    last: (Vec<u8>, u16),
}

impl Devices {
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// The index of a device; a new one gets the next.
    pub(super) fn index(&mut self, name: &[u8]) -> Result<u16, TraceError> {
        if self.last.0 == name && !self.names.is_empty() {
            return Ok(self.last.1);
        }
        let index = match self.known.get(name) {
            Some(index) => *index,
            None => {
                let index = u16::try_from(self.names.len()).map_err(|_| {
                    TraceError::new("the trace has more than 65,536 devices")
                        .help("split the file by device, and read the parts one by one")
                })?;
                self.names.push(String::from_utf8_lossy(name).into_owned());
                self.known.insert(name.to_vec(), index);
                index
            }
        };
        self.last.0.clear();
        self.last.0.extend_from_slice(name);
        self.last.1 = index;
        Ok(index)
    }
}

//! Traces as columns of little-endian integers, which NumPy takes as they are.

use std::collections::BTreeMap;

use iobound::{Beside, Failure, TraceColumns};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::question::{Why, stopping, why};

/// Names of the devices, and the columns: time in ns, device, operation, offset, length, latency in ns.
type Columns<'py> = (Vec<String>, Vec<Bound<'py, PyBytes>>);

fn beside(raised: &std::sync::Arc<std::sync::Mutex<Option<PyErr>>>, signals: bool) -> Beside {
    Beside { texts: BTreeMap::new(), stop: signals.then(|| stopping(std::sync::Arc::clone(raised))) }
}

/// Does a task without the interpreter lock. `signals`: as of `ask`.
fn away<T: Send>(
    py: Python<'_>,
    signals: bool,
    task: impl FnOnce(Beside) -> Result<T, Failure> + Send,
) -> PyResult<Result<T, Why>> {
    let (done, raised) = py.detach(|| {
        let raised = std::sync::Arc::default();
        let done = task(beside(&raised, signals));
        let raised = raised.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        (done, raised)
    });
    match raised {
        Some(error) => Err(error),
        None => Ok(done.map_err(|failure| why(&failure))),
    }
}

/// The I/Os of trace files, or why they cannot be read.
///
/// # Errors
/// Returns the exception that a signal raised.
#[pyfunction]
pub(crate) fn trace_table<'py>(
    py: Python<'py>,
    files: Vec<String>,
    time_unit: Option<String>,
    map: Vec<String>,
    signals: bool,
) -> PyResult<(Option<Columns<'py>>, Option<Why>)> {
    let read = away(py, signals, |beside| iobound::trace_table(files, time_unit, map, beside))?;
    Ok(match read {
        Err(why) => (None, Some(why)),
        Ok(table) => {
            let long =
                |column: &[u64]| -> Vec<u8> { column.iter().flat_map(|value| value.to_le_bytes()).collect() };
            let device: Vec<u8> = table.device.iter().flat_map(|value| value.to_le_bytes()).collect();
            let columns = [
                long(&table.time_ns),
                device,
                table.op,
                long(&table.offset),
                long(&table.length),
                long(&table.latency_ns),
            ];
            let columns = columns.iter().map(|column| PyBytes::new(py, column)).collect();
            (Some((table.devices, columns)), None)
        }
    })
}

fn longs(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect()
}

/// Writes I/Os to a new file. Returns the document of `trace convert`, or why it cannot be written.
///
/// # Errors
/// Returns the exception that a signal raised.
#[pyfunction]
pub(crate) fn write_trace_table(
    py: Python<'_>,
    devices: Vec<String>,
    columns: [Vec<u8>; 6],
    out: String,
    to: Option<String>,
    signals: bool,
) -> PyResult<(Option<String>, Option<Why>)> {
    let written = away(py, signals, |beside| {
        let [time, device, op, offset, length, latency] = columns;
        let device = device.as_chunks::<2>().0.iter().map(|bytes| u16::from_le_bytes(*bytes)).collect();
        let table = TraceColumns {
            devices,
            time_ns: longs(&time),
            device,
            op,
            offset: longs(&offset),
            length: longs(&length),
            latency_ns: longs(&latency),
        };
        iobound::write_trace_table(&table, out, to, beside)
    })?;
    Ok(match written {
        Ok(document) => (Some(document), None),
        Err(why) => (None, Some(why)),
    })
}

//! Choice of the reader for a tool's counters.

use iobound_units::Span;

use crate::FormatError;
use crate::error::Trouble;
use crate::observation::{Observation, ObservedFile, Observer, bounds, whole};
use crate::{diskstats, iostat, perfmon, postgres, sqlserver};

/// Reads what somebody kept. Tools that count from their start need two samples: two files, or both in one.
/// `interval` is the time between two samples, or of a report, where the files do not tell it.
///
/// # Errors
/// Returns an error for another kind of file, for samples that are missing or do not belong together, and for an interval
/// that is unknown or that the files contradict. Each names the line and the expected form.
pub fn read(
    observer: Observer,
    files: &[ObservedFile<'_>],
    interval: Option<Span>,
) -> Result<Observation, FormatError> {
    let mut trouble = Trouble::new(observer);
    for file in files {
        trouble.source(Some(file.name), file.text);
    }
    let read = match observer {
        Observer::Iostat => iostat::read(files, interval, &mut trouble),
        Observer::Diskstats => diskstats::read(files, interval, &mut trouble),
        Observer::Perfmon => perfmon::read(files, interval, &mut trouble),
        Observer::SqlServer => sqlserver::read(files, interval, &mut trouble),
        Observer::Postgres => postgres::read(files, interval, &mut trouble),
        Observer::Cloud(metrics) => (metrics.read)(files, interval, &mut trouble),
    };
    let beyond = read.as_ref().and_then(|observation| bounds::check(observation).err());
    if let Some(what) = beyond {
        trouble.add(whole(0), what, "correct the figure in the file, or measure again");
    }
    trouble.or(read)
}

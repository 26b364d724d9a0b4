//! The unit of times, compared with dates and with the number of I/Os.

use std::collections::{BTreeMap, VecDeque};

use iobound_trace::{Record, Source, TraceError, TraceFacts};

use super::format::TraceFormat;
use super::unit::TimeUnit;

/// A source that hands out records that were read before, then those of the source they came from.
struct Peeked<S> {
    inner: S,
    held: VecDeque<Record>,
    /// The error that follows them.
    failed: Option<TraceError>,
}

impl<S: Source> Source for Peeked<S> {
    fn read(&mut self, batch: &mut Vec<Record>) -> Result<(), TraceError> {
        if self.held.is_empty() {
            return self.failed.take().map_or_else(|| self.inner.read(batch), Err);
        }
        let count = iobound_trace::BATCH.min(self.held.len());
        batch.extend(self.held.drain(..count));
        Ok(())
    }

    fn devices(&self) -> &[String] {
        self.inner.devices()
    }

    fn facts(&self) -> TraceFacts {
        self.inner.facts()
    }
}

/// I/Os that are looked at before the first is handed out.
const LOOKED_AT: usize = 65_536;
/// No machine does more I/Os a second; so many of them tell.
const MOST_IOPS: u128 = 5_000_000;
const LEAST: usize = 1_000;
/// A recording without dates that has fewer I/Os a second may be in a unit that is 1,000 times shorter. The more I/Os, the
/// more their rate tells: number of I/Os at least, and rate.
const LEAST_IOPS: [(usize, u128); 3] = [(1_000, 150), (100, 50), (32, 2)];
/// Two I/Os of a device that follow each other by fewer units are close. In a unit that is 1,000 times shorter they would
/// be some ns apart, which no thread does. Their share in 100 above which the unit is not shorter.
const CLOSE_UNITS: u64 = 100;
const CLOSE_PERCENT: usize = 2;
/// A machine's clock since its start, in seconds: 20 years.
const LONGEST_UPTIME: u64 = 20 * 365 * 86_400;
const SECOND: u128 = 1_000_000_000;
/// The years 1990 to 2050 as seconds since 1970, and the same since 1601.
const UNIX: [u64; 2] = [631_152_000, 2_524_608_000];
const FILETIME: [u64; 2] = [12_275_625_600, 14_169_081_600];

/// The source, if the unit of its times is not ambiguous.
pub(super) fn checked(
    mut source: impl Source + 'static,
    format: TraceFormat,
    ticks: TimeUnit,
    is_given: bool,
) -> Result<Box<dyn Source>, TraceError> {
    if is_given {
        return Ok(Box::new(source));
    }
    let (mut held, mut failed) = (Vec::new(), None);
    while held.len() < LOOKED_AT && failed.is_none() {
        let before = held.len();
        match source.read(&mut held) {
            Err(error) if held.is_empty() => return Err(error),
            Err(error) => failed = Some(error),
            Ok(()) if held.len() == before => break,
            Ok(()) => {}
        }
    }
    if let (Some(first), Some(last)) = (held.first(), held.last()) {
        let seen = Seen {
            // The first time may be of a torn line.
            time: held[held.len() / 2].at_ns / ticks.ns(),
            count: held.len(),
            span_ns: last.at_ns.saturating_sub(first.at_ns),
            close: close_pairs(&held, CLOSE_UNITS * ticks.ns()),
        };
        judge(format, ticks, seen)?;
    }
    Ok(Box::new(Peeked { inner: source, held: VecDeque::from(held), failed }))
}

/// True if this number of units since an epoch is a date in the years 1990 to 2050.
fn is_date(value: u64, unit: TimeUnit, years: [u64; 2]) -> bool {
    let per_second = 1_000_000_000 / unit.ns();
    let in_unit = |seconds: u64| u128::from(seconds) * u128::from(per_second);
    (in_unit(years[0])..in_unit(years[1])).contains(&u128::from(value))
}

/// The first I/Os of a file.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// A time in the middle, in the file's unit.
    time: u64,
    count: usize,
    span_ns: u64,
    /// I/Os that follow another one of their device closely.
    close: usize,
}

/// Number of I/Os that come after the one before of their device, but by less than this.
fn close_pairs(records: &[Record], limit_ns: u64) -> usize {
    let mut last: BTreeMap<u16, u64> = BTreeMap::new();
    let is_close = |record: &&Record| {
        let before = last.insert(record.device, record.at_ns);
        before.is_some_and(|before| (1..limit_ns).contains(&record.at_ns.saturating_sub(before)))
    };
    records.iter().filter(is_close).count()
}

/// Compares a time with dates and with uptimes, and the span of the first I/Os with their number.
fn judge(format: TraceFormat, ticks: TimeUnit, seen: Seen) -> Result<(), TraceError> {
    let Seen { time, count, span_ns, close } = seen;
    let units = || TimeUnit::ALL.map(TimeUnit::name).join(", ");
    let ambiguous = |why: String| {
        let unit = ticks.name();
        let what = format!("the unit of the times is ambiguous: read as {} ({unit}), {why}", format.name());
        Err(TraceError::new(what)
            .help(format!("give the right one with --time-unit: {} ({unit} if it is right)", units())))
    };
    let is_filetime = is_date(time, TimeUnit::Ticks, FILETIME);
    let dated = TimeUnit::ALL.into_iter().find(|unit| is_date(time, *unit, UNIX));
    match dated {
        Some(unit) if unit == ticks && format.has_dates() => {
            return too_fast(seen).map_or(Ok(()), ambiguous);
        }
        Some(unit) if format.has_dates() || unit.ns() < ticks.ns() => {
            return ambiguous(format!("but a time, {time}, is a date in {} since 1970", unit.name()));
        }
        _ if is_filetime => {
            return ambiguous(format!("but a time, {time}, is a Windows date (since 1601) in 100 ns"));
        }
        _ => {}
    }
    if let Some(why) = too_fast(seen) {
        return ambiguous(why);
    }
    if !format.has_dates() && dated != Some(ticks) && time / (SECOND as u64 / ticks.ns()) > LONGEST_UPTIME {
        return ambiguous(format!("a time, {time}, is more than 20 years and no date"));
    }
    let least = LEAST_IOPS.into_iter().find(|(number, _)| count >= *number).map_or(0, |(_, rate)| rate);
    let is_slow = u128::from(span_ns) * least > count as u128 * SECOND;
    let is_bursty = close * 100 > count * CLOSE_PERCENT;
    if is_slow && !is_bursty && format.is_often_converted() {
        let rate = count as f64 / (span_ns as f64 / 1e9);
        return ambiguous(format!(
            "the first {count} I/Os take {:.0} s, {rate:.1} a second, and none are close together; a shorter unit is as likely",
            span_ns as f64 / 1e9
        ));
    }
    Ok(())
}

/// Reason why the first I/Os can't be that close together.
fn too_fast(seen: Seen) -> Option<String> {
    let Seen { count, span_ns, .. } = seen;
    let fast = count as u128 * SECOND > u128::from(span_ns) * MOST_IOPS;
    (count >= LEAST && fast && span_ns > 0).then(|| {
        let rate = count as f64 / (span_ns as f64 / 1e9) / 1e6;
        format!("the first {count} I/Os take {:.6} s, {rate:.0} million a second", span_ns as f64 / 1e9)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(format: TraceFormat, time: u64, count: usize, span_ns: u64) -> Result<(), String> {
        of_pairs(format, time, count, span_ns, 0)
    }

    fn of_pairs(
        format: TraceFormat,
        time: u64,
        count: usize,
        span_ns: u64,
        close: usize,
    ) -> Result<(), String> {
        let ticks = format.unit().unwrap();
        judge(format, ticks, Seen { time, count, span_ns, close }).map_err(|error| error.to_string())
    }

    #[test]
    fn a_date_decides_the_unit() {
        // 1577808144360767 is in the year 2019 in microseconds; with three more digits it is so in nanoseconds.
        assert!(verdict(TraceFormat::Alibaba, 1_577_808_144_360_767, 5_000, 4_000_000_000_000).is_ok());
        let error = verdict(TraceFormat::Alibaba, 1_577_808_144_360_767_000, 5_000, 1).unwrap_err();
        assert!(error.contains("is a date in ns") && error.contains("--time-unit"), "{error}");
        assert!(verdict(TraceFormat::Msr, 11_721_636_003_061_629, 5_000, 4_000_000_000_000).is_ok());
        assert!(verdict(TraceFormat::Msr, 1_577_808_144_360_767, 5_000, 1).is_err());
        assert!(verdict(TraceFormat::Tencent, 1_538_323_200, 5_000, 0).is_ok());
        assert!(verdict(TraceFormat::Tencent, 1_538_323_200_000, 5_000, 0).is_err());
    }

    #[test]
    fn a_rate_that_no_machine_has_is_refused_and_one_that_is_too_low_is_ambiguous() {
        // 10,000 I/Os a second for ten seconds, in microseconds.
        assert!(verdict(TraceFormat::FioV3, 0, 65_536, 6_553_600_000).is_ok());
        // The same file in nanoseconds, read as microseconds.
        assert!(verdict(TraceFormat::FioV3, 0, 65_536, 6_553_600_000_000).is_err());
        // In milliseconds.
        assert!(verdict(TraceFormat::FioV3, 0, 65_536, 3_000_000).is_err());
        // 20,000 I/Os a second in nanoseconds: 500 of them tell as well.
        assert!(verdict(TraceFormat::FioV3, 0, 500, 25_000_000_000).is_err());
        // Few I/Os say nothing.
        assert!(verdict(TraceFormat::FioV3, 0, 30, 3_000_000_000_000).is_ok());
    }

    #[test]
    fn bursts_show_that_the_unit_is_not_shorter() {
        // A virtual machine at rest: 30 I/Os a second, a tenth of them in bursts of a few microseconds.
        let span = 2_000 * 1_000_000_000 / 30;
        assert!(of_pairs(TraceFormat::Vscsi, 2_756_778_716_647, 2_000, span, 200).is_ok());
        assert!(of_pairs(TraceFormat::Vscsi, 2_756_778_716_647, 2_000, span, 0).is_err());
        let record = |device, at_ns| Record {
            at_ns,
            offset: 0,
            length: 512,
            latency_ns: 0,
            device,
            op: iobound_units::Op::Read,
        };
        let records = [record(0, 0), record(1, 5), record(0, 5), record(0, 5), record(1, 5_000)];
        assert_eq!(close_pairs(&records, 100), 1);
    }

    #[test]
    fn a_clock_of_decades_is_no_uptime() {
        // 31 days in nanoseconds, read as microseconds: 85 years.
        assert!(verdict(TraceFormat::Xperf, 2_756_778_716_647_000, 10, 1_000).is_err());
        assert!(verdict(TraceFormat::Xperf, 2_756_778_716_647, 10, 1_000).is_ok());
    }
}

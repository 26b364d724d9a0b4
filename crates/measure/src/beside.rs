//! Runs of one workload on several hosts at once, put beside each other.
//!
//! Every run counts from its own zero, and all zeros are one moment: the start that the hosts agreed. What is put
//! together is exact: bins are added to bins, never percentiles to percentiles.

use std::collections::BTreeMap;
use std::fmt;

use iobound_units::{Instant, Op, Span, TargetId};

use crate::histogram::Histogram;
use crate::recorder::{
    Cell, Interval, JobLayout, Layout, Measured, MeasuredCell, MeasuredCellOp, MeasuredJob, MeasuredOp,
    Phase, SeriesLatencies, Together,
};

/// Reason why runs can't stand beside each other: whose differs from the first's, and in what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unlike {
    /// The host; empty where it is all of them.
    pub host: String,
    /// The differences, as a sentence.
    pub what: String,
}

impl fmt::Display for Unlike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.is_empty() { f.write_str(&self.what) } else { write!(f, "{}: {}", self.host, self.what) }
    }
}

impl std::error::Error for Unlike {}

/// Sum of all hosts until the first of them ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Done {
    /// The index of the host that was.
    pub host: usize,
    /// Time that after counting started.
    pub after: Span,
    /// Reads and writes of all hosts until then, a second.
    pub iops: f64,
    /// Bytes of all hosts until then, a second.
    pub bytes_per_s: f64,
}

impl Measured {
    /// The run of one host, its threads and targets together: one target, of the host's name, and a cell for each job.
    /// Threads are not told apart any more: none is listed, and the cells stand with thread 0.
    #[must_use]
    pub fn of_host(&self, host: &str) -> Measured {
        let cells: Vec<MeasuredCell> = (0..self.jobs.len() as u16).map(|job| self.cell_of(job, 0)).collect();
        let layout = Layout {
            threads: 0,
            targets: vec![host.to_string()],
            cells: cells.iter().map(|cell| cell.cell).collect(),
            ..self.layout.clone()
        };
        Measured { layout, cells, ..self.clone() }
    }

    /// All cells of a job as one, on a target of this number.
    fn cell_of(&self, job: u16, target: u16) -> MeasuredCell {
        let mut all = MeasuredCell {
            cell: Cell { job, thread: 0, target: TargetId(target) },
            by_op: std::array::from_fn(|_| MeasuredCellOp {
                bytes: 0,
                errors: 0,
                response: Histogram::new(),
            }),
            outstanding_ns: 0,
        };
        for cell in self.cells.iter().filter(|cell| cell.cell.job == job) {
            all.outstanding_ns += cell.outstanding_ns;
            for (all, own) in all.by_op.iter_mut().zip(&cell.by_op) {
                all.bytes += own.bytes;
                all.errors += own.errors;
                all.response.merge(&own.response);
            }
        }
        all
    }

    /// Runs of one workload on several hosts, as one run of them all: their jobs together, the hosts as its targets (a
    /// cell for each job and host), their intervals put together by when they began.
    ///
    /// Counting goes on until the last host is done; one that was done before (its work was, or it was ended) adds
    /// nothing after. Depths and rates that jobs ask for are those of all hosts together. Hosts that are not given are in
    /// no figure.
    ///
    /// # Errors
    /// Returns an error if the runs are of different workloads or one contradicts itself.
    pub fn beside(hosts: &[(&str, &Measured)]) -> Result<Measured, Unlike> {
        let Some((_, first)) = hosts.first() else {
            return Err(Unlike { host: String::new(), what: "no host has reported figures".into() });
        };
        if hosts.len() > usize::from(u16::MAX) {
            let what = format!("{} hosts, and figures hold {} of them apart", hosts.len(), u16::MAX);
            return Err(Unlike { host: String::new(), what });
        }
        for (host, measured) in hosts {
            let unlike = |what: String| Unlike { host: (*host).to_string(), what };
            measured.check().map_err(unlike)?;
            alike(first, measured).map_err(unlike)?;
        }
        all_fit(hosts)?;
        let mut jobs = first.jobs.clone();
        for (_, measured) in &hosts[1..] {
            jobs.iter_mut().zip(&measured.jobs).for_each(|(all, own)| add_job(all, own));
        }
        let cells: Vec<MeasuredCell> = (0..jobs.len() as u16)
            .flat_map(|job| {
                (0_u16..).zip(hosts).map(move |(target, (_, measured))| measured.cell_of(job, target))
            })
            .collect();
        let (series, latencies) = series(hosts)?;
        let end = hosts.iter().map(|(_, measured)| measured.end).max().unwrap_or(first.end);
        let layout = Layout {
            jobs: (0..jobs.len()).map(|job| asked(hosts, job)).collect(),
            threads: 0,
            targets: hosts.iter().map(|(host, _)| (*host).to_string()).collect(),
            cells: cells.iter().map(|cell| cell.cell).collect(),
            ..first.layout.clone()
        };
        let series_left_out = hosts.iter().map(|(_, measured)| measured.series_left_out).max().unwrap_or(0);
        Ok(Measured { layout, start: first.start, end, jobs, cells, series, latencies, series_left_out })
    }
}

/// True if two runs are of one workload; what differs, where they are not.
fn alike(one: &Measured, other: &Measured) -> Result<(), String> {
    let names =
        |layout: &Layout| layout.jobs.iter().map(|job| (job.name.clone(), job.kind)).collect::<Vec<_>>();
    if names(&one.layout) != names(&other.layout) {
        return Err("its jobs are not those of the first host".into());
    }
    let times = |Measured { layout, start, .. }: &Measured| {
        (layout.begin, layout.start, layout.end, layout.interval, *start)
    };
    if times(one) != times(other) {
        return Err("its warm-up, duration or interval is not that of the first host".into());
    }
    Ok(())
}

/// True if all sums stay within their integers: what comes from elsewhere is not believed to.
fn all_fit(hosts: &[(&str, &Measured)]) -> Result<(), Unlike> {
    let overflow = || Unlike { host: String::new(), what: "the sum of the hosts' figures overflows".into() };
    let all = hosts.iter().try_fold((0_u128, 0_u128), |(counts, times), (_, measured)| {
        let (own_counts, own_times) = measured.sums()?;
        Some((counts.checked_add(own_counts)?, times.checked_add(own_times)?))
    });
    match all {
        Some((counts, _)) if counts <= u128::from(u64::MAX) => Ok(()),
        _ => Err(overflow()),
    }
}

fn add_job(all: &mut MeasuredJob, own: &MeasuredJob) {
    all.unfinished += own.unfinished;
    all.never_issued += own.never_issued;
    all.outstanding_ns += own.outstanding_ns;
    for (all, own) in all.by_op.iter_mut().zip(&own.by_op) {
        let MeasuredOp { bytes, errors, response, service } = own;
        all.bytes += bytes;
        all.errors += errors;
        all.response.merge(response);
        if let (Some(all), Some(own)) = (&mut all.service, service) {
            all.merge(own);
        }
    }
}

/// Request of a job on all hosts together.
fn asked(hosts: &[(&str, &Measured)], job: usize) -> JobLayout {
    let of = |(_, measured): &(&str, &Measured)| measured.layout.jobs[job].clone();
    let first = of(&hosts[0]);
    JobLayout {
        requested_depth: hosts
            .iter()
            .map(|host| of(host).requested_depth)
            .try_fold(0_u64, |sum, depth| Some(sum.saturating_add(depth?))),
        requested_iops: hosts.iter().map(|host| of(host).requested_iops).sum(),
        ..first
    }
}

/// The intervals of all hosts, put together by when they began. One that a host's end cut short stands in the others',
/// which go on.
fn series(hosts: &[(&str, &Measured)]) -> Result<(Vec<Interval>, SeriesLatencies), Unlike> {
    let mut all: BTreeMap<Instant, (Together, [bool; 2])> = BTreeMap::new();
    for (host, measured) in hosts {
        let unlike = |what: String| Unlike { host: (*host).to_string(), what };
        for (index, interval) in measured.series.iter().enumerate() {
            let lists = [Op::Read, Op::Write].map(|op| measured.latencies.of(index, op));
            let kept = [lists[0].is_some(), lists[1].is_some()];
            let own = Together::new(*interval, lists.map(|list| list.unwrap_or_default().to_vec()))
                .map_err(unlike)?;
            match all.entry(interval.start) {
                std::collections::btree_map::Entry::Vacant(place) => {
                    place.insert((own, kept));
                }
                std::collections::btree_map::Entry::Occupied(mut place) => {
                    let (together, all_kept) = place.get_mut();
                    if together.interval().phase != interval.phase {
                        return Err(unlike(format!("interval {index} is from another phase of the run")));
                    }
                    together.merge(&own);
                    together.reach(interval);
                    all_kept.iter_mut().zip(kept).for_each(|(all, own)| *all &= own);
                }
            }
        }
    }
    let intervals: Vec<Interval> = all.values().map(|(together, _)| *together.interval()).collect();
    if !intervals.is_sorted_by(|a, b| a.end <= b.start) {
        let what = "the hosts' intervals do not begin at the same times".to_string();
        return Err(Unlike { host: String::new(), what });
    }
    let lists = all.values().map(|(together, kept)| {
        let [read, write] = together.latencies();
        [kept[0].then_some(read), kept[1].then_some(write)]
    });
    let latencies = SeriesLatencies::from_lists(lists);
    Ok((intervals, latencies.map_err(|what| Unlike { host: String::new(), what })?))
}

/// End times of the first host and of the last, and the I/Os of all hosts until then. `None` where no host counted
/// for any time.
///
/// Until the first host ended, all hosts were at work: that rate is the cluster's. Whoever needs all hosts waits until the
/// last has ended. I/Os are counted by interval: of an interval that goes on beyond the time, as large a part
/// is taken as lies before it.
pub fn first_and_last_done(hosts: &[&Measured]) -> Option<(Done, Done)> {
    let ends = hosts.iter().enumerate().map(|(host, measured)| (measured.window(), host));
    let (first, last) = (ends.clone().min()?, ends.max_by_key(|(after, host)| (*after, usize::MAX - host))?);
    let until = |(after, host): (Span, usize)| {
        let (mut ios, mut bytes) = (0.0, 0.0);
        for measured in hosts {
            let at = measured.start + after;
            for interval in measured.series.iter().filter(|interval| interval.phase == Phase::Counted) {
                let part = match interval.length().ns() {
                    // All that it holds completed at one moment.
                    0 => f64::from(u8::from(interval.end <= at)),
                    whole => at.min(interval.end).since(interval.start).ns() as f64 / whole as f64,
                };
                ios += interval.count() as f64 * part;
                bytes += interval.bytes() as f64 * part;
            }
        }
        let seconds = after.secs_f64();
        Done { host, after, iops: ios / seconds, bytes_per_s: bytes / seconds }
    };
    (!first.0.is_zero()).then(|| (until(first), until(last)))
}

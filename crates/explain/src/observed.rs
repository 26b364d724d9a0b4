use iobound_measure::RunResult;
use iobound_measure::result;
use iobound_model::Dimension;
use iobound_units::{Bytes, Grouped, Span};

use crate::stretch::Stretch;

/// Measurements of a run, a volume or a disk. Unknown figures are absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// I/Os a second.
    pub iops: Option<f64>,
    /// Bytes a second.
    pub throughput_bytes_per_s: Option<f64>,
    /// Latency in µs.
    pub latency_us: Latency,
    /// Bytes of an I/O, on average.
    pub block: Option<f64>,
    /// Outstanding I/Os that the workload keeps, in all.
    pub depth: Option<f64>,
    /// Mean number of outstanding I/Os in all, as counters have it. It does not say whether the workload would keep more.
    pub queue: Option<f64>,
    /// The share of the I/Os that read.
    pub read: Option<f64>,
    /// True if they jump.
    pub access: Option<Access>,
}

/// Latency in µs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Latency {
    /// The mean.
    pub mean: Option<f64>,
    /// The median.
    pub p50: Option<f64>,
    /// The 95th percentile.
    pub p95: Option<f64>,
    /// The 99th percentile.
    pub p99: Option<f64>,
}

/// Reader of one figure of a latency.
pub type LatencyFigure = fn(Latency) -> Option<f64>;

impl Latency {
    /// Name of the first figure that is stated, and the same figure of another latency.
    pub fn stated(self) -> Option<(&'static str, LatencyFigure)> {
        let all: [(&'static str, LatencyFigure); 4] = [
            ("mean", |latency| latency.mean),
            ("p50", |latency| latency.p50),
            ("p95", |latency| latency.p95),
            ("p99", |latency| latency.p99),
        ];
        all.into_iter().find(|(_, of)| of(self).is_some())
    }

    /// The mean, or the median in its place.
    pub fn typical(self) -> Option<f64> {
        self.mean.or(self.p50)
    }
}

/// Pattern of the offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anywhere.
    Random,
    /// Each follows on from the last.
    Sequential,
}

/// Measurements of one volume or one disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its name in the configuration.
    pub name: String,
    /// Its figures.
    pub figures: Figures,
}

/// A moment of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Seconds since I/O began.
    pub at_s: f64,
    /// I/Os a second.
    pub iops: f64,
    /// Bytes a second, where they are known.
    pub bytes_per_s: Option<f64>,
}

impl Moment {
    /// A moment of which no bytes are known.
    pub fn of_ios(at_s: f64, iops: f64) -> Moment {
        Moment { at_s, iops, bytes_per_s: None }
    }
}

/// Shares of burst credits that were used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CreditsUsed {
    /// Of the disk that used most of its own.
    pub disk: Option<f64>,
    /// Of the VM.
    pub vm: Option<f64>,
}

/// I/Os of a disk that a limit held back, by the cloud's own count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldLimit {
    /// The disk.
    pub name: String,
    /// True if it was a limit of the VM, false if it was one of the disk; `None`: the cloud does not tell which.
    pub by_vm: Option<bool>,
    /// I/Os or bytes a second.
    pub dimension: Dimension,
    /// Number of intervals in which I/Os were held back, and of all of them.
    pub intervals: [u32; 2],
    /// The metric and the most that was held back, in words.
    pub told: String,
}

/// All that was seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observed {
    /// Everything together.
    pub total: Figures,
    /// Volumes and disks by name.
    pub parts: Vec<Part>,
    /// The run in order of time.
    pub series: Vec<Moment>,
    /// The stretch of the series that the rates are of; `None`: they are of the whole time.
    pub stretch: Option<Stretch>,
    /// Time that it was watched.
    pub duration: Option<Span>,
    /// Time that the load had run by then.
    pub after: Option<Span>,
    /// The share of its time that the busiest processor is in use.
    pub cpu: Option<f64>,
    /// The share of the time that processors waited for I/O (`iowait`, or the I/O pressure of the kernel).
    pub iowait: Option<f64>,
    /// The data that the I/O goes to, of all volumes together.
    pub size: Option<Bytes>,
    /// The kernel's read-ahead of the device.
    pub read_ahead: Option<Bytes>,
    /// Bytes a second that the application got, where the figures are a device's.
    pub application_bytes_per_s: Option<f64>,
    /// I/Os a second that the raw device gave to the same load, without a file system.
    pub raw_iops: Option<f64>,
    /// True if reads and writes went through the operating system's page cache.
    pub buffered: Option<bool>,
    /// True if each write waits until it is on the media: a flush (fsync, fdatasync) after it, `O_SYNC` or `O_DSYNC`.
    pub synced: Option<bool>,
    /// Flushes a second of the device with the most: a flush of a stripe reaches each of its disks.
    pub flushes_per_s: Option<f64>,
    /// The most of the burst credits that was used, where the cloud told it.
    pub credits_used: CreditsUsed,
    /// Limits that held I/Os back, by the cloud's own count.
    pub held: Vec<HeldLimit>,
    /// Sentences on figures derived from others.
    pub derived: Vec<String>,
    /// True if the mean latency is the depth ÷ IOPS: nobody timed or counted the I/Os.
    pub is_latency_derived: bool,
    /// True if the latency counts from the intended start of an I/O (open loop): it is more than the time in which the I/O was
    /// outstanding.
    pub is_open_loop: bool,
    /// True if a person wrote the throughput: only then its unit can be mixed up.
    pub is_throughput_stated: bool,
    /// True if that person wrote it in MiB/s.
    pub is_throughput_in_mib: bool,
    /// True if the IOPS are the throughput ÷ the block: nobody counted the I/Os.
    pub are_ios_derived: bool,
    /// True if the block is the throughput ÷ the IOPS: a mean, and no size that anybody asked for.
    pub is_block_derived: bool,
    /// True if the volumes were created from a snapshot or an image and not read since; false if they were not.
    pub from_snapshot: Option<bool>,
}

impl Figures {
    /// True if there is a rate or a latency: something to explain.
    pub fn has_any(&self) -> bool {
        self.iops.is_some()
            || self.throughput_bytes_per_s.is_some()
            || self.latency_us.typical().or(self.latency_us.p95).or(self.latency_us.p99).is_some()
    }

    /// Several disks, or several volumes, as one: rates and outstanding I/Os are summed, latency and the share of reads
    /// are means over the I/Os. A figure that one of them lacks is unknown for all. No I/O at all is not a rate.
    pub fn sum<'a>(all: impl Iterator<Item = &'a Figures> + Clone) -> Figures {
        let sum = |of: fn(&Figures) -> Option<f64>| -> Option<f64> {
            all.clone().map(of).sum::<Option<f64>>().filter(|sum| *sum > 0.0)
        };
        let iops = sum(|figures| figures.iops);
        let mean = |of: fn(&Figures) -> Option<f64>| -> Option<f64> {
            let at_work = all.clone().filter(|figures| figures.iops.is_some_and(|iops| iops > 0.0));
            let weighted = at_work.map(|figures| Some(figures.iops? * of(figures)?)).sum::<Option<f64>>()?;
            Some(weighted / iops?)
        };
        Figures {
            iops,
            throughput_bytes_per_s: sum(|figures| figures.throughput_bytes_per_s),
            latency_us: Latency { mean: mean(|figures| figures.latency_us.mean), ..Latency::default() },
            block: None,
            depth: sum(|figures| figures.depth.or(figures.iops.filter(|iops| *iops == 0.0))),
            queue: sum(|figures| figures.queue.or(figures.iops.filter(|iops| *iops == 0.0))),
            read: mean(|figures| figures.read),
            access: None,
        }
    }

    /// Derives figures from the others: bytes = I/Os × block, and Little's law, outstanding = IOPS × latency. Given
    /// figures are never replaced. Returns the derivations.
    pub fn derive(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        if self.iops == Some(0.0) {
            return said;
        }
        let (iops, bytes) = (self.iops, self.throughput_bytes_per_s);
        if self.block.is_none()
            && let (Some(iops), Some(bytes)) = (iops, bytes)
        {
            self.block = Some(bytes / iops);
            said.push(format!("block {:.1} KiB = throughput / IOPS", bytes / iops / 1024.0));
        }
        // By Little's law a closed loop's rate follows from its depth and latency.
        if self.iops.is_none()
            && let (Some(depth), Some(us)) = (self.queue.or(self.depth), self.latency_us.mean)
            && (bytes.is_none() || self.block.is_none())
        {
            self.iops = Some(depth / us * 1e6);
            said.push(format!("{} IOPS = outstanding / latency", Grouped((depth / us * 1e6).round() as u64)));
        }
        if self.iops.is_none()
            && let (Some(bytes), Some(block)) = (bytes, self.block)
        {
            self.iops = Some(bytes / block);
            said.push(format!("{} IOPS = throughput / block", Grouped((bytes / block).round() as u64)));
        }
        if self.throughput_bytes_per_s.is_none()
            && let (Some(iops), Some(block)) = (self.iops, self.block)
        {
            self.throughput_bytes_per_s = Some(iops * block);
            said.push(format!("{:.1} MB/s = IOPS x block", iops * block / 1e6));
        }
        if self.block.is_none()
            && let (Some(iops), Some(bytes)) = (self.iops, self.throughput_bytes_per_s)
        {
            self.block = Some(bytes / iops);
        }
        if self.latency_us.mean.is_none()
            && let (Some(iops), Some(depth)) = (self.iops, self.queue.or(self.depth))
        {
            self.latency_us.mean = Some(depth / iops * 1e6);
            said.push(format!("latency {:.2} ms = outstanding / IOPS", depth / iops * 1e3));
        }
        said
    }

    /// Mean number of outstanding I/Os: asked for, counted, or by Little's law.
    pub fn outstanding(&self) -> Option<f64> {
        self.depth.or(self.queue).or(self.held())
    }

    /// Outstanding I/Os that the rate and the latency speak of, by Little's law.
    pub fn held(&self) -> Option<f64> {
        Some(self.iops? * self.latency_us.mean? / 1e6)
    }
}

impl Observed {
    /// Fills in what follows from the rest, of the whole and of each part.
    pub fn derive(&mut self) {
        let is_timed = self.total.latency_us.mean.is_some();
        let had_bytes = self.total.iops.is_none() && self.total.throughput_bytes_per_s.is_some();
        let had_block = self.total.block.is_some();
        self.derived = self.total.derive();
        self.are_ios_derived = had_bytes && had_block && self.total.iops.is_some();
        self.is_block_derived |= !had_block && self.total.block.is_some();
        // A counted queue ÷ IOPS is the mean latency; a depth that was asked for need not have been kept.
        let is_counted = self.total.queue.is_some();
        self.is_latency_derived = !is_timed && !is_counted && self.total.latency_us.mean.is_some();
        for part in &mut self.parts {
            part.figures.derive();
        }
    }

    /// Figures of a result document.
    pub fn of_result(result: &RunResult) -> Observed {
        let mut observed = Observed {
            total: figures_of(&result.total, &result.by_operation),
            cpu: result.cpu.as_ref().and_then(busiest),
            is_open_loop: result.total.latency_us.is_some_and(|latency| {
                matches!(latency.label, Some(result::LoopLabel::Open | result::LoopLabel::Mixed))
            }),
            read_ahead: result.devices.iter().filter_map(|d| d.read_ahead_kib).max().map(Bytes::kib),
            ..Observed::default()
        };
        observed.total.depth = result
            .depth
            .and_then(|depth| depth.achieved.or(depth.requested.map(|requested| requested as f64)));
        observed.parts = result
            .targets
            .iter()
            .map(|part| Part {
                name: part.name.clone(),
                figures: figures_of(&part.total, &part.by_operation),
            })
            .collect();
        let moment = |point: &result::Point| Moment {
            at_s: point.start_s,
            iops: point.iops,
            bytes_per_s: point.throughput_bytes_per_s,
        };
        observed.series = result.series.iter().map(moment).collect();
        let counted = result.start.as_ref().and_then(|start| start.counted_s);
        observed.duration = counted.map(|seconds| Span::from_ns((seconds * 1e9) as u64));
        observed.derive();
        observed
    }
}

fn figures_of(total: &result::Figures, by: &result::ByOperation) -> Figures {
    let latency = total.latency_us.unwrap_or_default();
    let ios = |figures: &Option<result::Figures>| figures.as_ref().and_then(|figures| figures.iops);
    let read = match (ios(&by.read), ios(&by.write)) {
        (None, None) => None,
        (read, write) => {
            let (read, write) = (read.unwrap_or(0.0), write.unwrap_or(0.0));
            (read + write > 0.0).then(|| read / (read + write))
        }
    };
    let positive = |value: Option<f64>| value.filter(|value| *value > 0.0);
    Figures {
        iops: positive(total.iops),
        throughput_bytes_per_s: positive(total.throughput_bytes_per_s),
        latency_us: Latency { mean: latency.mean, p50: latency.p50, p95: latency.p95, p99: latency.p99 },
        block: None,
        depth: None,
        queue: None,
        read,
        access: None,
    }
}

/// One processor that is full is enough to hold a run back.
fn busiest(cpu: &result::Cpu) -> Option<f64> {
    let used = cpu.processors.iter().map(|processor| processor.user + processor.system);
    used.max_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(iops: f64, mean: Option<f64>, read: Option<f64>) -> Figures {
        Figures {
            iops: Some(iops),
            throughput_bytes_per_s: Some(iops * 8192.0),
            latency_us: Latency { mean, ..Latency::default() },
            depth: mean.map(|us| iops * us / 1e6),
            read,
            ..Figures::default()
        }
    }

    #[test]
    fn disks_together_have_the_sum_of_rates_and_the_mean_of_latencies() {
        let disks = [
            disk(300.0, Some(1_000.0), Some(1.0)),
            disk(100.0, Some(5_000.0), Some(0.0)),
            disk(0.0, None, None),
        ];
        let sum = Figures::sum(disks.iter());
        // (300 x 1 ms + 100 x 5 ms) / 400; 300 of 400 read; 0.3 + 0.5 outstanding, none on the idle one
        assert_eq!((sum.iops, sum.latency_us.mean, sum.read), (Some(400.0), Some(2_000.0), Some(0.75)));
        assert_eq!((sum.depth, sum.throughput_bytes_per_s), (Some(0.8), Some(400.0 * 8192.0)));
        // What one does not tell is unknown.
        let sum = Figures::sum([disk(300.0, Some(1_000.0), None), disk(100.0, None, Some(0.5))].iter());
        assert_eq!((sum.iops, sum.latency_us.mean, sum.read, sum.depth), (Some(400.0), None, None, None));
        assert_eq!(Figures::sum([disk(0.0, None, None)].iter()), Figures::default());
    }

    #[test]
    fn of_an_idle_disk_nothing_is_worked_out() {
        let mut idle = disk(0.0, None, None);
        assert!(idle.derive().is_empty());
        assert_eq!(idle.block, None);
    }
}

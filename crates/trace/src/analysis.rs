use iobound_measure::Histogram;
use iobound_units::Op;

use crate::queue::QueueDepth;
use crate::rates::Rates;
use crate::record::Record;
use crate::reuse::Reuse;
use crate::sizes::Sizes;
use crate::working_set::WorkingSet;

/// Figures of one operation of one device.
#[derive(Clone, Debug, Default)]
pub struct OpFigures {
    /// I/Os.
    pub ios: u64,
    /// Bytes.
    pub bytes: u128,
    /// I/Os that begin where the device's last I/O of the same operation ended.
    pub sequential: u64,
    /// Lengths.
    pub sizes: Sizes,
    /// Recorded latencies in ns.
    pub latency: Histogram<3>,
    end: Option<u64>,
}

/// Figures of one device.
#[derive(Clone, Debug, Default)]
pub struct DeviceFigures {
    /// By operation, in the order of [`Op::ALL`].
    pub ops: [OpFigures; 4],
    /// First byte that is accessed.
    pub lowest: u64,
    /// First byte behind all accesses.
    pub highest: u64,
    /// First and last issue time, from the begin of the trace, in ns.
    pub active_ns: Option<(u64, u64)>,
}

impl DeviceFigures {
    /// I/Os of all operations.
    pub fn ios(&self) -> u64 {
        self.ops.iter().map(|op| op.ios).sum()
    }

    /// Figures of an operation.
    pub fn of(&self, op: Op) -> &OpFigures {
        &self.ops[op as usize]
    }
}

/// Everything that is known of a trace. Its memory does not depend on the trace's length.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// First issue time on the trace's own clock, in ns; `None` of an empty trace.
    pub begin_ns: Option<u64>,
    /// Last issue time from the begin, in ns.
    pub last_ns: u64,
    /// Last recorded completion from the begin, in ns; at least `last_ns`.
    pub end_ns: u64,
    /// By device, in the order of the source.
    pub devices: Vec<DeviceFigures>,
    /// Rates of reads, writes, flushes and discards together.
    pub rates: Rates,
    /// Outstanding I/Os.
    pub depth: QueueDepth,
    /// Reuse of blocks by reads and writes.
    pub reuse: Reuse,
    /// Working set over time.
    pub working_set: WorkingSet,
    /// I/Os with a recorded latency.
    pub with_latency: u64,
}

impl Analysis {
    /// Adds records, in order.
    pub fn add(&mut self, records: &[Record]) {
        for record in records {
            self.add_one(record);
        }
    }

    #[inline]
    fn add_one(&mut self, record: &Record) {
        let begin = *self.begin_ns.get_or_insert(record.at_ns);
        let since = record.at_ns.saturating_sub(begin);
        self.last_ns = self.last_ns.max(since);
        let device = usize::from(record.device);
        if device >= self.devices.len() {
            self.devices.resize_with(device + 1, DeviceFigures::default);
        }
        let figures = &mut self.devices[device];
        let (first, last) = figures.active_ns.unwrap_or((since, since));
        figures.active_ns = Some((first.min(since), last.max(since)));
        let op = &mut figures.ops[record.op as usize];
        op.ios += 1;
        op.bytes += u128::from(record.length);
        op.sizes.add(record.length, record.offset);
        op.sequential += u64::from(op.end == Some(record.offset) && record.length > 0);
        op.end = Some(record.end());
        if record.op != Op::Flush && record.length > 0 {
            let is_first = figures.highest == 0;
            figures.lowest = if is_first { record.offset } else { figures.lowest.min(record.offset) };
            figures.highest = figures.highest.max(record.end());
        }
        let moves_data = record.op.moves_data();
        self.rates.add(since, if moves_data { record.length } else { 0 });
        if moves_data {
            self.working_set.advance(since, &mut self.reuse);
            self.reuse.add(record.device, record.offset, record.length, record.op == Op::Read);
        }
        self.end_ns = self.end_ns.max(since);
        if let Some(completed) = record.completed_ns() {
            figures.ops[record.op as usize].latency.record(record.latency_ns);
            self.with_latency += 1;
            self.depth.add(record.at_ns, completed);
            self.end_ns = self.end_ns.max(completed.saturating_sub(begin));
        }
    }

    /// I/Os of all devices and operations.
    pub fn ios(&self) -> u64 {
        self.devices.iter().map(DeviceFigures::ios).sum()
    }

    /// I/Os of an operation, on all devices.
    pub fn ios_of(&self, op: Op) -> u64 {
        self.devices.iter().map(|device| device.of(op).ios).sum()
    }

    /// Bytes of an operation, on all devices.
    pub fn bytes_of(&self, op: Op) -> u128 {
        self.devices.iter().map(|device| device.of(op).bytes).sum()
    }

    /// Reads and writes a second, over the time from the first issue to the last one; `None` if that is zero. An I/O that takes
    /// long at the end does not lower them.
    pub fn mean_iops(&self) -> Option<f64> {
        self.per_second((self.ios_of(Op::Read) + self.ios_of(Op::Write)) as f64)
    }

    /// Bytes read and written a second, over the same time.
    pub fn mean_bytes_per_s(&self) -> Option<f64> {
        self.per_second((self.bytes_of(Op::Read) + self.bytes_of(Op::Write)) as f64)
    }

    fn per_second(&self, amount: f64) -> Option<f64> {
        (self.last_ns > 0).then(|| amount / (self.last_ns as f64 / 1e9))
    }

    /// The share of reads and writes that begin where the last one of the same operation ended.
    pub fn sequential(&self) -> f64 {
        let data = || self.devices.iter().flat_map(|device| [device.of(Op::Read), device.of(Op::Write)]);
        let ios: u64 = data().map(|op| op.ios).sum();
        let sequential: u64 = data().map(|op| op.sequential).sum();
        if ios == 0 { 0.0 } else { sequential as f64 / ios as f64 }
    }

    /// The recorded latencies of an operation, on all devices, in ns.
    pub fn latency_of(&self, op: Op) -> Histogram<3> {
        let mut all = Histogram::new();
        for device in &self.devices {
            all.merge(&device.of(op).latency);
        }
        all
    }
}

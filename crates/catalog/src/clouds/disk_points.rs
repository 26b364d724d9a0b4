//! Time series of a VM's disks, put together from the files that a cloud's metrics were exported to.

use std::collections::BTreeMap;

use iobound_formats::observation::reader::{
    Clock, CloudMetrics, DEVICES, Fold, INTERVALS, KEPT, Reading, Trouble, agreed, span, whole,
};
use iobound_formats::observation::{Consumed, DeviceKind, Observation, ObservedFile, Observer};
use iobound_units::Span;

/// The name of all disks together, where a series names none.
pub(crate) const VM: &str = "VM";

/// The values of each disk and metric by the text of their time. Texts of one form are in the order of time.
#[derive(Debug)]
pub(crate) struct DiskPoints<K> {
    times: BTreeMap<String, BTreeMap<String, BTreeMap<K, f64>>>,
    kept: usize,
}

impl<K> Default for DiskPoints<K> {
    fn default() -> DiskPoints<K> {
        DiskPoints { times: BTreeMap::new(), kept: 0 }
    }
}

/// Fills in the reading of a disk from its figures in an interval of so many seconds.
pub(crate) type FillReading<K> = fn(&BTreeMap<K, f64>, Option<f64>, &mut Reading);

/// The meaning of the points, from a cloud's reader.
pub(crate) struct PointsMeaning<K> {
    pub(crate) metrics: &'static CloudMetrics,
    pub(crate) read: FillReading<K>,
    /// True if only the length of the intervals makes rates of the values.
    pub(crate) needs_step: bool,
}

impl<K: Ord + Copy> DiskPoints<K> {
    /// Adds a value; `false`: there are too many.
    pub(crate) fn add(&mut self, disk: &str, kind: K, time: &str, value: f64) -> bool {
        let disks = self.times.entry(time.to_string()).or_default();
        disks.entry(disk.to_string()).or_default().insert(kind, value);
        self.kept += 1;
        self.times.len() <= INTERVALS && self.kept <= KEPT
    }

    /// The value that a metric of a disk has at a time so far.
    pub(crate) fn value(&self, disk: &str, kind: K, time: &str) -> Option<f64> {
        self.times.get(time)?.get(disk)?.get(&kind).copied()
    }

    /// Adds the points of all files together, because each chart is exported by itself: JSON with one function, other texts with
    /// another. `None`, with the trouble added: there is something wrong, or no value of a disk metric.
    pub(crate) fn of_files(
        files: &[ObservedFile<'_>],
        list: &str,
        trouble: &mut Trouble,
        mut add: impl FnMut(&mut DiskPoints<K>, usize, bool, &mut Trouble) -> bool,
    ) -> Option<DiskPoints<K>> {
        let mut points = DiskPoints::default();
        for (source, file) in files.iter().enumerate() {
            let start = file.text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            let is_read = add(&mut points, source, start.starts_with(['{', '[']), trouble);
            if !is_read && trouble.is_empty() {
                let help = "cut the file to the time to explain";
                trouble.add(whole(source), "the file has too many figures", help);
            }
        }
        if trouble.is_empty() && points.times.is_empty() {
            trouble.add(whole(0), "the file has no value of a disk metric", list);
        }
        trouble.is_empty().then_some(points)
    }

    /// The observation, without notes on the reader's own assumptions.
    pub(crate) fn observation(
        &self,
        meaning: &PointsMeaning<K>,
        interval: Option<Span>,
        consumed: Vec<Consumed>,
        trouble: &mut Trouble,
    ) -> Option<Observation> {
        let times: Vec<&String> = self.times.keys().collect();
        let apart = times.windows(2).filter_map(|pair| Clock::read(pair[0])?.until(Clock::read(pair[1])?));
        let step = agreed(interval, apart.min_by(f64::total_cmp), whole(0), trouble);
        if meaning.needs_step && step.is_none() && trouble.is_empty() {
            let what = "the file has one point only, and does not state the length of its interval";
            trouble.add(whole(0), what, "give the period as --interval, such as --interval 60s");
        }
        if !trouble.is_empty() {
            return None;
        }
        let mut fold = Fold::new(step.is_some());
        for disks in self.times.values() {
            let readings = disks.iter().map(|(disk, figures)| {
                let mut reading = Reading { rounding: 0.01, ..Reading::new(disk.as_str()) };
                (meaning.read)(figures, step, &mut reading);
                reading
            });
            fold.interval(step.unwrap_or(1.0), readings.collect());
            if fold.devices() > DEVICES || fold.kept() > KEPT {
                trouble.add(whole(0), "the file has too many disks", "give the metrics of one VM");
                return None;
            }
        }
        let (counted, starts_s) = (self.times.len(), fold.starts_s());
        let each = step.and_then(span).map_or(String::new(), |step| format!(" of {step} each"));
        Some(Observation {
            observer: Observer::Cloud(meaning.metrics),
            devices: fold.finish(
                false,
                |name, _| {
                    if name == VM { DeviceKind::Total } else { DeviceKind::Disk }
                },
            ),
            duration: step.and_then(|step| span(step * counted as f64)),
            starts_s,
            cpu: None,
            iowait: None,
            buffered: None,
            consumed,
            held: Vec::new(),
            notes: vec![format!(
                "{counted} averages{each}: shorter events, such as an empty bucket of a second, are not visible"
            )],
        })
    }
}

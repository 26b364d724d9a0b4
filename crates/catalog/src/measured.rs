//! Measurements that others published, read from `measured.csv`: each row is one figure, and the figures of one run have
//! the same number.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::OnceLock;

use iobound_units::{Bytes, Percent, Span, parse_bytes};

use crate::clouds::names::Cloud;
use crate::data;
use crate::era::Era;
use crate::error::CatalogError;
use crate::table::Row;

/// The limit of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Regime {
    /// A limit of a disk, a VM or an account.
    Limit,
    /// A limit that burst credits lift.
    Burst,
    /// A limit whose enforcement is an assumption.
    Assumed,
    /// The devices of local disks: no limiter holds them.
    Device,
    /// The devices of local disks of which only the least that they read is published.
    Minimum,
    /// The host cache, which serves most I/Os.
    Cache,
    /// The queue depth and the latency.
    Depth,
    /// The rate that the workload asks for.
    Rate,
    /// Nothing known.
    Unknown,
}

impl Regime {
    /// All of them.
    pub const ALL: [Regime; 9] = [
        Regime::Limit,
        Regime::Burst,
        Regime::Assumed,
        Regime::Device,
        Regime::Minimum,
        Regime::Cache,
        Regime::Depth,
        Regime::Rate,
        Regime::Unknown,
    ];

    /// Those of which published runs calibrate the bands.
    pub fn calibrated() -> impl Iterator<Item = Regime> {
        Regime::ALL.into_iter().filter(|regime| !matches!(regime, Regime::Rate | Regime::Unknown))
    }

    /// The word of files and documents.
    pub const fn name(self) -> &'static str {
        match self {
            Regime::Limit => "limit",
            Regime::Burst => "burst",
            Regime::Assumed => "assumed",
            Regime::Device => "device",
            Regime::Minimum => "minimum",
            Regime::Cache => "cache",
            Regime::Depth => "depth",
            Regime::Rate => "rate",
            Regime::Unknown => "unknown",
        }
    }

    /// The regime of that name.
    pub fn of(name: &str) -> Option<Regime> {
        Regime::ALL.into_iter().find(|regime| regime.name() == name)
    }
}

impl fmt::Display for Regime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A kind of published figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MeasuredKind {
    /// I/Os a second.
    Iops,
    /// Bytes a second.
    Throughput,
    /// Mean completion latency in µs.
    Mean,
    /// Median completion latency in µs.
    P50,
    /// 90th percentile of completion latency in µs.
    P90,
    /// 99th percentile of completion latency in µs.
    P99,
}

impl MeasuredKind {
    /// All of them.
    pub const ALL: [MeasuredKind; 6] = [
        MeasuredKind::Iops,
        MeasuredKind::Throughput,
        MeasuredKind::Mean,
        MeasuredKind::P50,
        MeasuredKind::P90,
        MeasuredKind::P99,
    ];

    /// True if it is a rate: IOPS or throughput.
    pub const fn is_rate(self) -> bool {
        matches!(self, MeasuredKind::Iops | MeasuredKind::Throughput)
    }

    /// The word of the file, which carries the unit.
    pub const fn name(self) -> &'static str {
        match self {
            MeasuredKind::Iops => "iops",
            MeasuredKind::Throughput => "bytes_per_s",
            MeasuredKind::Mean => "mean_us",
            MeasuredKind::P50 => "p50_us",
            MeasuredKind::P90 => "p90_us",
            MeasuredKind::P99 => "p99_us",
        }
    }
}

/// A published figure, in the unit of its kind.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredFigure {
    /// `emondek-005-p99`.
    pub id: String,
    /// Its kind, and so its unit.
    pub kind: MeasuredKind,
    /// The figure.
    pub value: f64,
    /// The source's own line.
    pub quote: String,
}

/// A run that somebody measured and published.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredRun {
    /// Source and number: `emondek-005`.
    pub id: String,
    /// The independent author or experiment.
    pub source: String,
    /// The document.
    pub url: String,
    /// Date of publication.
    pub published: String,
    /// Date of the measurement, if the source states one.
    pub measured: Option<String>,
    /// The cloud.
    pub cloud: Cloud,
    /// VM size; an assumed one if the source does not state it.
    pub vm: String,
    /// True if the VM size is assumed.
    pub is_vm_assumed: bool,
    /// `--disk` specifications; a name `os` is the operating system's disk.
    pub disks: Vec<String>,
    /// Bytes on one disk of a stripe before the next, if there is a stripe.
    pub stripe: Option<Bytes>,
    /// Random or sequential access.
    pub is_random: bool,
    /// Bytes of an I/O.
    pub block: Bytes,
    /// Percentage of reads.
    pub read: Percent,
    /// Outstanding I/Os of each thread.
    pub depth: u32,
    /// Number of threads.
    pub threads: u32,
    /// True if the tool bypasses the page cache, if stated.
    pub is_direct: Option<bool>,
    /// Measurement time, if stated.
    pub duration: Option<Span>,
    /// Warm-up time.
    pub warmup: Span,
    /// True if the disk was idle before the run, if stated.
    pub after_idle: Option<bool>,
    /// The program that measured.
    pub tool: String,
    /// Properties that the source does not state; the row holds an assumption there.
    pub unstated: Vec<String>,
    /// The limit of the run, in the collector's judgement. No calculation uses it.
    pub regime: Regime,
    /// The working set, if the note gives it as `size=`.
    pub size: Option<Bytes>,
    /// True if the note says `at=sustained`: burst credits are spent.
    pub is_sustained: bool,
    /// One of several equal VMs that the source calls slow.
    pub is_slow_vm: bool,
    /// The number of equal VMs under the same test, if the note says `VM 1 of 6`.
    pub equal_vms: Option<u32>,
    /// All rows of the source are one measurement.
    pub is_one_of_one: bool,
    /// The figures.
    pub figures: Vec<MeasuredFigure>,
    /// Anything else.
    pub note: String,
}

impl MeasuredRun {
    /// The era whose figures fit the date of the measurement.
    pub fn era(&self) -> Era {
        Era::of_date(self.measured.as_deref().unwrap_or(&self.published))
    }

    /// A text that repeats of one measurement share: same source, configuration and workload.
    pub fn condition(&self) -> String {
        if self.is_one_of_one {
            return self.source.clone();
        }
        format!("{} {}", self.source, self.question())
    }

    /// A text that runs share of which the model is asked the same.
    pub fn question(&self) -> String {
        let seconds = |span: Span| span.secs_f64().round();
        format!(
            "{} {} {:?} {} {} {:?} {}x{} {:?}+{} idle {:?} size {:?} sustained {} {}",
            self.vm,
            self.disks.join("+"),
            self.stripe,
            self.is_random,
            self.block,
            self.read,
            self.threads,
            self.depth,
            self.duration.map(seconds),
            seconds(self.warmup),
            self.after_idle,
            self.size,
            self.is_sustained,
            self.era().name(),
        )
    }
}

/// The published runs, in the order of the file.
///
/// # Panics
/// The file that ships with the program can't be read; the catalogue's tests prevent that.
pub fn measured_runs() -> &'static [MeasuredRun] {
    static RUNS: OnceLock<Vec<MeasuredRun>> = OnceLock::new();
    RUNS.get_or_init(|| read_runs(data::MEASURED.table().rows()).unwrap_or_else(|error| panic!("{error}")))
}

/// VMs that their source calls slow, beside equal VMs under the same test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlowVms {
    /// The source.
    pub source: &'static str,
    /// Its cloud.
    pub cloud: Cloud,
    /// Slow VMs.
    pub slow: u32,
    /// Equal VMs, the slow ones among them.
    pub of: u32,
    /// The sources of that cloud.
    pub sources: u32,
}

impl SlowVms {
    /// One VM in this many is slow, if each source of the cloud counts the same.
    pub fn one_in(&self) -> f64 {
        f64::from(self.sources) * f64::from(self.of) / f64::from(self.slow)
    }
}

/// The slow VMs among the published runs, source by source. A slow VM is no scatter of a good one: it is reported beside a band,
/// and does not widen it.
pub fn slow_vms() -> Vec<SlowVms> {
    let runs = measured_runs();
    let mut slow: Vec<SlowVms> = Vec::new();
    for run in runs.iter().filter(|run| run.is_slow_vm) {
        match slow.iter_mut().find(|of| of.source == run.source) {
            Some(of) => of.slow += 1,
            None => {
                let of_cloud = runs.iter().filter(|other| other.cloud == run.cloud);
                let sources: BTreeSet<&str> = of_cloud.map(|run| run.source.as_str()).collect();
                let (source, cloud, of) = (run.source.as_str(), run.cloud, run.equal_vms.unwrap_or(1));
                slow.push(SlowVms { source, cloud, slow: 1, of, sources: sources.len() as u32 });
            }
        }
    }
    slow
}

/// Reads rows; those of one run stand next to each other.
fn read_runs(rows: impl Iterator<Item = Row>) -> Result<Vec<MeasuredRun>, CatalogError> {
    let mut runs: Vec<MeasuredRun> = Vec::new();
    for row in rows {
        let figure = read_figure(&row)?;
        let id = figure.id.rsplit_once('-').map_or("", |(id, _)| id).to_string();
        let run = read_run(&row, id)?;
        match runs.iter_mut().find(|other| other.id == run.id) {
            Some(other) if other.question() == run.question() && other.source == run.source => {
                other.figures.push(figure);
            }
            Some(other) => {
                return Err(row.error(format!(
                    "`{}` and `{}` have the same number and describe different runs: give each run its own number",
                    other.figures[0].id, figure.id
                )));
            }
            None => runs.push(MeasuredRun { figures: vec![figure], ..run }),
        }
    }
    Ok(runs)
}

fn read_figure(row: &Row) -> Result<MeasuredFigure, CatalogError> {
    let word = row.required("figure")?;
    let kind = MeasuredKind::ALL.into_iter().find(|kind| kind.name() == word).ok_or_else(|| {
        let words: Vec<&str> = MeasuredKind::ALL.iter().map(|kind| kind.name()).collect();
        row.error(format!("`figure` is `{word}`: write {}", words.join(", ")))
    })?;
    let text = row.required("value")?;
    let value = text.parse::<f64>().ok().filter(|value| value.is_finite() && *value > 0.0);
    let value = value.ok_or_else(|| row.error(format!("`value` is `{text}`: write a number above 0")))?;
    Ok(MeasuredFigure { id: row.required("id")?, kind, value, quote: row.required("quote")? })
}

fn read_run(row: &Row, id: String) -> Result<MeasuredRun, CatalogError> {
    let note = row.owned("note").unwrap_or_default();
    let said = |key: &str| {
        note.split(';').find_map(|part| part.trim().strip_prefix(key).map(|value| value.trim().to_string()))
    };
    let assumed = said("assume vm=");
    let vm = match (row.owned("vm"), assumed.clone()) {
        (Some(vm), None) | (None, Some(vm)) => vm,
        (Some(_), Some(_)) => return Err(row.error("`vm` is stated and assumed: keep one of them")),
        (None, None) => return Err(row.error("`vm` is missing: give it, or `assume vm=...` in `note`")),
    };
    let word = |column: &str, words: [(&str, Option<bool>); 3]| {
        let text = row.required(column)?;
        words.into_iter().find(|(word, _)| *word == text).map(|(_, value)| value).ok_or_else(|| {
            let words = words.map(|(word, _)| word).join(", ");
            row.error(format!("`{column}` is `{text}`: write {words}"))
        })
    };
    let stated = [("yes", Some(true)), ("no", Some(false)), ("unstated", None)];
    let access = row.required("random")?;
    let is_random = match access.as_str() {
        "random" => true,
        "sequential" => false,
        _ => return Err(row.error(format!("`random` is `{access}`: write random or sequential"))),
    };
    let seconds = |column: &str| -> Result<Option<Span>, CatalogError> {
        Ok(row.scaled(column, 9)?.map(Span::from_ns))
    };
    let small = |column: &str| -> Result<u32, CatalogError> {
        let count = row.count(column)?.filter(|count| *count > 0).and_then(|count| u32::try_from(count).ok());
        count.ok_or_else(|| row.error(format!("`{column}`: write a whole number from 1")))
    };
    let cloud = row.required("cloud")?;
    let regime = row.required("regime")?;
    let read = row.count("read")?.and_then(|read| u32::try_from(read).ok()).and_then(Percent::whole);
    let at = said("at=");
    if at.as_deref().is_some_and(|at| at != "sustained") {
        return Err(row.error("`note`: `at=` takes `sustained` only"));
    }
    Ok(MeasuredRun {
        id,
        source: row.required("source")?,
        url: row.required("url")?,
        published: row.required("published")?,
        measured: row.owned("measured"),
        cloud: Cloud::ALL
            .into_iter()
            .find(|known| known.name() == cloud)
            .ok_or_else(|| row.error(format!("`cloud` is `{cloud}`: write azure or aws")))?,
        vm,
        is_vm_assumed: assumed.is_some(),
        disks: row.required("disks")?.split(" + ").map(str::to_string).collect(),
        stripe: row.owned("stripe").map(|text| bytes(row, "stripe", &text)).transpose()?,
        is_random,
        block: bytes(row, "block", &row.required("block")?)?,
        read: read.ok_or_else(|| row.error("`read`: write a whole percentage from 0 to 100"))?,
        depth: small("depth")?,
        threads: small("threads")?,
        is_direct: word("direct", stated)?,
        duration: seconds("duration_s")?,
        warmup: seconds("warmup_s")?.unwrap_or(Span::ZERO),
        after_idle: word("after_idle", stated)?,
        tool: row.required("tool")?,
        unstated: row
            .text("unstated")
            .map_or(Vec::new(), |text| text.split(';').map(str::to_string).collect()),
        regime: Regime::of(&regime)
            .ok_or_else(|| row.error(format!("`regime` is `{regime}`, which is unknown")))?,
        size: said("size=").map(|text| bytes(row, "note", &text)).transpose()?,
        is_sustained: at.is_some(),
        is_slow_vm: note.contains("slow VM"),
        equal_vms: equal_vms(&note),
        is_one_of_one: note.contains("rows are one measurement"),
        figures: Vec::new(),
        note,
    })
}

fn bytes(row: &Row, column: &str, text: &str) -> Result<Bytes, CatalogError> {
    parse_bytes(text).map_err(|error| row.error(format!("`{column}`: {error}")))
}

/// `VM 2 of 6 equal VMs`: 6.
fn equal_vms(note: &str) -> Option<u32> {
    let (_, after) = note.split_once("VM ")?;
    let (_, count) = after.split(';').next()?.split_once(" of ")?;
    count.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_corpus_is_read_whole() {
        // The counts of measured.md.
        let runs = measured_runs();
        let sources: BTreeSet<&str> = runs.iter().map(|run| run.source.as_str()).collect();
        let figures: usize = runs.iter().map(|run| run.figures.len()).sum();
        assert_eq!((figures, runs.len(), sources.len()), (788, 475, 46));
        let of = |cloud: Cloud| runs.iter().filter(|run| run.cloud == cloud).count();
        assert_eq!((of(Cloud::Azure), of(Cloud::Aws)), (261, 172));
        assert_eq!(runs.iter().filter(|run| run.regime == Regime::Limit).count(), 128 + 108 + 38);
    }

    #[test]
    fn five_of_six_equal_vms_of_one_source_are_slow() {
        // If each of N sources counts the same, a VM in N x 6 / 5 is slow.
        let slow = slow_vms();
        assert_eq!(slow.len(), 1, "{slow:?}");
        assert_eq!((slow[0].source, slow[0].slow, slow[0].of), ("cassandra-azure", 5, 6));
        assert!((slow[0].one_in() - f64::from(slow[0].sources) * 1.2).abs() < 1e-9);
    }

    #[test]
    fn notes_give_what_has_no_column() {
        let find = |id: &str| measured_runs().iter().find(|run| run.id == id).expect("it is there");
        let emondek = find("emondek-001");
        assert_eq!((emondek.vm.as_str(), emondek.is_vm_assumed), ("DS14", true));
        assert_eq!(emondek.size, Some(Bytes::gib(160)));
        assert_eq!(emondek.era().name(), "2016");
        assert!(find("stian-003").is_sustained);
        assert!(find("cassandra-azure-001").is_slow_vm && !find("cassandra-azure-002").is_slow_vm);
        assert_eq!(find("cassandra-azure-002").equal_vms, Some(6));
        assert_eq!(find("vldb-001").condition(), find("vldb-012").condition());
        assert_eq!(find("aog-ds13-001").condition(), find("aog-ds13-003").condition());
        assert_ne!(find("aog-ds13-001").condition(), find("aog-ds13-005").condition());
    }

    #[test]
    fn a_row_that_can_not_be_read_is_refused_with_its_line() {
        for (column, cell, says) in [
            ("figure", "p95_us", "`figure` is `p95_us`"),
            ("value", "0", "`value` is `0`"),
            ("read", "140", "`read`"),
            ("depth", "0", "`depth`"),
            ("after_idle", "maybe", "`after_idle` is `maybe`"),
            ("regime", "bad", "`regime` is `bad`"),
            ("block", "4 apples", "`block`"),
        ] {
            let mut row = data::MEASURED.table().rows().next().expect("a row");
            let mut over = Row::new("measured.csv", 2);
            over.push(column.into(), cell.into());
            row.overlay(&over);
            let error = read_runs(std::iter::once(row)).expect_err(column).to_string();
            assert!(error.contains("measured.csv, line 2") && error.contains(says), "{column}: {error}");
        }
    }
}

//! Columns of the tables for other programs, each with its definition: a key of the document, or a sentence.

/// Definition of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnMeaning {
    /// The definition of this key of the document, such as `runs[].published.iops`.
    Key(String),
    /// A definition of its own, for what the document has no key for.
    Own(&'static str),
}

/// A column of a table of comma-separated values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvColumn {
    /// Name in the first line.
    pub name: String,
    /// Definition.
    pub meaning: ColumnMeaning,
}

/// A table of comma-separated values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvTable {
    /// Command that writes the table.
    pub command: &'static str,
    /// Verb whose document has the keys.
    pub verb: &'static str,
    /// Columns, in order.
    pub columns: Vec<CsvColumn>,
}

impl CsvTable {
    /// Names of the columns, in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }
}

/// A column that has the definition of a key.
fn of_key(name: impl Into<String>, key: impl Into<String>) -> CsvColumn {
    CsvColumn { name: name.into(), meaning: ColumnMeaning::Key(key.into()) }
}

/// A column with a definition of its own.
fn own(name: &str, meaning: &'static str) -> CsvColumn {
    CsvColumn { name: name.into(), meaning: ColumnMeaning::Own(meaning) }
}

/// Columns of `lab --csv`: their names, and their keys below `runs[]`.
const LAB: [(&str, &str); 30] = [
    ("name", "name"),
    ("from", "from"),
    ("changed", "changed"),
    ("configuration", "configuration"),
    ("workload", "workload"),
    ("published_iops", "published.iops"),
    ("published_throughput_bytes_per_s", "published.throughput_bytes_per_s"),
    ("published_low", "published.low"),
    ("published_high", "published.high"),
    ("ceiling_iops", "ceiling.iops"),
    ("expected_iops", "expected.iops"),
    ("low_iops", "band.low_iops"),
    ("high_iops", "band.high_iops"),
    ("simulated_iops", "simulated.iops"),
    ("simulated_throughput_bytes_per_s", "simulated.throughput_bytes_per_s"),
    ("second_min_iops", "simulated.per_second.min"),
    ("second_max_iops", "simulated.per_second.max"),
    ("real_time_iops", "real_time.iops"),
    ("rehearsed_iops", "rehearsed.iops"),
    ("targets", "targets"),
    ("measured_iops", "measured.iops"),
    ("measured_throughput_bytes_per_s", "measured.throughput_bytes_per_s"),
    ("measured_mean_us", "measured.latency_us.mean"),
    ("measured_p99_us", "measured.latency_us.p99"),
    ("measured_to_predicted", "measured_to_predicted"),
    ("binding", "binding"),
    ("verdict", "verdict"),
    ("price_month_usd", "price.month"),
    ("source", "published.source"),
    ("would_need", "would_need"),
];

/// Columns of `lab --trace --csv`: their names, and their keys below `runs[]`.
const LAB_REPLAY: [(&str, &str); 18] = [
    ("name", "name"),
    ("vm", "vm"),
    ("disks", "disks"),
    ("ios", "ios"),
    ("left_out", "left_out"),
    ("wrapped", "wrapped"),
    ("duration_s", "duration_s"),
    ("iops", "iops"),
    ("throughput_bytes_per_s", "throughput_bytes_per_s"),
    ("mean_us", "latency.mean_us"),
    ("p50_us", "latency.p50_us"),
    ("p90_us", "latency.p90_us"),
    ("p95_us", "latency.p95_us"),
    ("p99_us", "latency.p99_us"),
    ("p999_us", "latency.p999_us"),
    ("max_us", "latency.max_us"),
    ("slowdown", "slowdown"),
    ("hit_rate", "hit_rate"),
];

/// Keys of a direction of an interval, below `series[].read` and `series[].write`.
const DIRECTION: [&str; 8] =
    ["iops", "throughput_bytes_per_s", "errors", "mean_us", "min_us", "p50_us", "p99_us", "max_us"];

/// The table of `lab --csv`.
pub(crate) fn lab_table() -> CsvTable {
    let columns = LAB.iter().map(|(name, key)| of_key(*name, format!("runs[].{key}")));
    CsvTable { command: "lab --csv", verb: "lab", columns: columns.collect() }
}

/// The table of `lab --trace --csv`.
pub(crate) fn lab_replay_table() -> CsvTable {
    let of_keys = LAB_REPLAY.iter().map(|(name, key)| of_key(*name, format!("runs[].{key}")));
    let lists = [
        own(
            "map",
            "Devices of the trace and their volumes, as `DEVICE=VOLUME`, separated by `; `; `FILE:` precedes a device if `--map` names its file.",
        ),
        own(
            "credits",
            "Limits whose burst credits ran out, each with the first second at whose end they were spent, as `LIMIT=SECONDS`, separated by `; `.",
        ),
        own(
            "bound_by",
            "Limits that held I/Os back longest, each with the sum of its windows, as `LIMIT=SECONDS`, separated by `; `; the most first.",
        ),
    ];
    CsvTable { command: "lab --trace --csv", verb: "lab trace", columns: of_keys.chain(lists).collect() }
}

/// Columns of an interval after those that say which it is.
fn series() -> impl Iterator<Item = CsvColumn> {
    let whole = ["start_s", "end_s", "phase", "cut_short", "iops", "throughput_bytes_per_s"];
    let whole = whole.into_iter().map(|key| of_key(key, format!("series[].{key}")));
    let directions = ["read", "write"].into_iter().flat_map(|direction| {
        DIRECTION.map(|key| of_key(format!("{direction}_{key}"), format!("series[].{direction}.{key}")))
    });
    whole.chain(directions)
}

/// The table of `run --csv`.
pub(crate) fn series_table() -> CsvTable {
    let columns = std::iter::once(own("stage", "Number of the stage, from 1.")).chain(series());
    CsvTable { command: "run --csv", verb: "run", columns: columns.collect() }
}

/// The table of `results export --series`.
pub(crate) fn kept_series_table() -> CsvTable {
    let which =
        [of_key("id", "id"), own("interval", "Number of the interval in its run, from 0.")].into_iter();
    CsvTable { command: "results export --series", verb: "run", columns: which.chain(series()).collect() }
}

/// All tables whose columns are not the keys of a document themselves.
pub fn csv_tables() -> Vec<CsvTable> {
    vec![lab_table(), lab_replay_table(), series_table(), kept_series_table()]
}

//! One entry of the catalogue, as data for other programs to print.

use crate::clouds::names::Cloud;
use crate::era::Era;
use crate::source::Source;
use crate::table::Row;

/// An entry as data: every figure with its unit and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// `VM size`, `disk`, `disk type`, `machine`.
    pub kind: &'static str,
    /// Cloud that sells it.
    pub cloud: Cloud,
    /// Its name.
    pub name: String,
    /// The era of the figures.
    pub era: Era,
    /// Known facts about it.
    pub figures: Vec<Figure>,
    /// Further notes.
    pub notes: Vec<String>,
    /// Figures on which sources disagree.
    pub disagreements: Vec<Disagreement>,
}

/// One figure of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// The column: `uncached_iops`.
    pub name: String,
    /// The figure as recorded.
    pub value: String,
    /// Its unit; empty for names and flags.
    pub unit: String,
    /// Source of the figure.
    pub source: Source,
}

/// A figure that two sources give differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The column.
    pub field: String,
    /// Figures of this source.
    pub value: String,
    /// Figures in the catalogue.
    pub kept: String,
    /// Of which kind: different, or a matter of units.
    pub kind: String,
    /// Source of `value`.
    pub source: Source,
}

/// A row's cells as figures: each with its unit, and the source of its kind.
pub(crate) fn figures_of(row: &Row) -> Vec<Figure> {
    let all = row.text("source");
    let limits =
        Source::of(all.or(row.text("limits_source")).or(row.text("basics_source")).unwrap_or(&row.file));
    let basics = Source::of(all.or(row.text("basics_source")).unwrap_or(&row.file));
    let is_basic =
        |column: &str| !["iops", "mbps", "bytes_per_s", "cache"].iter().any(|part| column.contains(part));
    row.cells()
        .filter(|(column, _)| !column.ends_with("source") && !matches!(*column, "notes" | "era"))
        .map(|(column, value)| Figure {
            name: column.to_string(),
            value: value.to_string(),
            unit: unit_of(column, row),
            source: match column {
                "enforced_mbps" => row.text("enforced_source").map_or_else(|| limits.clone(), Source::of),
                column if column.starts_with("nvme_") && row.text("nvme_source").is_some() => {
                    Source::of(row.text("nvme_source").unwrap_or_default())
                }
                column if is_basic(column) => basics.clone(),
                _ => limits.clone(),
            },
        })
        .collect()
}

/// Units stand last in a column's name.
fn unit_of(column: &str, row: &Row) -> String {
    let unit = match column.rsplit('_').next().unwrap_or_default() {
        "iops" => "IOPS",
        "mbps" => "MB/s",
        "gib" | "exclusive" => "GiB",
        "gb" => "GB",
        "mib" => "MiB",
        "mbit" => "Mbit/s",
        "minutes" => "min",
        "s" if column.ends_with("bytes_per_s") => "B/s",
        "throughput" => row.text("throughput_unit").unwrap_or_default(),
        _ => "",
    };
    unit.to_string()
}

impl Disagreement {
    pub(crate) fn of(row: &Row) -> Disagreement {
        let cell = |column: &str| row.owned(column).unwrap_or_default();
        Disagreement {
            field: cell("field"),
            value: cell("value"),
            kept: cell("kept"),
            kind: cell("kind"),
            source: Source::of(&cell("source")),
        }
    }
}

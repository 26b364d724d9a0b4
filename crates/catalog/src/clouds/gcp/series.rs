//! The types of disk that each machine series takes.

use std::sync::OnceLock;

use super::machines::class_of;
use crate::clouds::names::DiskType;
use crate::table::{Csv, csv};

const TABLE: Csv = csv!("gcp_series_disks.csv");

struct SeriesDisks {
    series: String,
    /// Words of the types, with spaces between.
    disks: String,
    /// True if it takes Persistent Disk in two zones.
    is_regional: bool,
    /// Words of the types that its custom machine types do not take.
    not_custom: String,
}

fn of_machine(machine: &str) -> Option<&'static SeriesDisks> {
    static LISTS: OnceLock<Vec<SeriesDisks>> = OnceLock::new();
    let lists = LISTS.get_or_init(|| {
        let table = TABLE.table();
        let rows = table.rows().filter_map(|row| {
            Some(SeriesDisks {
                series: row.owned("series")?,
                disks: row.owned("disks")?,
                is_regional: row.flag("regional").ok()?.unwrap_or(false),
                not_custom: row.owned("not_custom").unwrap_or_default(),
            })
        });
        rows.collect()
    });
    let (series, _) = class_of(machine);
    lists.iter().find(|of| of.series == series)
}

/// True if a machine takes disks of a kind; `None`: the catalogue has no list of the series.
pub(super) fn takes(machine: &str, disk: DiskType) -> Option<bool> {
    let of = of_machine(machine)?;
    let has = |words: &str| words.split(' ').any(|word| word == disk.word());
    let is_custom = machine.to_ascii_lowercase().contains("custom-");
    Some(has(&of.disks) && !(is_custom && has(&of.not_custom)))
}

/// Words of the types of disk that a machine takes; none where the catalogue has no list of the series.
pub(super) fn types(machine: &str) -> Vec<&'static str> {
    let words = of_machine(machine).map_or("", |of| of.disks.as_str()).split(' ');
    words.filter(|word| !word.is_empty()).collect()
}

/// True if a machine takes Persistent Disk in two zones.
pub(super) fn takes_regional(machine: &str) -> bool {
    of_machine(machine).is_some_and(|of| of.is_regional)
}

/// Names of the series that take Persistent Disk in two zones.
pub(super) fn regional() -> Vec<String> {
    let rows: Vec<_> = TABLE.table().rows().collect();
    let is_regional = |row: &&crate::table::Row| matches!(row.flag("regional"), Ok(Some(true)));
    rows.iter().filter(is_regional).filter_map(|row| row.owned("series")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read_and_names_types() {
        for row in TABLE.table().rows() {
            let series = row.required("series").unwrap();
            assert!(row.flag("regional").is_ok(), "{series}");
            let words = row.required("disks").unwrap() + " " + row.text("not_custom").unwrap_or("pd-ssd");
            assert!(words.split(' ').all(|word| DiskType::from_word(word).is_some()), "{series}: {words}");
            assert!(of_machine(&format!("{series}-standard-8")).is_some(), "{series}");
        }
    }

    #[test]
    fn custom_machines_take_less_and_few_series_take_regional_disks() {
        assert_eq!(takes("n2-standard-80", DiskType::HyperdiskExtreme), Some(true));
        assert_eq!(takes("n2-custom-80-163840", DiskType::HyperdiskExtreme), Some(false));
        assert_eq!(takes("custom-4-16384", DiskType::PdSsd), Some(true));
        assert_eq!(takes("m1-ultramem-40", DiskType::PdSsd), None);
        assert!(takes_regional("E2-medium") && takes_regional("custom-4-16384"));
        assert!(!takes_regional("t2d-standard-1") && !takes_regional("m1-ultramem-40"));
        assert_eq!(regional(), ["e2", "n1", "n2", "n2d"]);
    }
}

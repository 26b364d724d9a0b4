//! Rows before an import: the shipped ones, overridden by earlier imports.

use std::collections::{BTreeMap, BTreeSet};

use super::entry::{ImportRow, ImportRows, Section, is_limit};
use crate::clouds::names::Cloud;
use crate::table::{Csv, Row};

/// The figures that held, by what tells them apart.
pub(crate) struct Before {
    rows: BTreeMap<(Section, String), Old>,
    /// Sizes whose limits go by disk interface: one list of figures can't say of which.
    by_interface: Vec<String>,
}

/// A row that held.
pub(crate) struct Old {
    shipped: Option<Row>,
    imported: Option<ImportRow>,
}

impl Old {
    pub(crate) fn text(&self, column: &str) -> Option<&str> {
        let imported = self.imported.as_ref().and_then(|entry| entry.text(column));
        imported.or_else(|| self.shipped.as_ref()?.text(column))
    }

    /// The key of the source of a figure.
    pub(crate) fn source(&self, column: &str) -> Option<String> {
        let names = if is_limit(column) {
            ["source", "limits_source", "basics_source"]
        } else {
            ["source", "basics_source", "limits_source"]
        };
        let imported = self.imported.as_ref().filter(|entry| entry.text(column).is_some());
        let of = |name: &&str| match (imported, &self.shipped) {
            (Some(entry), _) => entry.text(name).map(str::to_string),
            (None, Some(row)) => row.owned(name),
            (None, None) => None,
        };
        names.iter().find_map(of)
    }
}

impl Before {
    pub(crate) fn of(imported: &ImportRows) -> Before {
        let mut before = Before { rows: BTreeMap::new(), by_interface: Vec::new() };
        for cloud in Cloud::ALL {
            if let Some(shipped) = cloud.rules().tables.vms.map(Csv::table) {
                shipped.rows().for_each(|row| before.add(Section::Vm(cloud), row));
            }
        }
        for entry in imported.iter() {
            let old = before.rows.entry((entry.table, entry.key()));
            old.or_insert(Old { shipped: None, imported: None }).imported = Some(entry.clone());
        }
        before
    }

    /// Adds the shipped prices of the regions whose prices are imported. The others would be read for nothing.
    pub(crate) fn add_prices(&mut self, fresh: &ImportRows) {
        let priced = fresh.iter().filter(|entry| !matches!(entry.table, Section::Vm(_)));
        let regions: BTreeSet<String> = priced
            .flat_map(ImportRow::regions)
            .map(|region| format!("{},", region.to_ascii_lowercase()))
            .collect();
        if regions.is_empty() {
            return;
        }
        for cloud in Cloud::ALL {
            let tables = cloud.rules().tables;
            for (table, csv) in
                [(Section::VmPrice, tables.vm_prices), (Section::DiskPrice, tables.disk_prices)]
            {
                let Some(shipped) = csv.map(Csv::table) else { continue };
                let is_wanted = |line: &str| regions.iter().any(|region| line.starts_with(region.as_str()));
                shipped.rows_where(is_wanted).for_each(|row| self.add(table, row));
            }
        }
    }

    fn add(&mut self, table: Section, row: Row) {
        let key = entry_of(table, &row).key();
        if row.text("disk_interface").is_some() {
            self.by_interface.push(key.clone());
        }
        // Of the rows of a name the first is the one that the name alone means.
        self.rows
            .entry((table, key))
            .or_insert(Old { shipped: None, imported: None })
            .shipped
            .get_or_insert(row);
    }

    /// Previous figures of an entry.
    pub(crate) fn get(&self, entry: &ImportRow) -> Option<&Old> {
        self.rows.get(&(entry.table, entry.key()))
    }

    /// True if a size's limits go by disk interface.
    pub(crate) fn is_by_interface(&self, name: &str) -> bool {
        self.by_interface.contains(&name.to_ascii_lowercase())
    }

    /// All that a table had, by its name alone.
    pub(crate) fn names(&self, table: Section) -> impl Iterator<Item = ImportRow> {
        self.rows.iter().filter(move |((of, _), _)| *of == table).map(move |(_, old)| {
            match (&old.shipped, &old.imported) {
                (Some(row), _) => entry_of(table, row),
                (None, Some(entry)) => entry.clone(),
                (None, None) => ImportRow::new(table),
            }
        })
    }
}

/// A shipped row's key columns.
fn entry_of(table: Section, row: &Row) -> ImportRow {
    let mut entry = ImportRow::new(table);
    for column in table.keys() {
        entry.set_if(column, row.text(column));
    }
    entry
}

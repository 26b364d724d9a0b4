//! What there was before an import: the shipped rows, and what was imported earlier over them.

use std::collections::BTreeMap;

use super::entry::{Entries, Entry, Table};
use crate::catalog::{aws_vm_table, azure_vm_table};
use crate::data;
use crate::table::{Row, Table as Shipped};

/// The figures that held, by what tells them apart.
pub(super) struct Before {
    rows: BTreeMap<(Table, String), Old>,
    /// Sizes whose limits go by disk interface: one list of figures can't say of which.
    by_interface: Vec<String>,
}

/// A row that held.
pub(super) struct Old {
    shipped: Option<Row>,
    imported: Option<Entry>,
}

impl Old {
    pub(super) fn text(&self, column: &str) -> Option<&str> {
        let imported = self.imported.as_ref().and_then(|entry| entry.text(column));
        imported.or_else(|| self.shipped.as_ref()?.text(column))
    }

    /// The key of the source of a figure.
    pub(super) fn source(&self, column: &str) -> Option<String> {
        let names = if super::azure_sizes::is_limit(column) {
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
    pub(super) fn of(imported: &Entries) -> Before {
        let mut before = Before { rows: BTreeMap::new(), by_interface: Vec::new() };
        for (table, shipped) in [
            (Table::AzureVm, azure_vm_table()),
            (Table::AwsVm, aws_vm_table()),
            (Table::VmPrice, Shipped::of("azure_vm_prices.csv", data::AZURE_VM_PRICES)),
            (Table::DiskPrice, Shipped::of("azure_disk_prices.csv", data::AZURE_DISK_PRICES)),
        ] {
            for row in shipped.rows() {
                before.add(table, row);
            }
        }
        for entry in imported.iter() {
            let old = before.rows.entry((entry.table, entry.key()));
            old.or_insert(Old { shipped: None, imported: None }).imported = Some(entry.clone());
        }
        before
    }

    fn add(&mut self, table: Table, row: Row) {
        let key = entry_of(table, &row).key();
        if row.text("disk_interface").is_some() {
            self.by_interface.push(key.clone());
        }
        // Of the rows of a name the first is the one that the name alone means.
        self.rows.entry((table, key)).or_insert(Old { shipped: Some(row), imported: None });
    }

    /// What there was of an entry.
    pub(super) fn get(&self, entry: &Entry) -> Option<&Old> {
        self.rows.get(&(entry.table, entry.key()))
    }

    /// Whether a size's limits go by disk interface.
    pub(super) fn is_by_interface(&self, name: &str) -> bool {
        self.by_interface.contains(&name.to_ascii_lowercase())
    }

    /// All that a table had, by its name alone.
    pub(super) fn names(&self, table: Table) -> impl Iterator<Item = Entry> {
        self.rows.iter().filter(move |((of, _), _)| *of == table).map(move |(_, old)| {
            match (&old.shipped, &old.imported) {
                (Some(row), _) => entry_of(table, row),
                (None, Some(entry)) => entry.clone(),
                (None, None) => Entry::new(table),
            }
        })
    }
}

/// A shipped row's key columns.
fn entry_of(table: Table, row: &Row) -> Entry {
    let mut entry = Entry::new(table);
    for column in ["name", "instance_type", "region", "os", "disk_type", "tier", "redundancy", "meter"] {
        entry.set_if(column, row.text(column));
    }
    entry
}

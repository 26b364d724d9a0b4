//! Rows of a catalogue file as they are written: cells by column, in the tables' own words.

use std::collections::BTreeMap;

use crate::catalog::{aws_vm_table, azure_vm_table};
use crate::data;
use crate::table::{Table as Shipped, decimal};

/// Which table a row is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Table {
    AzureVm,
    AwsVm,
    VmPrice,
    DiskPrice,
}

impl Table {
    /// The table of a row with these columns.
    pub(super) fn of(columns: &[&str]) -> Option<Table> {
        let has = |column: &str| columns.contains(&column);
        Some(if has("instance_type") {
            Table::AwsVm
        } else if has("usd_per_hour") {
            Table::VmPrice
        } else if has("usd") {
            Table::DiskPrice
        } else if has("name") {
            Table::AzureVm
        } else {
            return None;
        })
    }

    /// The list of TOML that has it.
    pub(super) fn list(self) -> &'static str {
        match self {
            Table::AzureVm | Table::AwsVm => "vm",
            Table::VmPrice | Table::DiskPrice => "price",
        }
    }

    /// Where a column stands in the shipped table; behind all of them where it has none.
    pub(super) fn place(self, column: &str) -> usize {
        let table = match self {
            Table::AzureVm => azure_vm_table(),
            Table::AwsVm => aws_vm_table(),
            Table::VmPrice => Shipped::of("azure_vm_prices.csv", data::AZURE_VM_PRICES),
            Table::DiskPrice => Shipped::of("azure_disk_prices.csv", data::AZURE_DISK_PRICES),
        };
        table.columns().iter().position(|have| *have == column).unwrap_or(usize::MAX)
    }

    /// The columns that tell one row from another.
    fn keys(self) -> &'static [&'static str] {
        match self {
            Table::AzureVm => &["name"],
            Table::AwsVm => &["instance_type"],
            Table::VmPrice => &["region", "name", "os"],
            Table::DiskPrice => &["region", "disk_type", "tier", "redundancy", "meter"],
        }
    }
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) table: Table,
    cells: Vec<(String, String)>,
}

impl Entry {
    pub(super) fn new(table: Table) -> Entry {
        Entry { table, cells: Vec::new() }
    }

    /// Sets a cell; nothing is no cell, and neither is the tables' own word for what is not stated.
    pub(super) fn set(&mut self, column: &str, cell: impl Into<String>) {
        let cell = cell.into();
        self.cells.retain(|(have, _)| have != column);
        if !cell.is_empty() && cell != "-" {
            self.cells.push((column.to_string(), cell));
        }
    }

    pub(super) fn set_if(&mut self, column: &str, cell: Option<impl ToString>) {
        if let Some(cell) = cell {
            self.set(column, cell.to_string());
        }
    }

    pub(super) fn text(&self, column: &str) -> Option<&str> {
        self.cells.iter().find(|(have, _)| have == column).map(|(_, cell)| cell.as_str())
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = (&str, &str)> {
        self.cells.iter().map(|(column, cell)| (column.as_str(), cell.as_str()))
    }

    pub(super) fn is_key(&self, column: &str) -> bool {
        self.table.keys().contains(&column)
    }

    /// What tells it from others, whatever the case.
    pub(super) fn key(&self) -> String {
        let cell = |column: &&str| self.text(column).unwrap_or_default().to_ascii_lowercase();
        self.table.keys().iter().map(cell).collect::<Vec<String>>().join("\u{1f}")
    }

    /// Whether it names what it is of.
    pub(super) fn is_named(&self) -> bool {
        let needed: &[&str] = match self.table {
            Table::AzureVm => &["name"],
            Table::AwsVm => &["instance_type"],
            Table::VmPrice => &["region", "name", "os"],
            Table::DiskPrice => &["region", "disk_type", "meter"],
        };
        needed.iter().all(|column| self.text(column).is_some())
    }

    /// What it is called on a page, with its region where it is of one.
    pub(super) fn title(&self) -> String {
        let cell = |column: &str| self.text(column).unwrap_or_default();
        match self.table {
            Table::AzureVm => cell("name").to_string(),
            Table::AwsVm => cell("instance_type").to_string(),
            Table::VmPrice => format!("{} ({}) in {}", cell("name"), cell("os"), cell("region")),
            Table::DiskPrice => {
                let of = self.text("tier").unwrap_or(cell("disk_type"));
                let words = [of, cell("redundancy"), cell("meter")];
                let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
                format!("{} in {}", words.join(" "), cell("region"))
            }
        }
    }

    /// Where it is listed.
    pub(super) fn regions(&self) -> Vec<String> {
        match self.table {
            Table::AzureVm | Table::AwsVm => {
                self.text("listed_in").unwrap_or_default().split_whitespace().map(str::to_string).collect()
            }
            Table::VmPrice | Table::DiskPrice => {
                self.text("region").map(str::to_string).into_iter().collect()
            }
        }
    }

    pub(super) fn is_in(&self, region: &str) -> bool {
        self.regions().iter().any(|of| of == region)
    }

    /// Adds what is said of a region (`restricted_in`, `zones_in`), in place of what was.
    pub(super) fn say_of(&mut self, column: &str, region: &str, what: Option<&str>) {
        let mut said = by_region(self.text(column).unwrap_or_default());
        said.retain(|(of, _)| of != region);
        said.extend(what.map(|what| (region.to_string(), what.to_string())));
        said.sort();
        let words: Vec<String> = said.into_iter().map(|(region, what)| format!("{region}={what}")).collect();
        self.set(column, words.join(" "));
    }

    /// Adds a region to those where it is listed.
    pub(super) fn list_in(&mut self, region: &str) {
        let mut regions = self.regions();
        regions.push(region.to_string());
        regions.sort();
        regions.dedup();
        self.set("listed_in", regions.join(" "));
    }
}

/// `eastus=1/3 westus=2` as pairs.
pub(crate) fn by_region(text: &str) -> Vec<(String, String)> {
    let pair = |word: &str| word.split_once('=').map(|(region, what)| (region.to_string(), what.to_string()));
    text.split_whitespace().filter_map(pair).collect()
}

/// Whether two cells say the same: `200` and `200.0` do.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    match (decimal(one, 9), decimal(other, 9)) {
        (Some(one), Some(other)) => one == other,
        _ => one.eq_ignore_ascii_case(other),
    }
}

/// Rows by what tells them apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entries(BTreeMap<(Table, String), Entry>);

impl Entries {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.0.values()
    }

    pub(super) fn into_iter(self) -> impl Iterator<Item = Entry> {
        self.0.into_values()
    }

    pub(super) fn get(&self, table: Table, key: &str) -> Option<&Entry> {
        self.0.get(&(table, key.to_string()))
    }

    pub(super) fn get_mut(&mut self, entry: &Entry) -> Option<&mut Entry> {
        self.0.get_mut(&(entry.table, entry.key()))
    }

    /// Puts a row in the place of one that is told apart by nothing: what was said of regions that it is silent on is kept.
    pub(super) fn put(&mut self, entry: Entry) {
        let place = (entry.table, entry.key());
        let Some(old) = self.0.get(&place) else {
            self.0.insert(place, entry);
            return;
        };
        let mut new = entry;
        let listed = new.regions();
        if matches!(new.table, Table::AzureVm | Table::AwsVm) {
            for region in old.regions() {
                new.list_in(&region);
            }
            for column in ["restricted_in", "zones_in"] {
                let said = by_region(new.text(column).unwrap_or_default());
                for (region, what) in by_region(old.text(column).unwrap_or_default()) {
                    if !listed.contains(&region) && !said.iter().any(|(of, _)| *of == region) {
                        new.say_of(column, &region, Some(&what));
                    }
                }
            }
            // Of what is not listed any more only the absence is new.
            let kept: Vec<(String, String)> = old
                .cells()
                .filter(|(column, _)| new.text(column).is_none() && !column.ends_with("_in"))
                .map(|(column, cell)| (column.to_string(), cell.to_string()))
                .collect();
            kept.into_iter().for_each(|(column, cell)| new.set(&column, cell));
        }
        self.0.insert(place, new);
    }

    /// Says of a row, which may not be there, that it can't be had in a region.
    pub(super) fn restrict(&mut self, of: &Entry, region: &str, reason: &str) {
        let place = (of.table, of.key());
        let entry = self.0.entry(place).or_insert_with(|| {
            let mut entry = Entry::new(of.table);
            for column in of.table.keys() {
                entry.set_if(column, of.text(column));
            }
            entry
        });
        entry.say_of("restricted_in", region, Some(reason));
    }
}

//! Rows of a catalogue file as they are written: cells by column, in the tables' own words.

use std::collections::BTreeMap;

use crate::clouds::names::Cloud;
use crate::price_row::{DISK_COLUMNS, VM_COLUMNS};
use crate::table::{Csv, by_region, decimal};

/// The table a row that is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Section {
    Vm(Cloud),
    VmPrice,
    DiskPrice,
}

impl Section {
    /// The table of a row with these columns.
    pub(crate) fn of(columns: &[&str]) -> Option<Section> {
        let has = |column: &str| columns.contains(&column);
        Some(if has("usd_per_hour") {
            Section::VmPrice
        } else if has("usd") {
            Section::DiskPrice
        } else {
            Section::Vm(Cloud::modelled().find(|cloud| has(cloud.rules().vm_columns.name))?)
        })
    }

    /// The list of TOML that has it.
    pub(crate) fn list(self) -> &'static str {
        match self {
            Section::Vm(_) => "vm",
            Section::VmPrice | Section::DiskPrice => "price",
        }
    }

    /// Position of a column in the shipped table; after the last one if it is not there.
    pub(crate) fn place(self, column: &str) -> usize {
        let place = |columns: &[&str]| columns.iter().position(|have| *have == column);
        let place = match self {
            Section::Vm(cloud) => cloud.rules().tables.vms.map(Csv::table).and_then(|of| place(of.columns())),
            Section::VmPrice => place(&VM_COLUMNS),
            Section::DiskPrice => place(&DISK_COLUMNS),
        };
        place.unwrap_or(usize::MAX)
    }

    /// The columns that tell one row from another.
    pub(crate) fn keys(self) -> &'static [&'static str] {
        match self {
            Section::Vm(cloud) => std::slice::from_ref(&cloud.rules().vm_columns.name),
            Section::VmPrice => &["region", "name", "os"],
            Section::DiskPrice => &["region", "disk_type", "tier", "redundancy", "meter"],
        }
    }
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ImportRow {
    pub(crate) table: Section,
    cells: Vec<(String, String)>,
}

impl ImportRow {
    pub(crate) fn new(table: Section) -> ImportRow {
        ImportRow { table, cells: Vec::new() }
    }

    /// Sets a cell; nothing is no cell, and neither is the tables' own word for what is not stated.
    pub(crate) fn set(&mut self, column: &str, cell: impl Into<String>) {
        let cell = cell.into();
        self.cells.retain(|(have, _)| have != column);
        if !cell.is_empty() && cell != "-" {
            self.cells.push((column.to_string(), cell));
        }
    }

    pub(crate) fn set_if(&mut self, column: &str, cell: Option<impl ToString>) {
        if let Some(cell) = cell {
            self.set(column, cell.to_string());
        }
    }

    pub(crate) fn text(&self, column: &str) -> Option<&str> {
        self.cells.iter().find(|(have, _)| have == column).map(|(_, cell)| cell.as_str())
    }

    pub(crate) fn cells(&self) -> impl Iterator<Item = (&str, &str)> {
        self.cells.iter().map(|(column, cell)| (column.as_str(), cell.as_str()))
    }

    pub(crate) fn is_key(&self, column: &str) -> bool {
        self.table.keys().contains(&column)
    }

    /// Key that identifies it, ignoring case.
    pub(crate) fn key(&self) -> String {
        let cell = |column: &&str| self.text(column).unwrap_or_default().to_ascii_lowercase();
        self.table.keys().iter().map(cell).collect::<Vec<String>>().join("\u{1f}")
    }

    /// True if it names what it is of.
    pub(crate) fn is_named(&self) -> bool {
        let may_lack =
            |column: &str| self.table == Section::DiskPrice && matches!(column, "tier" | "redundancy");
        self.table.keys().iter().all(|column| may_lack(column) || self.text(column).is_some())
    }

    /// Name of it on a page, with its region where it is of one.
    pub(crate) fn title(&self) -> String {
        let cell = |column: &str| self.text(column).unwrap_or_default();
        match self.table {
            Section::Vm(cloud) => cell(cloud.rules().vm_columns.name).to_string(),
            Section::VmPrice => format!("{} ({}) in {}", cell("name"), cell("os"), cell("region")),
            Section::DiskPrice => {
                let of = self.text("tier").unwrap_or(cell("disk_type"));
                let words = [of, cell("redundancy"), cell("meter")];
                let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
                format!("{} in {}", words.join(" "), cell("region"))
            }
        }
    }

    /// Regions that list it.
    pub(crate) fn regions(&self) -> Vec<String> {
        match self.table {
            Section::Vm(_) => {
                self.text("listed_in").unwrap_or_default().split_whitespace().map(str::to_string).collect()
            }
            Section::VmPrice | Section::DiskPrice => {
                self.text("region").map(str::to_string).into_iter().collect()
            }
        }
    }

    pub(crate) fn is_in(&self, region: &str) -> bool {
        self.regions().iter().any(|of| of == region)
    }

    /// Adds what is said of a region (`restricted_in`, `zones_in`), in place of what was.
    pub(crate) fn say_of(&mut self, column: &str, region: &str, what: Option<&str>) {
        let mut said = by_region(self.text(column).unwrap_or_default());
        said.retain(|(of, _)| of != region);
        said.extend(what.map(|what| (region.to_string(), what.to_string())));
        said.sort();
        let words: Vec<String> = said.into_iter().map(|(region, what)| format!("{region}={what}")).collect();
        self.set(column, words.join(" "));
    }

    /// Adds a region to those where it is listed.
    pub(crate) fn list_in(&mut self, region: &str) {
        let mut regions = self.regions();
        regions.push(region.to_string());
        regions.sort();
        regions.dedup();
        self.set("listed_in", regions.join(" "));
    }
}

/// True if a column has a limit: the source of these is `limits_source`.
pub(crate) fn is_limit(column: &str) -> bool {
    ["iops", "mbps", "bytes_per_s", "cache"].iter().any(|part| column.contains(part))
}

/// True if a column has a figure: not where it is listed, nor who says so.
pub(crate) fn is_figure(column: &str) -> bool {
    !column.ends_with("source") && !column.ends_with("_in")
}

/// True if two cells say the same: `200` and `200.0` do.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    match (decimal(one, 9), decimal(other, 9)) {
        (Some(one), Some(other)) => one == other,
        _ => one.eq_ignore_ascii_case(other),
    }
}

/// Rows by what tells them apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ImportRows(BTreeMap<(Section, String), ImportRow>);

impl ImportRows {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &ImportRow> {
        self.0.values()
    }

    pub(crate) fn into_iter(self) -> impl Iterator<Item = ImportRow> {
        self.0.into_values()
    }

    pub(crate) fn get(&self, table: Section, key: &str) -> Option<&ImportRow> {
        self.0.get(&(table, key.to_string()))
    }

    pub(crate) fn get_mut(&mut self, entry: &ImportRow) -> Option<&mut ImportRow> {
        self.0.get_mut(&(entry.table, entry.key()))
    }

    /// Puts a row in the place of one that is told apart by nothing: what was said of regions that it is silent on is kept.
    pub(crate) fn put(&mut self, entry: ImportRow) {
        let place = (entry.table, entry.key());
        let Some(old) = self.0.get(&place) else {
            self.0.insert(place, entry);
            return;
        };
        let mut new = entry;
        let listed = new.regions();
        if matches!(new.table, Section::Vm(_)) {
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
    pub(crate) fn restrict(&mut self, of: &ImportRow, region: &str, reason: &str) {
        let place = (of.table, of.key());
        let entry = self.0.entry(place).or_insert_with(|| {
            let mut entry = ImportRow::new(of.table);
            for column in of.table.keys() {
                entry.set_if(column, of.text(column));
            }
            entry
        });
        entry.say_of("restricted_in", region, Some(reason));
    }
}

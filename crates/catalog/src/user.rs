//! The user's own catalogue file: the columns of the shipped tables, as TOML or as CSV. Its rows win.

use crate::catalog::Catalog;
use crate::clouds::names::Cloud;
use crate::data;
use crate::disk::DiskTier;
use crate::error::CatalogError;
use crate::nearest::nearest;
use crate::price_row::{DISK_COLUMNS, VM_COLUMNS, disk_price_from_row, vm_price_from_row};
use crate::rules::Rule;
use crate::table::{Csv, Row, split_owned};

/// Kind of thing that a row of the user's file describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Vm(Cloud),
    Tier,
    Rule,
    VmPrice,
    DiskPrice,
}

impl Kind {
    /// The kind of a row with these columns.
    fn of(columns: &[&str]) -> Option<Kind> {
        let has = |column: &str| columns.contains(&column);
        Some(if has("parameter") {
            Kind::Rule
        } else if has("usd_per_hour") {
            Kind::VmPrice
        } else if has("usd") {
            Kind::DiskPrice
        } else if has("tier") {
            Kind::Tier
        } else {
            Kind::Vm(Cloud::modelled().find(|cloud| has(cloud.rules().vm_columns.name))?)
        })
    }

    fn columns(self) -> Vec<&'static str> {
        let of = |csv: Option<Csv>| csv.map(|csv| csv.table().columns().to_vec()).unwrap_or_default();
        let mut columns = match self {
            Kind::Vm(cloud) => of(cloud.rules().tables.vms),
            Kind::Tier => of(Cloud::ALL.into_iter().find_map(|cloud| cloud.rules().tables.tiers)),
            Kind::Rule => of(Some(data::RULES)),
            Kind::VmPrice => VM_COLUMNS.to_vec(),
            Kind::DiskPrice => DISK_COLUMNS.to_vec(),
        };
        columns.push("notes");
        if let Kind::Vm(cloud) = self {
            columns.extend(cloud.rules().vm_columns.imported);
        }
        columns
    }
}

impl Catalog {
    /// This catalogue with the rows of the user's own file over it. `file` is its name, for messages and as the
    /// source of figures that name none.
    ///
    /// TOML has `[[vm]]`, `[[disk]]`, `[[rule]]` and `[[price]]`; a CSV file has one table, known by its header.
    /// The columns are those of the shipped tables; of a VM size that the catalogue has, only the new figures
    /// need to be given.
    pub fn with_user(mut self, file: &str, text: &str) -> Result<Catalog, CatalogError> {
        let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
        let Some(first) = first else {
            return Err(fail(file, 0, "the file is empty: add a [[vm]], [[disk]], [[rule]] or [[price]]"));
        };
        if first.starts_with('[') || first.contains('=') {
            self.add_toml(file, text)?;
        } else {
            self.add_csv(file, text)?;
        }
        Ok(self)
    }

    fn add_toml(&mut self, file: &str, text: &str) -> Result<(), CatalogError> {
        let document: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            let offset = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = text.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count() + 1;
            CatalogError::File { file: file.to_string(), line, why: error.message().to_string() }
        })?;
        for (key, value) in &document {
            if !matches!(key.as_str(), "vm" | "disk" | "rule" | "price") {
                return Err(fail(
                    file,
                    0,
                    format!("`{key}`: [[vm]], [[disk]], [[rule]] or [[price]] was expected"),
                ));
            }
            let Some(entries) = value.as_array() else {
                return Err(fail(file, 0, format!("`{key}` is a list of tables: write [[{key}]]")));
            };
            for entry in entries {
                let Some(entry) = entry.as_table() else {
                    return Err(fail(file, 0, format!("`{key}` is a list of tables: write [[{key}]]")));
                };
                let mut row = Row::new(file, 0);
                for (column, value) in entry {
                    let cell = match value {
                        toml::Value::String(text) => text.clone(),
                        toml::Value::Integer(number) => number.to_string(),
                        toml::Value::Float(number) => number.to_string(),
                        toml::Value::Boolean(flag) => flag.to_string(),
                        other => {
                            return Err(fail(
                                file,
                                0,
                                format!(
                                    "`{key}.{column}` is {}: a number or a text was expected",
                                    other.type_str()
                                ),
                            ));
                        }
                    };
                    row.push(column.clone(), cell);
                }
                self.add(row)?;
            }
        }
        Ok(())
    }

    fn add_csv(&mut self, file: &str, text: &str) -> Result<(), CatalogError> {
        let mut header: Option<Vec<String>> = None;
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let Some(cells) = split_owned(line) else {
                return Err(fail(
                    file,
                    index + 1,
                    "a quotation mark stays open, or text follows a closing one",
                ));
            };
            let Some(columns) = &header else {
                header = Some(cells.into_iter().map(|cell| cell.trim().to_string()).collect());
                continue;
            };
            if cells.len() != columns.len() {
                return Err(fail(
                    file,
                    index + 1,
                    format!("{} cells, but {} columns", cells.len(), columns.len()),
                ));
            }
            let mut row = Row::new(file, index + 1);
            for (column, cell) in columns.iter().zip(cells) {
                row.push(column.clone(), cell.trim().to_string());
            }
            self.add(row)?;
        }
        Ok(())
    }

    /// Takes a row if it can be read; a misspelt column would silently be no figure, so it is refused.
    fn add(&mut self, row: Row) -> Result<(), CatalogError> {
        let columns: Vec<&str> = row.cells().map(|(column, _)| column).collect();
        let Some(kind) = Kind::of(&columns) else {
            return Err(row.error(
                "cannot tell what the table describes: a VM size has `name` (or `instance_type`), a disk `tier`, a rule `parameter`, a price `usd_per_hour` or `usd`",
            ));
        };
        let known = kind.columns();
        if let Some(unknown) = columns.iter().find(|column| !known.contains(column)) {
            let like = nearest(unknown, known.iter().copied(), 3);
            let help = if like.is_empty() { known.join(", ") } else { like.join(", ") };
            return Err(row.error(format!("unknown column `{unknown}`: {help}")));
        }
        match kind {
            Kind::Vm(cloud) => {
                (cloud.rules().vm_of_row)(&row)?;
                let wanted = cloud.rules().vm_columns.sources.iter();
                let has = |prefix: &str| columns.iter().any(|column| column.starts_with(prefix));
                let sources: Vec<&str> =
                    wanted.filter(|(prefix, _)| has(prefix)).map(|(_, source)| *source).collect();
                let row = row.with_source(&sources);
                self.vms.entry(cloud).or_default().push(row);
            }
            Kind::Tier => {
                DiskTier::from_row(&row)?;
                self.tiers.push(row);
            }
            Kind::Rule => self.rules.own.push(Rule::of_user(&row)?),
            Kind::VmPrice => {
                vm_price_from_row(&row)?;
                self.vm_prices.push(row.with_source(&["source"]));
            }
            Kind::DiskPrice => {
                disk_price_from_row(&row)?;
                self.disk_prices.push(row.with_source(&["source"]));
            }
        }
        Ok(())
    }
}

fn fail(file: &str, line: usize, why: impl Into<String>) -> CatalogError {
    CatalogError::File { file: file.to_string(), line, why: why.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::era::Era;
    use proptest::prelude::*;

    #[test]
    fn a_figure_of_the_users_own_fills_a_gap_and_says_so() {
        let text = "[[vm]]\nname = \"Standard_DC48s_v3\"\nuncached_iops = 100000\nuncached_mbps = 3000.5\n";
        let before = Catalog::shipped().vm("DC48s_v3", Era::current()).unwrap().entry;
        assert_eq!(before.uncached.ios, None);
        let catalog = Catalog::shipped().with_user("mine.toml", text).unwrap();
        let found = catalog.vm("DC48s_v3", Era::current()).unwrap();
        assert_eq!(
            (found.entry.uncached.ios, found.entry.uncached.bytes),
            (Some(100_000), Some(3_000_500_000))
        );
        assert_eq!(found.entry.vcpus, before.vcpus);
        assert_eq!(found.entry.limits_source.as_deref(), Some("mine.toml"));
        assert!(
            found.notes[0].contains("uncached_iops") && found.notes[0].contains("mine.toml"),
            "{:?}",
            found.notes
        );
    }

    #[test]
    fn a_csv_file_is_known_by_its_header() {
        let text =
            "tier,disk_type,min_size_gib_exclusive,max_size_gib,iops,mbps\nP30,premium,512,1024,6000,250\n";
        let catalog = Catalog::shipped().with_user("disks.csv", text).unwrap();
        let found = catalog.tier("p30", Default::default(), Era::current()).unwrap();
        assert_eq!((found.entry.ios, found.entry.bytes), (Some(6_000), Some(250_000_000)));
        assert!(found.notes.iter().any(|note| note.contains("your catalogue file")));
    }

    #[test]
    fn a_slip_is_named_with_its_line() {
        for (file, text, part) in [
            ("a.csv", "name,uncached_ipos\nX,1\n", "uncached_iops"),
            ("a.csv", "name,uncached_iops\nX,many\n", "line 2"),
            ("a.csv", "name,uncached_iops\nX\n", "1 cells, but 2"),
            ("a.csv", "colour\nred\n", "cannot tell"),
            ("a.toml", "[[vm]]\nname = ", "line 2"),
            ("a.toml", "[[machine]]\nname = 'x'", "[[vm]]"),
            ("a.toml", "vm = 1", "[[vm]]"),
            ("a.toml", "[[vm]]\nname = [1]", "number or a text"),
            ("a.toml", "[[price]]\nregion='eastus'\nname='X'\nos='beos'\nusd_per_hour='1'", "linux"),
        ] {
            let message = Catalog::shipped().with_user(file, text).unwrap_err().to_string();
            assert!(message.contains(part) && message.starts_with(file), "{text}: {message}");
        }
    }

    proptest! {
        #[test]
        fn no_file_makes_it_panic(text in "(\\PC|\n){0,120}") {
            let _ = Catalog::shipped().with_user("f", &text);
        }
    }
}

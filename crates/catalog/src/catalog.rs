use std::collections::{BTreeMap, BTreeSet};

use crate::bounds::Bounds;
use crate::clouds::cloud_rules::ChosenLocal;
use crate::clouds::disk_kind::Sold;
use crate::clouds::names::{Cloud, DiskType, Redundancy};
use crate::disk::DiskTier;
use crate::era::Era;
use crate::error::CatalogError;
use crate::nearest::nearest;
use crate::probed::ProbedDisk;
use crate::rules::{Rule, Rules};
use crate::table::{Csv, Row};
use crate::vm::{KindLimits, OrderedLocal, VmSize};

/// The offers: the shipped figures, and the user's own over them.
///
/// Nothing is parsed until it is asked for: one VM size is one line of its table.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// The user's own VM sizes.
    pub(crate) vms: BTreeMap<Cloud, Vec<Row>>,
    pub(crate) tiers: Vec<Row>,
    pub(crate) vm_prices: Vec<Row>,
    pub(crate) disk_prices: Vec<Row>,
    pub(crate) rules: Rules,
    /// Disks whose limits were measured.
    pub(crate) probed: Vec<ProbedDisk>,
}

/// The tiers that ship with the program.
pub(crate) fn shipped_tiers() -> Vec<Row> {
    let tables = Cloud::ALL.into_iter().filter_map(|cloud| cloud.rules().tables.tiers);
    tables.flat_map(|csv| csv.table().rows().collect::<Vec<Row>>()).collect()
}

/// The findings, and what is to be said about where its figures come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<T> {
    /// The findings.
    pub entry: T,
    /// Notes for the user: a fallback, an own figure.
    pub notes: Vec<String>,
}

/// The row of a size with the bandwidth weighting that is asked for instead of a disk interface.
fn weighted(mut row: Row, name: &str, wanted: &str) -> Result<Row, CatalogError> {
    let offered: Vec<String> = row
        .text("bandwidth_weightings")
        .into_iter()
        .flat_map(|all| all.split('/'))
        .map(str::to_string)
        .collect();
    if offered.is_empty() {
        return Err(CatalogError::refused(
            format!("--vm {name}:{wanted}"),
            "the size has the same limits for every disk interface, and no bandwidth weighting",
            format!("write --vm {name}"),
        ));
    }
    let chosen = offered.iter().find(|of| of.eq_ignore_ascii_case(wanted));
    let Some(chosen) = chosen.cloned() else {
        return Err(CatalogError::Unknown {
            what: "bandwidth weighting",
            name: wanted.to_string(),
            nearest: offered,
        });
    };
    row.push("bandwidth_weighting".into(), chosen);
    Ok(row)
}

impl Catalog {
    /// The figures that ship with the program.
    pub fn shipped() -> Catalog {
        Catalog::default()
    }

    /// The VM size of that name in an era, whatever the case and with or without `Standard_`; `NAME:NVMe` chooses
    /// the disk interface where a size has two, `NAME:ebs-1` a bandwidth weighting. An era without a row of its own takes the nearest later one's.
    pub fn vm(&self, name: &str, era: Era) -> Result<Found<VmSize>, CatalogError> {
        let (wanted, interface) = match name.trim().split_once(':') {
            Some((name, interface)) => (name.trim(), Some(interface.trim())),
            None => (name.trim(), None),
        };
        let wanted = wanted.replace(' ', "_");
        for cloud in Cloud::ALL {
            for candidate in (cloud.rules().full_names)(&wanted) {
                if let Some(rows) = self.vm_rows(cloud, &candidate, interface, era)? {
                    let entry = (cloud.rules().vm_of_row)(&merged(&rows.entry))?;
                    return Ok(Found { entry, notes: rows.notes });
                }
            }
        }
        let listed = Cloud::ALL.into_iter().filter_map(|cloud| cloud.rules().not_modelled);
        if let Some(listed) = listed.into_iter().find(|listed| (listed.machine)(&wanted).is_some()) {
            return Err(CatalogError::refused(
                format!("--vm {wanted}"),
                listed.machines,
                format!(
                    "choose an Azure size or an AWS instance; `iobound catalog show {wanted}` shows its published limits"
                ),
            ));
        }
        Err(CatalogError::Unknown {
            what: "VM size",
            name: name.to_string(),
            nearest: self.vm_names_like(&wanted),
        })
    }

    /// The user's own VM sizes of a cloud.
    pub(crate) fn own_vms(&self, cloud: Cloud) -> &[Row] {
        self.vms.get(&cloud).map_or(&[], Vec::as_slice)
    }

    /// The rows of a size, each to be laid over the one before: the newest record, the era's, the user's own.
    pub(crate) fn vm_rows(
        &self,
        cloud: Cloud,
        name: &str,
        interface: Option<&str>,
        era: Era,
    ) -> Result<Option<Found<Vec<Row>>>, CatalogError> {
        let tables = cloud.rules().tables;
        let mut rows = tables.vms.map(|csv| csv.table().rows_named(name)).unwrap_or_default();
        let own: Vec<&Row> = named(self.own_vms(cloud), cloud.rules().vm_columns.name, name).collect();
        if rows.is_empty() {
            match (cloud.rules().made_row)(name) {
                Ok(made) => rows.extend(made),
                // The user knows one that the tables do not.
                Err(_) if !own.is_empty() => {}
                Err(refused) => return Err(refused),
            }
        }
        if rows.is_empty() {
            let Some(first) = own.first() else { return Ok(None) };
            rows.push(Row::clone(first));
        }
        let mut notes = Vec::new();
        let row = match interface {
            None => {
                if rows.len() > 1 {
                    let names: Vec<&str> = rows.iter().filter_map(|r| r.text("disk_interface")).collect();
                    notes.push(format!(
                        "{name} has different limits for each disk interface ({}): those of {} are used; --vm {name}:{} selects the other",
                        names.join(", "),
                        names.first().unwrap_or(&""),
                        names.last().unwrap_or(&""),
                    ));
                }
                rows.swap_remove(0)
            }
            Some(wanted) => {
                let names: Vec<String> = rows.iter().filter_map(|r| r.owned("disk_interface")).collect();
                let position = rows
                    .iter()
                    .position(|r| r.text("disk_interface").is_some_and(|i| i.eq_ignore_ascii_case(wanted)));
                match position {
                    Some(index) => rows.swap_remove(index),
                    None if names.is_empty() => weighted(rows.swap_remove(0), name, wanted)?,
                    None => {
                        return Err(CatalogError::Unknown {
                            what: "disk interface",
                            name: wanted.to_string(),
                            nearest: names,
                        });
                    }
                }
            }
        };
        let mut layers = vec![row];
        if era != Era::current() {
            match tables.vm_eras.and_then(|csv| era_row(csv, name, era)) {
                Some((of, over)) => {
                    layers.push(over);
                    if of != era {
                        notes.push(format!(
                            "no figures from {} for {name}: those from {} are used",
                            era.name(),
                            of.name()
                        ));
                    }
                }
                None => notes.push(no_era_note(name, era)),
            }
        }
        for over in own {
            notes.push(own_note(cloud, name, over));
            layers.push(Row::clone(over));
        }
        Ok(Some(Found { entry: layers, notes }))
    }

    /// All VM sizes of the newest records, cloud by cloud in their tables' order, the user's own figures laid over; then the
    /// sizes that only the user has.
    pub fn vms(&self) -> Result<Vec<VmSize>, CatalogError> {
        self.vms_of(&Cloud::ALL)
    }

    /// The same of some clouds.
    pub fn vms_of(&self, clouds: &[Cloud]) -> Result<Vec<VmSize>, CatalogError> {
        let mut sizes = Vec::with_capacity(1_000 * clouds.len());
        let mut only_own = Vec::new();
        for cloud in clouds.iter().copied() {
            let rules = cloud.rules();
            let mut own = OwnRows::of(self.own_vms(cloud), rules.vm_columns.name);
            if let Some(table) = rules.tables.vms.map(Csv::table) {
                for mut row in table.rows() {
                    own.lay_over(&mut row);
                    sizes.push((rules.vm_of_row)(&row)?);
                }
            }
            for row in own.others() {
                only_own.push((rules.vm_of_row)(&row)?);
            }
        }
        sizes.append(&mut only_own);
        Ok(sizes)
    }

    fn vm_names_like(&self, name: &str) -> Vec<String> {
        let names = Cloud::ALL.into_iter().flat_map(|cloud| {
            let (tables, column) = (cloud.rules().tables, cloud.rules().vm_columns.name);
            let shipped = tables.vms.map(|csv| csv.table().rows().collect::<Vec<Row>>()).unwrap_or_default();
            let names = shipped.iter().chain(self.own_vms(cloud)).filter_map(|row| row.owned(column));
            names.collect::<Vec<String>>()
        });
        let names: Vec<String> = names.collect();
        nearest(name, names.iter().map(String::as_str), 3)
    }

    /// The tiers of an era and the later ones that it falls back to, the user's own first.
    fn tiers_from(&self, era: Era) -> Result<Vec<DiskTier>, CatalogError> {
        let mut tiers = Vec::new();
        for row in self.tiers.iter() {
            tiers.push(DiskTier::from_row(row)?);
        }
        for row in shipped_tiers() {
            // A page blob whose throughput nobody states is listed, not sold: it names no tier of a ladder.
            if row.text("mbps").is_some() {
                tiers.push(DiskTier::from_row(&row)?);
            }
        }
        tiers.retain(|tier| tier.era >= era);
        Ok(tiers)
    }

    /// All tiers of all eras.
    pub fn tiers(&self) -> Result<Vec<DiskTier>, CatalogError> {
        let oldest = Era::list().next().unwrap_or(Era::current());
        self.tiers_from(oldest)
    }

    /// The tier of that name in an era, else in the nearest later one.
    pub fn tier(
        &self,
        name: &str,
        redundancy: Redundancy,
        era: Era,
    ) -> Result<Found<DiskTier>, CatalogError> {
        let tiers = self.tiers_from(era)?;
        let matching = |tier: &&DiskTier| tier.name.eq_ignore_ascii_case(name) && fits(tier, redundancy);
        let found = era.and_later().find_map(|of| tiers.iter().filter(matching).find(|tier| tier.era == of));
        let Some(tier) = found else {
            let names = tiers.iter().map(|tier| tier.name.as_str());
            return Err(CatalogError::Unknown {
                what: "disk",
                name: name.to_string(),
                nearest: nearest(name, names, 3),
            });
        };
        Ok(self.found_tier(tier, era))
    }

    /// The tier that a disk of `size` bytes of a type resolves to: the size asked for decides.
    pub fn tier_for(
        &self,
        disk: DiskType,
        redundancy: Redundancy,
        size: iobound_units::Bytes,
        era: Era,
    ) -> Result<Found<DiskTier>, CatalogError> {
        let tiers = self.tiers_from(era)?;
        let of_type = |tier: &&DiskTier| tier.disk == disk && fits(tier, redundancy);
        for of in era.and_later() {
            let mut ladder: Vec<&DiskTier> =
                tiers.iter().filter(of_type).filter(|tier| tier.era == of).collect();
            // The user's own rows stand first and keep that place among equals.
            ladder.sort_by_key(|tier| tier.max_size);
            let Some(largest) = ladder.last() else { continue };
            return match ladder.iter().find(|tier| tier.max_size >= size) {
                Some(tier) => Ok(self.found_tier(tier, era)),
                None => Err(CatalogError::refused(
                    format!("{} of {size}", disk.title()),
                    format!("the largest was {} ({}) in era {}", largest.max_size, largest.name, of.name()),
                    "use several disks, or a later --era",
                )),
            };
        }
        Err(CatalogError::Unknown { what: "disk", name: disk.word().to_string(), nearest: Vec::new() })
    }

    fn found_tier(&self, tier: &DiskTier, era: Era) -> Found<DiskTier> {
        let mut notes = Vec::new();
        if tier.era != era {
            notes.push(format!(
                "no figures from {} for {}: those from {} are used",
                era.name(),
                tier.name,
                tier.era.name()
            ));
        }
        let is_own = self.tiers.iter().filter_map(|row| DiskTier::from_row(row).ok()).any(|own| own == *tier);
        if is_own {
            notes.push(format!("{} comes from your catalogue file", tier.name));
        }
        Found { entry: tier.clone(), notes }
    }

    /// The figures that may be provisioned of a kind of disk today, and what follows from what; `None`: it is sold in tiers.
    ///
    /// # Errors
    /// Returns an error if a rule of the user's catalogue is not a number.
    pub fn bounds(&self, disk: DiskType) -> Result<Option<Bounds>, CatalogError> {
        Bounds::of(&self.rules, disk, Era::current())
    }

    /// A disk of a kind as `--disk` takes it: `hyperdisk-throughput@2TiB+180MiB/s`; `None`: it is sold in tiers.
    ///
    /// # Errors
    /// Returns an error if a rule of the user's catalogue is not a number.
    pub fn example_of(&self, disk: DiskType) -> Result<Option<String>, CatalogError> {
        let Sold::Apart { example, .. } = disk.kind().sold else { return Ok(None) };
        let [least, most] = self.bounds(disk)?.map_or([1, u64::MAX], |bounds| bounds.gib);
        let tib = 1_024.clamp(least, most).div_ceil(1_024);
        Ok(Some(format!("{}@{tib}TiB{example}", disk.word())))
    }

    /// True if disks of a kind without tiers are sold that so many datacentres hold.
    pub fn is_sold_in(&self, disk: DiskType, redundancy: Redundancy) -> bool {
        redundancy == Redundancy::Lrs || self.rules.get(disk.word(), "regional", Era::current()).is_some()
    }

    /// The kinds of disk that a VM size takes today, with its limits on each; none where it has one limit for all kinds.
    ///
    /// # Errors
    /// Returns an error if a rule of the user's catalogue is not a number.
    pub fn kind_limits(&self, vm: &VmSize, redundancy: Redundancy) -> Result<Vec<KindLimits>, CatalogError> {
        (vm.cloud.rules().kind_limits)(vm, &self.rules, Era::current(), redundancy)
    }

    /// Local disks that a VM size can be ordered with, the fewest first: where their published figures hold for the size.
    ///
    /// # Errors
    /// Returns an error if a row of the catalogue cannot be read.
    pub fn ordered_local(&self, vm: &VmSize) -> Result<Vec<OrderedLocal>, CatalogError> {
        let choices = self.local_choices(vm)?.into_iter();
        // A size that reaches an unknown part of the figures is not known to deliver any.
        let known = choices.filter(|chosen| chosen.assumed.is_none());
        Ok(known.map(|chosen| OrderedLocal { disks: chosen.disks, priced_as: chosen.priced_as }).collect())
    }

    /// True if no source has the figures of some local disks that a VM size can be ordered with.
    ///
    /// # Errors
    /// Returns an error if a row of the catalogue cannot be read.
    pub(crate) fn has_unknown_local(&self, vm: &VmSize) -> Result<bool, CatalogError> {
        let choices = self.local_choices(vm)?;
        Ok(choices.iter().any(|chosen| chosen.assumed.is_some() || !chosen.disks.read.known()))
    }

    /// The numbers of local disks that a VM size can be ordered with, with their figures; none where it comes with its own.
    fn local_choices(&self, vm: &VmSize) -> Result<Vec<ChosenLocal>, CatalogError> {
        let rules = vm.cloud.rules();
        let mut choices = Vec::new();
        if vm.nvme.count.is_none() {
            for count in (rules.local_counts)(&vm.name)? {
                choices.extend((rules.chosen_local)(&vm.name, count)?);
            }
        }
        Ok(choices)
    }

    /// A figure of the rules of a scope (a disk type's word, `cache`), today, × 10^6: IOPS a GiB, MB/s, ms as ns.
    pub fn rule_micro(&self, scope: &str, parameter: &str) -> Result<u64, CatalogError> {
        self.rules.require(scope, parameter, Era::current())?.micro()
    }

    /// The same where there may be no such rule.
    pub fn rule_micro_if(&self, scope: &str, parameter: &str) -> Result<Option<u64>, CatalogError> {
        self.rules.get(scope, parameter, Era::current()).map(Rule::micro).transpose()
    }

    /// All rules in force in any era, the user's own first.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.all()
    }
}

/// The user's own rows by the name that they are of: an imported list has thousands.
struct OwnRows<'a> {
    column: &'static str,
    rows: BTreeMap<String, Vec<&'a Row>>,
    /// Names that a shipped row was found for.
    met: BTreeSet<String>,
}

impl<'a> OwnRows<'a> {
    fn of(rows: &'a [Row], column: &'static str) -> OwnRows<'a> {
        let mut own = OwnRows { column, rows: BTreeMap::new(), met: BTreeSet::new() };
        for row in rows {
            let name = row.text(column).unwrap_or_default().to_ascii_lowercase();
            own.rows.entry(name).or_default().push(row);
        }
        own
    }

    fn lay_over(&mut self, row: &mut Row) {
        if self.rows.is_empty() {
            return;
        }
        let name = row.text(self.column).unwrap_or_default().to_ascii_lowercase();
        if let Some(own) = self.rows.get(&name) {
            own.iter().for_each(|over| row.overlay(over));
            self.met.insert(name);
        }
    }

    /// Those that the shipped tables have nothing of, each laid over the one before, in the order of their names.
    fn others(&self) -> impl Iterator<Item = Row> {
        let others = self.rows.iter().filter(|(name, _)| !self.met.contains(*name));
        others.map(|(_, rows)| {
            let mut row = Row::clone(rows[0]);
            rows[1..].iter().for_each(|over| row.overlay(over));
            row
        })
    }
}

/// The rows laid one over the other.
fn merged(rows: &[Row]) -> Row {
    let mut rows = rows.iter();
    let mut row = rows.next().cloned().unwrap_or_else(|| Row::new("catalogue", 0));
    rows.for_each(|over| row.overlay(over));
    row
}

/// Zone redundancy is sold for some rows only; figures of older eras know local redundancy alone.
fn fits(tier: &DiskTier, redundancy: Redundancy) -> bool {
    tier.redundancy == redundancy
}

fn named<'a>(rows: &'a [Row], column: &'static str, name: &str) -> impl Iterator<Item = &'a Row> + use<'a> {
    let name = name.to_string();
    rows.iter().filter(move |row| row.text(column).is_some_and(|have| have.eq_ignore_ascii_case(&name)))
}

fn no_era_note(name: &str, era: Era) -> String {
    format!("no figures from {} for {name}: its newest figures are used", era.name())
}

fn own_note(cloud: Cloud, name: &str, row: &Row) -> String {
    let is_figure = |column: &&str| !column.ends_with("source") && *column != cloud.rules().vm_columns.name;
    let columns: Vec<&str> = row.cells().map(|(column, _)| column).filter(is_figure).collect();
    // Of a whole imported row the count says as much as the names.
    let figures = if columns.len() > 8 { format!("{} figures", columns.len()) } else { columns.join(", ") };
    format!("{name}: {figures} from {}", row.file)
}

/// The row of the era, else of the nearest later one, that is laid over a size's newest record.
fn era_row(csv: Csv, name: &str, era: Era) -> Option<(Era, Row)> {
    let table = csv.table();
    era.and_later().find_map(|of| {
        let prefix = format!("{},", of.name());
        table
            .rows_where(|line| line.starts_with(&prefix))
            .find(|row| row.text("name").is_some_and(|have| have.eq_ignore_ascii_case(name)))
            .map(|row| (of, row))
    })
}

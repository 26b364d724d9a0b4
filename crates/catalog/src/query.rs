//! Listing, filtering and showing what the catalogue has, as data for others to print.

use iobound_units::Bytes;

use crate::catalog::{Catalog, shipped_tiers};
use crate::clouds::names::{Cloud, DiskType, Redundancy};
use crate::disk::DiskTier;
use crate::entry::{Disagreement, Entry, Figure, figures_of};
use crate::era::Era;
use crate::error::CatalogError;
use crate::source::Source;
use crate::table::Row;
use crate::vm::VmSize;

/// The VM sizes that to list. A condition on a figure leaves out the sizes whose figure is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only of this cloud.
    pub cloud: Option<Cloud>,
    /// Only names that contain this, whatever the case.
    pub name: Option<String>,
    /// Only families that contain this, whatever the case.
    pub family: Option<String>,
    /// At least so many I/O units a second without host cache.
    pub min_ios: Option<u64>,
    /// At least so many bytes a second without host cache.
    pub min_bytes: Option<u64>,
    /// At least so many cached I/O units a second.
    pub min_cached_ios: Option<u64>,
    /// Only with premium storage, or only without.
    pub premium: Option<bool>,
    /// Takes at least so many data disks.
    pub min_data_disks: Option<u64>,
    /// At least so many usable vCPUs.
    pub min_vcpus: Option<u64>,
    /// At most so many usable vCPUs.
    pub max_vcpus: Option<u64>,
    /// At least so much memory.
    pub min_memory: Option<Bytes>,
    /// Only this architecture: `x64` and `Arm64` of either cloud's words.
    pub arch: Option<Arch>,
    /// Only sizes whose uncached limits are known.
    pub limits_known: bool,
}

/// A processor architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arch {
    /// x86-64.
    X64,
    /// 64-bit Arm.
    Arm64,
}

impl Arch {
    /// The architecture of a size, where it is recorded.
    pub fn of(vm: &VmSize) -> Option<Arch> {
        match vm.arch.as_deref()?.to_ascii_lowercase().as_str() {
            arch if arch.starts_with("arm64") => Some(Arch::Arm64),
            arch if arch.contains("x64") || arch.contains("x86_64") => Some(Arch::X64),
            _ => None,
        }
    }
}

impl Filter {
    /// True if a size passes.
    pub fn passes(&self, vm: &VmSize) -> bool {
        let contains = |text: &str, part: &Option<String>| {
            part.as_deref().is_none_or(|part| text.to_ascii_lowercase().contains(&part.to_ascii_lowercase()))
        };
        let at_least = |figure: Option<u64>, least: Option<u64>| {
            least.is_none_or(|least| figure.is_some_and(|f| f >= least))
        };
        self.cloud.is_none_or(|cloud| cloud == vm.cloud)
            && contains(&vm.name, &self.name)
            && contains(vm.family.as_deref().unwrap_or(""), &self.family)
            && at_least(vm.uncached.ios, self.min_ios)
            && at_least(vm.uncached.bytes, self.min_bytes)
            && at_least(vm.cached.ios, self.min_cached_ios)
            && self.premium.is_none_or(|premium| vm.premium == Some(premium))
            && at_least(vm.max_data_disks, self.min_data_disks)
            && at_least(vm.vcpus_available, self.min_vcpus)
            && self.max_vcpus.is_none_or(|most| vm.vcpus_available.is_some_and(|have| have <= most))
            && at_least(vm.memory.map(Bytes::get), self.min_memory.map(Bytes::get))
            && self.arch.is_none_or(|arch| Arch::of(vm) == Some(arch))
            && (!self.limits_known || vm.uncached.known())
    }
}

impl Catalog {
    /// The VM sizes of today that pass a filter, in the tables' order.
    pub fn select(&self, filter: &Filter) -> Result<Vec<VmSize>, CatalogError> {
        Ok(self.vms()?.into_iter().filter(|vm| filter.passes(vm)).collect())
    }

    /// One entry by its name: a VM size, a tier, a disk type, or a machine that is listed only.
    pub fn entry(&self, name: &str, era: Era) -> Result<Entry, CatalogError> {
        let name = name.trim();
        for redundancy in [Redundancy::Lrs, Redundancy::Zrs] {
            if let Ok(found) = self.tier(name, redundancy, era) {
                return Ok(self.tier_entry(&found.entry, found.notes));
            }
        }
        if let Some(disk) = DiskType::from_word(name) {
            return Ok(self.type_entry(disk, era));
        }
        match Cloud::ALL.into_iter().find_map(|cloud| (cloud.rules().published)(name)) {
            Some(published) => Ok(published),
            None => self.vm_entry(name, era),
        }
    }

    fn vm_entry(&self, name: &str, era: Era) -> Result<Entry, CatalogError> {
        let found = self.vm(name, era)?;
        let vm = found.entry;
        let rows = self.vm_rows(vm.cloud, &vm.name, vm.interface.as_deref(), era)?;
        let mut figures: Vec<Figure> = Vec::new();
        for row in rows.map(|rows| rows.entry).unwrap_or_default() {
            for figure in figures_of(&row) {
                match figures.iter_mut().find(|have| have.name == figure.name) {
                    Some(slot) => *slot = figure,
                    None => figures.push(figure),
                }
            }
        }
        figures.retain(|figure| figure.value != "-");
        figures.extend((vm.cloud.rules().more_figures)(&vm));
        let of_interface = |row: &&Row| {
            row.text("disk_interface").is_none_or(|of| vm.interface.as_deref().is_none_or(|have| have == of))
        };
        let crosscheck = vm.cloud.rules().tables.crosscheck;
        let rows = crosscheck.map(|csv| csv.table().rows_named(&vm.name)).unwrap_or_default();
        let disagreements = rows.iter().filter(of_interface).map(Disagreement::of).collect();
        Ok(Entry {
            kind: "VM size",
            cloud: vm.cloud,
            name: vm.full_name(),
            era: vm.era.unwrap_or(Era::current()),
            figures,
            notes: found.notes.into_iter().chain(vm.notes).collect(),
            disagreements,
        })
    }

    fn tier_entry(&self, tier: &DiskTier, notes: Vec<String>) -> Entry {
        let shipped = shipped_tiers();
        let is_it = |row: &&Row| {
            let era = row.text("era").map_or(Ok(Era::current()), Era::parse);
            era.ok() == Some(tier.era)
                && row.text("tier").is_some_and(|name| name.eq_ignore_ascii_case(&tier.name))
        };
        let row = self.tiers.iter().chain(&shipped).find(is_it);
        Entry {
            kind: "disk",
            cloud: tier.disk.cloud(),
            name: tier.name.clone(),
            era: tier.era,
            figures: row.map(figures_of).unwrap_or_default(),
            notes,
            disagreements: Vec::new(),
        }
    }

    /// A disk type's rules: what may be provisioned, how it is enforced, what its media takes.
    fn type_entry(&self, disk: DiskType, era: Era) -> Entry {
        let mut figures: Vec<Figure> = Vec::new();
        let mut notes = Vec::new();
        for rule in self.rules().filter(|rule| rule.scope == disk.word()) {
            let in_force = self.rules.get(&rule.scope, &rule.parameter, era) == Some(rule);
            if !in_force || figures.iter().any(|figure| figure.name == rule.parameter) {
                continue;
            }
            let value = match (&rule.low, &rule.high) {
                (Some(low), Some(high)) => format!("{} ({low} to {high})", rule.value),
                _ => rule.value.clone(),
            };
            figures.push(Figure {
                name: rule.parameter.clone(),
                value,
                unit: rule.unit.clone().unwrap_or_default(),
                source: Source::of(&rule.source),
            });
            notes.extend(rule.note.as_ref().map(|note| format!("{}: {note}", rule.parameter)));
        }
        let of_every_era =
            self.rules().filter(|rule| rule.scope == disk.word()).all(|rule| rule.era.is_none());
        if era != Era::current() && of_every_era {
            notes.push(format!("no figures from {} for {}: these have no era", era.name(), disk.word()));
        }
        Entry {
            kind: "disk type",
            cloud: disk.cloud(),
            name: disk.word().to_string(),
            era,
            figures,
            notes,
            disagreements: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_leaves_out_what_is_unknown() {
        let catalog = Catalog::shipped();
        let big = Filter {
            cloud: Some(Cloud::Azure),
            min_ios: Some(50_000),
            premium: Some(true),
            max_vcpus: Some(16),
            ..Filter::default()
        };
        let sizes = catalog.select(&big).unwrap();
        assert!(sizes.iter().any(|vm| vm.name == "Standard_DS14_v2"));
        assert!(sizes.iter().all(|vm| vm.uncached.ios >= Some(50_000) && vm.vcpus_available <= Some(16)));
        let arm = Filter { arch: Some(Arch::Arm64), cloud: Some(Cloud::Aws), ..Filter::default() };
        assert!(catalog.select(&arm).unwrap().iter().any(|vm| vm.name == "m6g.large"));
    }

    #[test]
    fn a_figure_of_an_era_names_the_source_of_that_era() {
        let entry = Catalog::shipped().entry("DS14", Era::parse("2016").unwrap()).unwrap();
        let figure = |name: &str| entry.figures.iter().find(|figure| figure.name == name).unwrap();
        assert_eq!(
            (figure("max_data_disks").value.as_str(), figure("max_data_disks").source.as_of.as_deref()),
            ("32", Some("2017-02"))
        );
        assert_eq!(figure("raw_uncached_bytes_per_s").source.as_of.as_deref(), Some("2020-08-25"));
        assert_eq!(figure("uncached_iops").unit, "IOPS");
    }

    #[test]
    fn entries_are_found_by_tier_type_and_vm() {
        let catalog = Catalog::shipped();
        for (name, kind) in
            [("p30", "disk"), ("premiumv2", "disk type"), ("gp3", "disk type"), ("m5.large", "VM size")]
        {
            let entry = catalog.entry(name, Era::current()).unwrap();
            assert_eq!(entry.kind, kind);
            assert!(!entry.figures.is_empty());
        }
        let entry = catalog.entry("Standard_F4s_v2", Era::current()).unwrap();
        assert!(entry.disagreements.iter().any(|d| d.field == "uncached_mbps" && d.value == "47"));
    }
}

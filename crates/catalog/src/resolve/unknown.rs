//! A figure that a configuration needs and nobody has published: which sizes alike have one, and how to give it.

use iobound_units::{Grouped, format_throughput};

use super::Builder;
use crate::configuration::UnknownLimits;
use crate::error::CatalogError;
use crate::vm::{Limits, VmSize};

/// No more sizes alike are named.
const NAMED: usize = 3;

impl Builder<'_> {
    /// The refusal of a VM size whose limit on disks (cached or uncached) is not known.
    pub(super) fn unknown_vm_limit(&self, limits: Limits, of_cached: bool) -> CatalogError {
        let columns = self.vm.cloud.rules().vm_columns;
        let columns = if of_cached { columns.cached } else { columns.uncached };
        let unknown =
            [limits.ios, limits.bytes].into_iter().zip(columns).filter(|(figure, _)| figure.is_none());
        let missing: Vec<String> = unknown.map(|(_, column)| column.to_string()).collect();
        let figures = |vm: &VmSize| if of_cached { vm.cached } else { vm.uncached };
        let alike = self.sizes_alike(|vm| figures(vm).known());
        let mut help = String::new();
        if of_cached {
            help.push_str(
                "most sizes since v5 have no published cached limit; leave the cache setting out, or\n",
            );
        }
        if !alike.is_empty() {
            let named = alike
                .iter()
                .take(NAMED)
                .map(|vm| format!("{} ({})", vm.full_name(), limits_text(figures(vm))));
            let named: Vec<String> = named.collect();
            help.push_str(&format!("use a similar size with published limits: {}; or\n", named.join(", ")));
        }
        help.push_str(&self.vm_mend(&missing));
        CatalogError::UnknownLimit { of: self.vm.full_name(), missing, help }
    }

    /// Leaves a limit out that no source gives, where the configuration allows it.
    ///
    /// # Errors
    /// The refusal.
    pub(super) fn leave_out(&mut self, group: &str, refusal: CatalogError) -> Result<(), CatalogError> {
        if self.configuration.unknown_limits == UnknownLimits::Refused {
            return Err(refusal);
        }
        self.name_left_out(format!("{group} of {}", self.vm.name));
        Ok(())
    }

    /// Notes a limit that is left out.
    pub(super) fn name_left_out(&mut self, limit: String) {
        if !self.left_out.contains(&limit) {
            self.assume(limit.clone(), "left out", "no source gives it; it may be what binds");
            self.left_out.push(limit);
        }
    }

    /// Advice: how to give a VM's figures: what to write into which file.
    pub(super) fn vm_mend(&self, columns: &[impl AsRef<str>]) -> String {
        let key = self.vm.cloud.rules().vm_columns.name;
        let cells: Vec<String> =
            columns.iter().map(|column| format!("\n  {} = …", column.as_ref())).collect();
        format!(
            "add your own figures in a catalogue file: write to mine.toml\n  [[vm]]\n  {key} = \"{}\"{}\nand add --catalog mine.toml",
            self.vm.name,
            cells.concat()
        )
    }

    /// The sizes of the same vendor, vCPUs and memory that have what is asked for, the most alike by name first.
    pub(super) fn sizes_alike(&self, has: impl Fn(&VmSize) -> bool) -> Vec<VmSize> {
        let own = &self.vm;
        self.sizes_of_vcpus(|vm| {
            vm.vcpus_available == own.vcpus_available
                && vm.memory == own.memory
                && vm.premium == own.premium
                && vm.arch == own.arch
                && has(vm)
        })
    }

    /// The sizes of the same vendor and vCPUs that have what is asked for, the most alike by name first.
    pub(super) fn sizes_of_vcpus(&self, has: impl Fn(&VmSize) -> bool) -> Vec<VmSize> {
        // The catalogue's own rows can be read: this size is one of them.
        let Ok(mut sizes) = self.catalog.vms() else { return Vec::new() };
        let own = &self.vm;
        sizes.retain(|vm| vm.cloud == own.cloud && vm.vcpus == own.vcpus && has(vm));
        sizes.sort_by_cached_key(|vm| (crate::nearest::unlike(&own.name, &vm.name), vm.name.clone()));
        sizes.dedup_by(|one, other| one.name == other.name);
        sizes
    }
}

pub(super) fn limits_text(limits: Limits) -> String {
    let ios = limits.ios.map(|ios| format!("{} IOPS", Grouped(ios)));
    let bytes = limits.bytes.map(|bytes| format_throughput(bytes as f64));
    ios.into_iter().chain(bytes).collect::<Vec<String>>().join(", ")
}

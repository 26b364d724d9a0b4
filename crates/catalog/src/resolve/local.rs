//! The VM's own local disks.

use iobound_model::Credits;
use iobound_units::Bytes;

use super::Builder;
use super::disks::Figures;
use crate::configuration::{VolumeRequest, What};
use crate::error::CatalogError;
use crate::vm::{Limits, LocalDisk};

impl Builder<'_> {
    pub(super) fn temp_figures(&mut self, request: &VolumeRequest) -> Result<Figures, CatalogError> {
        let temp = self.vm.temp;
        let count = temp.count.unwrap_or(1).max(1);
        let Some(size) = temp.size.filter(|size| size.get() > 0) else {
            return Err(CatalogError::refused(
                format!("`{}` on {}", request.text, self.vm.name),
                "the catalogue has no temporary disk for this size",
                if self.vm.nvme.count.is_some() {
                    "write nvme for its local NVMe disks"
                } else {
                    "take a remote disk"
                },
            ));
        };
        self.check_local_count(request, count)?;
        let own = shared_out(temp.read, count);
        if !self.vm.cached.known() && !temp.read.known() {
            let refusal = self.unknown_local(request, &["temp_read_iops", "temp_read_mbps"]);
            self.leave_out("temp", refusal)?;
        }
        Ok(self.local_figures("temp", Bytes(size.get() / count), own, false))
    }

    pub(super) fn nvme_figures(&mut self, request: &VolumeRequest) -> Result<Figures, CatalogError> {
        self.choose_local()?;
        let LocalDisk { count: Some(count), size: Some(size), read, .. } = self.vm.nvme else {
            return Err(CatalogError::refused(
                format!("`{}` on {}", request.text, self.vm.name),
                "the catalogue has no local NVMe disk for this size",
                if self.vm.temp.size.is_some() {
                    "write temp for its temporary disk"
                } else {
                    "take a remote disk"
                },
            ));
        };
        self.check_local_count(request, count)?;
        if !read.known() {
            let refusal = self.unknown_local(request, &["nvme_read_iops", "nvme_read_mbps"]);
            self.leave_out("nvme", refusal)?;
        }
        Ok(self.local_figures("nvme", size, shared_out(read, count.max(1)), true))
    }

    /// Gives a VM whose local disks are ordered with it as many as the configuration has.
    fn choose_local(&mut self) -> Result<(), CatalogError> {
        if self.vm.nvme.count.is_some() {
            return Ok(());
        }
        let of_nvme = self.configuration.volumes.iter().filter(|volume| volume.what == What::Nvme);
        let count = of_nvme.map(|volume| u64::from(volume.count)).sum();
        if let Some(chosen) = (self.vm.cloud.rules().chosen_local)(&self.vm.name, count)? {
            if let Some([what, value, why]) = chosen.assumed {
                self.assume(what, value, why);
            }
            self.ordered_local = Some((count, chosen.priced_as));
            self.vm.nvme = chosen.disks;
            self.vm.nvme_source = Some(chosen.source);
        }
        Ok(())
    }

    fn check_local_count(&self, request: &VolumeRequest, count: u64) -> Result<(), CatalogError> {
        if u64::from(request.count) <= count {
            return Ok(());
        }
        Err(CatalogError::refused(
            format!("`{}` on {}", request.text, self.vm.name),
            format!("the size has {count} of them"),
            "use fewer, or a larger size",
        ))
    }

    fn unknown_local(&self, request: &VolumeRequest, missing: &[&str]) -> CatalogError {
        CatalogError::UnknownLimit {
            of: format!("`{}` on {}", request.text, self.vm.name),
            missing: missing.iter().map(|name| name.to_string()).collect(),
            help: self.vm_mend(missing),
        }
    }

    fn local_figures(&self, described: &str, size: Bytes, limits: Limits, is_nvme: bool) -> Figures {
        Figures {
            disk: None,
            tier: None,
            described: described.to_string(),
            size,
            limits,
            enforced_bytes: None,
            credits: Credits::default(),
            on_demand: false,
            era: self.era,
            rules_era: self.era,
            source: self
                .vm
                .nvme_source
                .clone()
                .filter(|_| is_nvme)
                .or_else(|| self.vm.limits_source.clone())
                .unwrap_or_else(|| self.vm.basics_source.clone()),
            is_nvme,
        }
    }
}

/// Published figures of is the sum over the VM's local disks.
pub(super) fn shared_out(all: Limits, count: u64) -> Limits {
    Limits { ios: all.ios.map(|ios| ios / count), bytes: all.bytes.map(|bytes| bytes / count) }
}

//! Facts of the vendors about whole series: previous generations, and processors on credits.

use std::sync::OnceLock;

use crate::clouds::names::Cloud;
use crate::data;
use crate::vm::VmSize;

/// Notes about a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SeriesKind {
    /// Older hardware, still sold where there is room; the vendor recommends a later one.
    Previous,
    /// Its processors run above a baseline while credits last.
    CpuBurstable,
    /// With GPUs, FPGAs or other accelerators, which a month's price pays for.
    Accelerated,
    /// For high performance computing, with a network of its own.
    Hpc,
    /// With encrypted memory, for confidential computing.
    Confidential,
}

struct Said {
    cloud: Cloud,
    family: String,
    version: Option<u64>,
    kind: SeriesKind,
}

fn said() -> &'static [Said] {
    static SAID: OnceLock<Vec<Said>> = OnceLock::new();
    SAID.get_or_init(|| {
        let table = data::SERIES.table();
        let rows = table.rows().map(|row| Said {
            cloud: row
                .text("cloud")
                .and_then(Cloud::from_name)
                .expect("the shipped series can be read: tested"),
            family: row.owned("family").unwrap_or_default(),
            version: row.text("version").and_then(|version| version.parse().ok()),
            kind: match row.text("kind") {
                Some("previous") => SeriesKind::Previous,
                Some("accelerated") => SeriesKind::Accelerated,
                Some("hpc") => SeriesKind::Hpc,
                Some("confidential") => SeriesKind::Confidential,
                _ => SeriesKind::CpuBurstable,
            },
        });
        rows.collect()
    })
}

impl VmSize {
    /// True if it is made for one purpose, GPUs, high performance computing or confidential computing, which its price pays for.
    pub fn is_special(&self) -> bool {
        [SeriesKind::Accelerated, SeriesKind::Hpc, SeriesKind::Confidential].iter().any(|kind| self.is(*kind))
    }

    /// True if that is said of its series. Nothing said is no.
    pub fn is(&self, kind: SeriesKind) -> bool {
        if kind == SeriesKind::Previous && self.current_generation == Some(false) {
            return true;
        }
        if let (SeriesKind::CpuBurstable, Some(burstable)) = (kind, self.cpu_burstable) {
            return burstable;
        }
        let (family, version) = (self.cloud.rules().series)(&self.name);
        let matches = |said: &Said| {
            said.cloud == self.cloud
                && said.kind == kind
                && said.family == family
                && (said.version.is_none() || said.version == version)
        };
        said().iter().any(matches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Catalog, Era};

    #[test]
    fn a_series_is_what_the_vendor_says_of_it() {
        use SeriesKind::{CpuBurstable, Previous};
        let catalog = Catalog::shipped();
        for (name, previous, burstable) in [
            ("Standard_F16s", true, false),
            ("Standard_DS14_v2", true, false),
            ("Standard_D8s_v3", true, false),
            ("Standard_E8ds_v4", true, false),
            ("Standard_D8s_v4", false, false),
            ("Standard_D32ls_v5", false, false),
            ("Standard_F16as_v6", false, false),
            ("Standard_E16bs_v5", false, false),
            ("Standard_B4ms", true, true),
            ("Standard_B4as_v2", false, true),
            ("Standard_NC24ads_A100_v4", false, false),
            // The vendor's own record of 2026 has m5 as not current.
            ("m5.large", true, false),
            ("m7i.large", false, false),
            ("m3.large", true, false),
            ("t3.medium", false, true),
        ] {
            let vm = catalog.vm(name, Era::current()).unwrap().entry;
            assert_eq!((vm.is(Previous), vm.is(CpuBurstable)), (previous, burstable), "{name}");
        }
    }

    #[test]
    fn sizes_for_gpus_hpc_and_confidential_computing_are_special() {
        let catalog = Catalog::shipped();
        for (name, special) in [
            ("Standard_NC24ads_A100_v4", true),
            ("Standard_HB120rs_v3", true),
            ("Standard_DC8as_v5", true),
            ("Standard_EC16as_v5", true),
            ("Standard_D8s_v5", false),
            ("Standard_E16bs_v5", false),
            ("Standard_HB176rs_v4", true),
            ("g5.xlarge", true),
            ("hpc7a.12xlarge", true),
            ("p5.48xlarge", true),
            ("c6in.xlarge", false),
        ] {
            let vm = catalog.vm(name, Era::current()).unwrap().entry;
            assert_eq!(vm.is_special(), special, "{name}");
        }
    }
}

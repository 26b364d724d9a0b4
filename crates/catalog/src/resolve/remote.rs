//! The gates of a remote disk whose cloud names them itself.

use iobound_model::{Credits, GateId, GateName};

use super::Builder;
use super::disks::Figures;
use super::gates::{Directions, Wanted};
use crate::bounds::Bounds;
use crate::clouds::names::DiskType;
use crate::clouds::remote::{Attached, RemoteAsk, RemoteGates};
use crate::configuration::VolumeRequest;
use crate::error::CatalogError;
use crate::vm::Limits;

/// The remote disks of all requests.
pub(super) fn attached(requests: &[(&VolumeRequest, Figures, bool)]) -> Vec<Attached> {
    let of = |(request, figures, _): &(&VolumeRequest, Figures, bool)| {
        figures.disk.map(|disk| Attached {
            disk,
            redundancy: request.redundancy,
            count: u64::from(request.count),
            gib: figures.size.get() >> 30,
        })
    };
    requests.iter().filter_map(of).collect()
}

impl Builder<'_> {
    /// The gates of a disk; one that an earlier disk has built is shared with it.
    pub(super) fn remote_gates(
        &mut self,
        of: RemoteGates,
        name: &str,
        disk: DiskType,
        figures: &Figures,
    ) -> Result<Directions, CatalogError> {
        let era = figures.rules_era;
        let rules = &self.catalog.rules;
        let bounds = Bounds::of(rules, disk, era)?.expect("a type without tiers has bounds");
        let attached = &self.attached;
        let (vm, own, bounds) = (&self.vm, figures.limits, &bounds);
        let unknown_limits = self.configuration.unknown_limits;
        let gates = of(&RemoteAsk { vm, disk, name, own, bounds, attached, rules, era, unknown_limits })?;
        let mut all = Directions::default();
        for gate in gates {
            if [gate.shared, gate.read, gate.write].iter().all(|limits| *limits == Limits::default()) {
                self.name_left_out(format!("{} of {} for {}", gate.group, self.vm.name, gate.instance));
            }
            let parts = [(None, gate.shared), (Some("read"), gate.read), (Some("write"), gate.write)];
            for (direction, limits) in parts.into_iter().filter(|(_, limits)| *limits != Limits::default()) {
                let instance = match direction {
                    None => gate.instance.clone(),
                    Some(direction) => format!("{}.{direction}", gate.instance),
                };
                let name = GateName::of(gate.group, &instance);
                let built = self.blueprint.gates.iter().position(|have| have.name == name);
                let id = match built {
                    Some(index) => GateId(index as u16),
                    None => self.gate(Wanted {
                        name,
                        scope: gate.scope,
                        era,
                        ios: limits.ios,
                        bytes: limits.bytes,
                        credits: Credits::default(),
                        enforced_bytes: None,
                        raw_bytes: None,
                    })?,
                };
                all.read.extend((direction != Some("write")).then_some(id));
                all.write.extend((direction != Some("read")).then_some(id));
            }
            if let Some([what, value, why]) = gate.assumed {
                self.assume(what, value, why);
            }
        }
        Ok(all)
    }
}

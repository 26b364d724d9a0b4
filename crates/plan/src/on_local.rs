//! Builds with data and log on the VM's own local disks, which lose them when the VM is stopped or moved.

use iobound_catalog::Redundancy;

use crate::build::{Build, Disks, OnLocal};
use crate::local;
use crate::market::{Market, Vm};
use crate::need::{Demand, Need};
use crate::search::{asked_of, price_of, temp_of};
use crate::terms::Terms;
use crate::volume::local_fails;

/// All that meet the need, cheapest first. Of each VM size the one with the fewest disks, or all, fewest disks first, where a latency
/// has to be kept. None where disks are there already, where types of disks are asked for, or where data has to outlive a zone.
pub fn on_local(market: &Market, need: &Need, terms: &Terms) -> Vec<Build> {
    if terms.kept.is_some() || !terms.disks.is_empty() || market.redundancy == Redundancy::Zrs {
        return Vec::new();
    }
    let (asked, asked_log) = asked_of(need);
    let volumes = [Some(asked.all), asked_log.map(|log| log.all), temp_of(need)];
    let demands: Vec<Demand> = volumes.into_iter().flatten().collect();
    let of_a_size = if need.latency.is_some() { usize::MAX } else { 1 };
    let mut builds: Vec<Build> = Vec::new();
    for (index, vm) in market.vms.iter().enumerate() {
        if terms.vm.as_ref().is_none_or(|only| *only == vm.name) && terms.refuse(vm).is_none() {
            let of_size = on(index, vm, need, &demands, terms).into_iter();
            let is_offered = |build: &Build| {
                terms.most.is_none_or(|most| build.price <= most)
                    && terms.most_disks.is_none_or(|most| build.disk_count() <= most)
            };
            builds.extend(of_size.filter(is_offered).take(of_a_size));
        }
    }
    builds.sort_by(|one, other| one.order(market).cmp(&other.order(market)));
    builds
}

/// Those of a VM size, cheapest first.
fn on(index: usize, vm: &Vm, need: &Need, demands: &[Demand], terms: &Terms) -> Vec<Build> {
    let Some(price) = price_of(vm, None, terms) else { return Vec::new() };
    let ways = local::ways(&vm.local, demands).into_iter().filter(|way| {
        let parts: Vec<_> = demands.iter().copied().zip(way.iter().copied()).collect();
        local_fails(vm, &parts).is_none()
    });
    ways.map(|way| {
        let price = price.saturating_add(local::price_of(&vm.local, &way));
        let mut fits = way.into_iter();
        let data = fits.next().expect("there is data");
        let log = need.log.and_then(|_| fits.next());
        Build { vm: index, disks: Disks::Local(OnLocal { data, log }), temp: fits.next(), price }
    })
    .collect()
}

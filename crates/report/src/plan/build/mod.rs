//! Advice: how to build a candidate, and how to prove it: commands to copy. Names are variables at the top of each part.

mod guest;
mod prove;

use iobound_catalog::{BuildPlan, Cloud, LocalDisks, Os, Script, VolumeDisks};
use iobound_plan::{Build, Disks, Law, LocalFit, Market, Volume, VolumeNeed};
use iobound_units::Span;

use super::Planned;

/// A volume of a build, with what it is for.
struct BuiltVolume<'a> {
    name: &'static str,
    need: &'a VolumeNeed,
    /// The longest mean latency at which the rate is still to be reached.
    longest: Span,
}

/// Without a longer goal, the rate is still to be reached at this mean latency.
const LEAST_WAIT: Span = Span::from_ms(5);

/// All scripts for a build: to create it, to make its volumes, to prove it.
pub(super) fn parts(planned: &Planned<'_>, build: &Build) -> Vec<Script> {
    let (market, need) = (planned.market, &planned.plan.each);
    let longest = need.latency.map_or(LEAST_WAIT, |goal| goal.most.max(LEAST_WAIT));
    let of = |name, need| BuiltVolume { name, need, longest };
    let log = need.log.as_ref().map(|need| of("log", need));
    let proved: Vec<BuiltVolume> = std::iter::once(of("data", &need.data)).chain(log).collect();
    let volumes = bought(market, build);
    let vm = &market.vms[build.vm];
    let is_ordered = |(_, fit): &(&str, LocalFit)| vm.local[fit.kind].ordered.is_some();
    let rules = vm.cloud.rules();
    let region = planned.places.iter().find(|(region, _)| Cloud::of_region(region) == vm.cloud);
    let region = region.map_or("", |(region, _)| region);
    let mut parts = (rules.scripts)(&BuildPlan {
        vm: &vm.name,
        region,
        has_zones: (planned.has_zones)(region),
        zones: vm.zones.as_deref(),
        os: planned.os,
        redundancy: market.redundancy,
        volumes: &volumes,
        ordered_local: build.local().filter(is_ordered).map(|(_, fit)| fit.count).sum(),
    });
    let stripe = need.interleave().get();
    let mut add = |name: &'static str, text: String| parts.push(Script { name, text });
    match planned.os {
        _ if volumes.is_empty() => {}
        Os::Linux => {
            add("mdadm", join(&volumes, |disks| guest::mdadm(disks, rules, stripe)));
            add("lvm", join(&volumes, |disks| guest::lvm(disks, rules, stripe)));
        }
        Os::Windows => {
            add("storage-spaces", join(&volumes, |disks| guest::storage_spaces(disks, rules, stripe)));
        }
    }
    let mut used: Vec<LocalFit> = Vec::new();
    let mut local: Vec<String> = Vec::new();
    for (name, fit) in build.local() {
        let before = used.iter().filter(|other| other.kind == fit.kind).map(|other| other.count).sum();
        let disks = LocalDisks { is_nvme: vm.local[fit.kind].is_nvme, count: fit.count, before };
        local.push(match planned.os {
            Os::Linux => guest::linux_local(name, disks, rules, stripe),
            Os::Windows => guest::windows_local(name, disks, rules, stripe),
        });
        used.push(fit);
    }
    if !local.is_empty() {
        add("local", local.join("\n"));
    }
    match planned.os {
        Os::Linux => add("fio", prove::fio(&proved)),
        Os::Windows => add("diskspd", prove::diskspd(&proved)),
    }
    add("iobound", prove::iobound(&proved, &vm.name, planned, build));
    parts
}

fn join<T>(all: &[T], of: impl Fn(&T) -> String) -> String {
    all.iter().map(of).collect::<Vec<String>>().join("\n")
}

/// The volumes of bought disks; none where data and log are on local disks.
fn bought<'a>(market: &'a Market, build: &Build) -> Vec<VolumeDisks<'a>> {
    let Disks::Bought(bought) = &build.disks else { return Vec::new() };
    let mut first = 0;
    let of = |(name, volume): (&'static str, &Volume)| {
        let disks = disks_of(market, volume, name, first);
        first += disks.count;
        disks
    };
    ["data", "log"].into_iter().zip(bought.volumes()).map(of).collect()
}

fn disks_of<'a>(market: &'a Market, volume: &Volume, name: &'static str, first: u64) -> VolumeDisks<'a> {
    let fit = volume.fit;
    let setting = match &market.offers[volume.offer].law {
        Law::Tier { name, .. } => name.split_once('+').map_or("", |(_, setting)| setting),
        Law::Provisioned(_) => "",
    };
    let (ios, megabytes) = match &market.offers[volume.offer].law {
        Law::Tier { .. } => (None, None),
        Law::Provisioned(provision) => {
            let bounds = &provision.bounds;
            (
                bounds.has_own_ios().then_some(fit.ios),
                bounds.has_own_bytes().then(|| fit.bytes / bounds.megabyte),
            )
        }
    };
    let (disk, count, gib, cached) = (volume.disk, fit.count, fit.gib, volume.cached);
    VolumeDisks { name, disk, count, first, gib, ios, megabytes, setting, cached }
}

impl BuiltVolume<'_> {
    /// Outstanding I/Os that carry the rate, and the threads that issue them.
    fn outstanding(&self) -> (u64, u64) {
        let waiting = u128::from(self.need.iops.get()) * u128::from(self.longest.ns());
        let all = u64::try_from(waiting.div_ceil(1_000_000_000)).unwrap_or(u64::MAX).max(8);
        let threads = all.div_ceil(64).min(16);
        (all.div_ceil(threads), threads)
    }

    /// GiB of the file to prove it on: limits do not depend on it, and it has to be written first. A cached volume's working
    /// set is held whole, so that a part of it is held as well.
    fn file_gib(&self) -> u64 {
        const MOST: u64 = 64;
        ((self.need.working_set.get() / 10 * 9) >> 30).clamp(1, MOST)
    }

    fn write_percent(&self) -> u32 {
        self.need.shape.read.complement().ppm().div_ceil(10_000)
    }

    fn block_kib(&self) -> String {
        let block = self.need.shape.block;
        if block.is_multiple_of(1_024) { format!("{}K", block / 1_024) } else { block.to_string() }
    }
}

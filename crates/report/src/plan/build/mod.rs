//! Advice: how to build a candidate, and how to prove it: commands to copy. Names are variables at the top of each part.

mod guest;
mod prove;

use iobound_catalog::{BuildPlan, Cloud, Script, VolumeDisks};
use iobound_plan::{Build, Disks, Law, LocalFit, Market, Volume, VolumeNeed};

use super::Planned;

/// A volume of a build, with what it is for.
struct BuiltVolume<'a> {
    name: &'static str,
    need: &'a VolumeNeed,
}

/// All scripts for a build: to create it, to make its volumes, to prove it.
pub(super) fn parts(planned: &Planned<'_>, build: &Build) -> Vec<Script> {
    let (market, need) = (planned.market, &planned.plan.each);
    let log = need.log.as_ref().map(|need| BuiltVolume { name: "log", need });
    let proved: Vec<BuiltVolume> =
        std::iter::once(BuiltVolume { name: "data", need: &need.data }).chain(log).collect();
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
    if !volumes.is_empty() {
        add("mdadm", join(&volumes, |disks| guest::mdadm(disks, rules, stripe)));
        add("lvm", join(&volumes, |disks| guest::lvm(disks, rules, stripe)));
        add("storage-spaces", join(&volumes, |disks| guest::storage_spaces(disks, rules, stripe)));
    }
    let mut used: Vec<LocalFit> = Vec::new();
    let mut local: Vec<String> = Vec::new();
    for (name, fit) in build.local() {
        let before = used.iter().filter(|other| other.kind == fit.kind).map(|other| other.count).sum();
        local.push(guest::local(name, &vm.local[fit.kind], fit, before, rules, stripe));
        used.push(fit);
    }
    if !local.is_empty() {
        add("local", local.join("\n"));
    }
    add("fio", join(&proved, prove::fio));
    add("diskspd", join(&proved, prove::diskspd));
    add("iobound", join(&proved, |volume| prove::iobound(volume, vm.name.as_str(), planned, build)));
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
    /// Outstanding I/Os that carry the rate with latency to spare (5 ms of it), and the threads that issue them.
    fn outstanding(&self) -> (u64, u64) {
        let all = self.need.iops.get().div_ceil(200).max(8);
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

    /// As this program takes it.
    fn block_word(&self) -> String {
        let block = self.need.shape.block;
        if block.is_multiple_of(1_024) { format!("{}KiB", block / 1_024) } else { format!("{block}B") }
    }

    fn block_kib(&self) -> String {
        let block = self.need.shape.block;
        if block.is_multiple_of(1_024) { format!("{}K", block / 1_024) } else { block.to_string() }
    }
}

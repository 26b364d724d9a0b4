//! How to build a candidate, and how to prove it: commands to copy. Names are variables at the top of each part.

mod aws;
mod azure;
mod guest;
mod prove;

use azure::Place;
use iobound_catalog::Cloud;
use iobound_plan::{Build, Law, Market, Need, Volume, VolumeNeed};

use super::Planned;

/// A part of the instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// `az`, `aws`, `terraform`, `mdadm`, `lvm`, `storage-spaces`, `local`, `diskspd`, `fio`, `iobound`.
    pub(super) name: &'static str,
    /// The commands.
    pub(super) text: String,
}

/// A volume of a build, with what it is for.
struct Piece<'a> {
    name: &'static str,
    volume: &'a Volume,
    need: &'a VolumeNeed,
    /// The first of its disks among all.
    first: u64,
}

/// All parts for a build: to create it, to make its volumes, to prove it.
pub(super) fn parts(planned: &Planned<'_>, build: &Build) -> Vec<Part> {
    let (market, need) = (planned.market, &planned.plan.each);
    let pieces = pieces(need, build);
    let vm = &market.vms[build.vm];
    let region = planned.places.iter().find(|(region, _)| region.contains('-') == (vm.cloud == Cloud::Aws));
    let region = region.map_or("", |(region, _)| region);
    let mut parts = match vm.cloud {
        Cloud::Aws => vec![
            Part { name: "aws", text: aws::cli(market, &vm.name, region, &pieces) },
            Part { name: "terraform", text: aws::terraform(market, &vm.name, region, &pieces) },
        ],
        _ => {
            let has_zones = (planned.has_zones)(region);
            let place = Place { market, vm, region, has_zones, os: planned.os };
            vec![
                Part { name: "az", text: azure::az(&place, &pieces) },
                Part { name: "terraform", text: azure::terraform(&place, &pieces) },
            ]
        }
    };
    let stripe = need.interleave().get();
    parts.push(Part { name: "mdadm", text: join(&pieces, |piece| guest::mdadm(piece, vm.cloud, stripe)) });
    parts.push(Part { name: "lvm", text: join(&pieces, |piece| guest::lvm(piece, vm.cloud, stripe)) });
    parts.push(Part {
        name: "storage-spaces",
        text: join(&pieces, |piece| guest::storage_spaces(piece, vm.cloud, stripe)),
    });
    if let Some(fit) = build.temp {
        parts.push(Part { name: "local", text: guest::local(&vm.local[fit.kind], fit, vm.cloud, stripe) });
    }
    parts.push(Part { name: "fio", text: join(&pieces, prove::fio) });
    parts.push(Part { name: "diskspd", text: join(&pieces, prove::diskspd) });
    parts.push(Part {
        name: "iobound",
        text: join(&pieces, |piece| prove::iobound(piece, vm.name.as_str(), planned, build)),
    });
    parts
}

fn join(pieces: &[Piece<'_>], of: impl Fn(&Piece<'_>) -> String) -> String {
    pieces.iter().map(of).collect::<Vec<String>>().join("\n")
}

fn pieces<'a>(need: &'a Need, build: &'a Build) -> Vec<Piece<'a>> {
    let mut pieces = vec![Piece { name: "data", volume: &build.data, need: &need.data, first: 0 }];
    if let (Some(volume), Some(need)) = (&build.log, &need.log) {
        pieces.push(Piece { name: "log", volume, need, first: build.data.fit.count });
    }
    pieces
}

impl Piece<'_> {
    fn count(&self) -> u64 {
        self.volume.fit.count
    }

    fn last(&self) -> u64 {
        self.first + self.count() - 1
    }

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

/// IOPS and megabytes a second of a disk, where they are chosen.
fn chosen(market: &Market, volume: &Volume) -> (Option<u64>, Option<u64>) {
    match &market.offers[volume.offer].law {
        Law::Tier { .. } => (None, None),
        Law::Provisioned(provision) => (
            provision.has_own_ios().then_some(volume.fit.ios),
            provision.has_own_bytes().then(|| volume.fit.bytes / provision.megabyte),
        ),
    }
}

/// A resource of Terraform, its arguments aligned.
fn resource(kind: &str, name: &str, lines: &[(&str, String)]) -> String {
    let width = lines.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
    let lines: String = lines.iter().map(|(key, value)| format!("  {key:<width$} = {value}\n")).collect();
    format!("resource \"{kind}\" \"{name}\" {{\n{lines}}}\n")
}

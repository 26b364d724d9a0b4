//! The need of what several probed disks deliver together.

use std::collections::BTreeMap;

use iobound_catalog::{ProbedDisk, ProbedLimit};

use crate::Failure;

/// Limits and size of probed disks together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProbedNeed {
    /// I/Os a second; `None` where a disk has no limit of them.
    pub(crate) iops: Option<u64>,
    /// Bytes a second; `None` where a disk has no limit of them.
    pub(crate) bytes: Option<u64>,
    /// Size in bytes.
    pub(crate) capacity: u64,
}

impl ProbedNeed {
    /// Rate of all disks together.
    ///
    /// # Errors
    /// There is no probed disk.
    pub(crate) fn of(disks: &[ProbedDisk]) -> Result<ProbedNeed, Failure> {
        if disks.is_empty() {
            return Err(Failure::input("--like: the configuration has no probed disk")
                .help("add --config with a file of `iobound probe --save`"));
        }
        Ok(ProbedNeed {
            iops: together(disks, "ios"),
            bytes: together(disks, "bytes"),
            capacity: disks.iter().map(|disk| disk.size).fold(0, u64::saturating_add),
        })
    }

    /// The need in words.
    pub(crate) fn text(&self) -> String {
        let rates = [
            self.iops.map(|iops| format!("{iops} IOPS")),
            self.bytes.map(|bytes| iobound_units::format_throughput(bytes as f64)),
            Some(iobound_units::Bytes(self.capacity).to_string()),
        ];
        rates.into_iter().flatten().collect::<Vec<String>>().join(", ")
    }
}

/// The sum of the disks' own limits, where the disks that share a limit reach that at most.
fn together(disks: &[ProbedDisk], counts: &str) -> Option<u64> {
    let is_wanted =
        |limit: &&ProbedLimit| limit.counts == counts && ["all", "reads"].contains(&limit.of.as_str());
    let mut groups: BTreeMap<String, (f64, Option<f64>)> = BTreeMap::new();
    for (at, disk) in disks.iter().enumerate() {
        let limits = || disk.limit.iter().filter(is_wanted);
        let own = limits().find(|limit| limit.shared.is_none()).map(|limit| limit.per_second);
        let shared = limits().find_map(|limit| Some((limit.shared.clone()?, limit.per_second)));
        let name = shared.as_ref().map_or_else(|| format!("disk {at}"), |(name, _)| format!("shared {name}"));
        let group = groups.entry(name).or_insert((0.0, shared.map(|(_, rate)| rate)));
        group.0 += own.unwrap_or(f64::INFINITY);
    }
    let sum: f64 = groups.values().map(|(own, shared)| shared.map_or(*own, |shared| own.min(shared))).sum();
    (sum.is_finite() && sum >= 1.0).then_some(sum.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use iobound_catalog::Catalog;

    fn disks(text: &str) -> Vec<ProbedDisk> {
        Catalog::shipped().with_probed("p.toml", text).expect("a valid file").probed_disks().to_vec()
    }

    fn disk(name: &str, limits: &str) -> String {
        format!(
            "[[probed]]\nname = \"{name}\"\nsize = 1000\nread = {{ mean_us = 1.0, floor = 0.5, per_kib_us = 0.0 }}\n{limits}"
        )
    }

    fn limit(counts: &str, rate: u64, more: &str) -> String {
        format!(
            "[[probed.limit]]\ncounts = \"{counts}\"\nof = \"all\"\nper_second = {rate}\nlow = {rate}\nhigh = {rate}\n{more}\n"
        )
    }

    #[test]
    fn disks_that_share_a_limit_need_no_more_than_it() {
        let own = limit("ios", 500, "") + &limit("ios", 800, "shared = \"vm\"");
        let all = disk("a", &own) + &disk("b", &own) + &disk("c", &limit("ios", 100, ""));
        let need = ProbedNeed::of(&disks(&all)).expect("there are disks");
        assert_eq!(need, ProbedNeed { iops: Some(900), bytes: None, capacity: 3_000 });
        assert!(ProbedNeed::of(&[]).is_err());
    }
}

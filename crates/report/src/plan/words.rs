//! Builds, limits and reasons in words.

use iobound_catalog::{Arch, type_spec};
use iobound_plan::{
    Because, Build, Idea, IdeaKind, Law, Limit, Market, Plan, Rank, Shown, Volume, local_text, tier_text,
};
use iobound_units::{Bytes, format_throughput};

use crate::number::{count_text, time_text};

/// `F16as_v6`: the name without what all of Azure's have.
pub(super) fn vm_name(name: &str) -> &str {
    name.strip_prefix("Standard_").unwrap_or(name)
}

/// `17 x Pv2 241 GiB`, `10 x P30, read cache`.
fn volume_text(market: &Market, volume: &Volume) -> String {
    let fit = volume.fit;
    let what = match &market.offers[volume.offer].law {
        Law::Tier { name, .. } => tier_text(market, name),
        Law::Provisioned(provision) => {
            let mut text = format!("{} {}", type_spec(volume.disk, market.redundancy), Bytes::gib(fit.gib));
            if fit.ios > provision.rates.free_ios && provision.rates.ios.is_some() {
                text.push_str(&format!(" {} IOPS", count_text(fit.ios as f64)));
            }
            if fit.bytes > provision.rates.free_megabytes * provision.bounds.megabyte
                && provision.rates.megabyte.is_some()
            {
                text.push_str(&format!(" {}", format_throughput(fit.bytes as f64)));
            }
            text
        }
    };
    format!("{} x {what}{}", fit.count, if volume.cached { ", read cache" } else { "" })
}

/// The disks of a build.
pub(super) fn disks(market: &Market, build: &Build) -> String {
    let bought = build.bought().into_iter().flat_map(|bought| {
        let data = Some(volume_text(market, &bought.data));
        [data, bought.log.as_ref().map(|log| format!("log {}", volume_text(market, log)))]
    });
    let vm = &market.vms[build.vm];
    let local = build.local().map(|(name, fit)| match name {
        "log" => format!("log {}", local_text(vm, fit)),
        _ => local_text(vm, fit),
    });
    bought.flatten().chain(local).collect::<Vec<String>>().join(" + ")
}

fn limit(limit: Limit) -> &'static str {
    match limit {
        Limit::UncachedIos | Limit::UncachedBytes => "VM",
        Limit::CachedIos | Limit::CachedBytes => "VM cached",
        Limit::Disks => "data disks",
        Limit::Capacity => "capacity of all disks",
    }
}

/// A word of an idea for documents.
pub(super) fn idea_name(kind: IdeaKind) -> String {
    match kind {
        IdeaKind::Cheapest => "cheapest".into(),
        IdeaKind::CheapestOn(cloud) => format!("cheapest_on_{}", cloud.name()),
        IdeaKind::Simplest => "simplest".into(),
        IdeaKind::Unprovisioned => "without_provisioned_disks".into(),
        IdeaKind::SoFar => "so_far".into(),
        IdeaKind::OnLocalDisks => "with_local_disks".into(),
    }
}

/// The measure by which an idea is the best: `the cheapest; the simplest (...)`.
pub(super) fn idea_text(idea: &Idea, rank: Rank) -> String {
    let first = if rank == Rank::Price { "the cheapest" } else { "the smallest" };
    let words = idea.kinds.iter().map(|kind| match kind {
        IdeaKind::Cheapest => first.to_string(),
        IdeaKind::CheapestOn(cloud) => format!("{first} on {}", cloud.name()),
        IdeaKind::Unprovisioned if rank == Rank::Size => format!("{first} without separately bought IOPS"),
        IdeaKind::Simplest => "the simplest (fewest disks within 10 % of the cheapest)".into(),
        IdeaKind::Unprovisioned => {
            "without separately bought IOPS (fewest disks within 10 % of the cheapest such)".into()
        }
        IdeaKind::SoFar => "passed before the interruption".into(),
        IdeaKind::OnLocalDisks => {
            "with local disks (they lose all data when the VM is stopped, moved or fails)".into()
        }
    });
    words.collect::<Vec<String>>().join("; ")
}

/// The refused configuration that comes nearest where the search itself names none: the one with the least latency, of those that
/// fail only by an assumed latency if there are any.
pub(super) fn nearest(plan: &Plan) -> Option<&Shown> {
    let latency = |shown: &Shown| match shown.because {
        Because::UnknownLatency(us) => (0, us),
        Because::Latency(us) => (1, us),
        _ => (2, f64::INFINITY),
    };
    let refused = plan.refused.iter().filter(|_| plan.candidates.is_empty());
    refused.min_by(|one, other| {
        let ((one, us), (other, other_us)) = (latency(one), latency(other));
        one.cmp(&other).then(us.total_cmp(&other_us))
    })
}

/// Reason against it: `VM uncached 44,000 < 50,000 IOPS`, `Arm (--arch any)`.
/// With `is_trace` the latency is that of a replay, which ends once the goal is missed.
pub(super) fn because(because: &Because, is_trace: bool) -> String {
    let bytes = |what: &str, amount: u64| match what {
        "memory" => Bytes(amount).to_string(),
        _ => count_text(amount as f64),
    };
    match because {
        Because::Limit { limit: of, wanted, have } if of.is_bytes() => format!(
            "{} {} < {}",
            limit(*of),
            format_throughput(*have as f64),
            format_throughput(*wanted as f64)
        ),
        Because::Limit { limit: of, wanted, have } => {
            let unit = match of {
                Limit::Disks => "",
                Limit::Capacity => " GiB",
                _ => " IOPS",
            };
            format!("{} {} < {}{unit}", limit(*of), count_text(*have as f64), count_text(*wanted as f64))
        }
        Because::NoPremium => "no premium storage".into(),
        Because::Unknown(what) => format!("{what} not known"),
        Because::Unpriced => "price not known".into(),
        Because::Arch(Arch::Arm64) => "Arm (--arch any)".into(),
        Because::Arch(Arch::X64) => "x64 (--arch any)".into(),
        Because::Previous => "previous generation (--include-old)".into(),
        Because::CpuBurstable => "processors on credits (--include-burstable)".into(),
        Because::Special => "GPU, HPC or confidential size (--include-special)".into(),
        Because::TooFew { what, have, wanted } => {
            format!("{what} {} < {}", bytes(what, *have), bytes(what, *wanted))
        }
        Because::TooMany { what, have, wanted } => {
            format!("{what} {} > {}", bytes(what, *have), bytes(what, *wanted))
        }
        Because::Restricted(reason) => format!("not offered there: {reason}"),
        Because::NoZone => "in no availability zone there, which its disks need".into(),
        Because::NoLocal => "no local disk that is known to be enough".into(),
        Because::Price => "dearer than --max-price".into(),
        Because::NoDisks => "no number of its disks is enough".into(),
        Because::Latency(us) if is_trace => {
            format!("latency at least {} in the replay of the trace", time_text(*us))
        }
        Because::Latency(us) => format!("latency {} at the requested rate", time_text(*us)),
        Because::UnknownLatency(us) => {
            format!("latency unknown: {} with the assumed latency of its disks", time_text(*us))
        }
        Because::Rate(iops) => format!("simulated: {} IOPS", count_text(*iops)),
    }
}

/// Number of VM sizes that were checked, and of those that arithmetic does not rule out. `missed`: none of these does that.
pub(super) fn checked(sizes: u64, left: u64, missed: Option<&str>) -> String {
    match missed {
        None => format!("{sizes} checked, {left} sufficient"),
        Some(_) if left == 0 => format!("{sizes} checked, none sufficient"),
        Some(missed) => format!("{sizes} checked, {left} with sufficient limits, none of which {missed}"),
    }
}

/// Subject of a count of refused sizes.
pub(crate) fn count_of(name: &str) -> String {
    match name {
        "vm.uncached.iops" => "VM's IOPS too low".into(),
        "vm.uncached.throughput" => "VM's throughput too low".into(),
        "vm.cached.iops" => "VM cached IOPS too low".into(),
        "vm.cached.throughput" => "VM cached throughput too low".into(),
        "vm.disks" => "too few data disks".into(),
        "vm.capacity" => "capacity of all disks too low".into(),
        "premium" => "no premium storage".into(),
        "unknown" => "limits unknown".into(),
        "price_unknown" => "price unknown".into(),
        "arch" => "another processor (--arch any)".into(),
        "previous_generation" => "previous generation (--include-old)".into(),
        "cpu_burstable" => "processors on credits (--include-burstable)".into(),
        "special" => "GPU, HPC or confidential sizes (--include-special)".into(),
        "bounds" => "outside the bounds on vCPUs or memory".into(),
        "restricted" => "not offered in the region".into(),
        "zone" => "in no availability zone".into(),
        "local" => "no local disk that is enough".into(),
        "price" => "dearer than --max-price".into(),
        "disks" => "no number of disks is enough".into(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_by_a_trace_names_the_replay_and_no_requested_rate() {
        let slow = Because::Latency(7_000.0);
        let text = time_text(7_000.0);
        assert_eq!(because(&slow, true), format!("latency at least {text} in the replay of the trace"));
        assert_eq!(because(&slow, false), format!("latency {text} at the requested rate"));
    }

    #[test]
    fn sizes_with_enough_limits_are_not_sufficient_where_nothing_meets_the_goal() {
        assert_eq!(checked(1_200, 671, None), "1200 checked, 671 sufficient");
        assert_eq!(
            checked(1_200, 671, Some("meets the goal")),
            "1200 checked, 671 with sufficient limits, none of which meets the goal"
        );
        assert_eq!(checked(1_200, 0, Some("meets the goal")), "1200 checked, none sufficient");
    }
}

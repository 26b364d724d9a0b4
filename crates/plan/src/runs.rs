//! Simulations that serve several builds: a limiter at which no I/O waited may as well be a larger one.

use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_model::{Algorithm, Blueprint, Credit, Dimension, Limit, LimiterSpec};
use iobound_predict::{BurstCredits, PredictError};

use crate::confirm::{AtRate, Candidate, Length};
use crate::need::Need;

/// A simulation of a need.
struct Run {
    need: Need,
    blueprint: Blueprint,
    /// By limiter: true if an I/O waited there.
    waited: Vec<bool>,
    /// Length of the run, its warm-up included.
    seconds: f64,
    /// True if burst credits were spent at its start.
    is_spent: bool,
    at_rate: AtRate,
}

/// The simulations of one length, one seed and one state of burst credits.
pub(crate) struct Runs {
    length: Length,
    runs: Vec<Run>,
}

impl Runs {
    pub(crate) fn of(length: Length) -> Runs {
        Runs { length, runs: Vec::new() }
    }

    /// Rate and latency of a need on a candidate, from an earlier simulation if that is the same I/O for I/O.
    ///
    /// # Errors
    /// Returns an error if the caller's callback ends the work.
    pub(crate) fn at_rate(
        &mut self,
        candidate: &Candidate,
        need: &Need,
        seed: u64,
        watch: &mut dyn FnMut(&Interval) -> Flow,
    ) -> Result<AtRate, PredictError> {
        let blueprint = &candidate.resolved.blueprint;
        if let Some(run) = self.runs.iter().find(|run| run.need == *need && run.is_of(blueprint)) {
            return Ok(run.at_rate.clone());
        }
        let run = Run::of(candidate, need, self.length, seed, watch)?;
        let at_rate = run.at_rate.clone();
        self.runs.push(run);
        Ok(at_rate)
    }
}

impl Run {
    fn of(
        candidate: &Candidate,
        need: &Need,
        length: Length,
        seed: u64,
        watch: &mut dyn FnMut(&Interval) -> Flow,
    ) -> Result<Run, PredictError> {
        let simulated = candidate.run(need, length, seed, watch)?;
        Ok(Run {
            need: *need,
            blueprint: candidate.resolved.blueprint.clone(),
            seconds: simulated.measured.end.ns() as f64 / 1e9,
            is_spent: candidate.credits == BurstCredits::Spent,
            at_rate: AtRate::of(&simulated),
            waited: simulated.waited,
        })
    }

    /// True if a simulation of another stack is this one: it has the same parts, and limits that differ are larger and let every I/O
    /// through at once here already.
    fn is_of(&self, other: &Blueprint) -> bool {
        let own = &self.blueprint;
        let mut limiters = own.limiters.iter().zip(&other.limiters).zip(&self.waited);
        own.limiters.len() == other.limiters.len()
            && limiters.all(|((one, other), waited)| one == other || !waited && self.is_larger(other, one))
            && (&own.volumes, &own.disks, &own.caches) == (&other.volumes, &other.disks, &other.caches)
    }

    /// True if a limiter lets at least the I/Os through at once that another one does for as long as this run.
    fn is_larger(&self, one: &LimiterSpec, other: &LimiterSpec) -> bool {
        (one.charge, one.algorithm) == (other.charge, other.algorithm)
            && Dimension::ALL.into_iter().all(|dimension| self.is_larger_in(dimension, one, other))
    }

    /// The same for one of its limits. By induction over slices: a larger limit leaves at least as much to each slice. Where credits are
    /// earned, what a slice may use is the base and the credits, at most the burst; larger credits and base never leave less.
    fn is_larger_in(&self, dimension: Dimension, one: &LimiterSpec, other: &LimiterSpec) -> bool {
        let (limit, least) = match (one.limit(dimension), other.limit(dimension)) {
            (None, _) => return true,
            (Some(_), None) => return false,
            (Some(limit), Some(least)) => (limit, least),
        };
        let base = |limit: Limit, of: &LimiterSpec| limit.enforced_micro(of.factor);
        let (own, others) = (base(limit, one), base(least, other));
        // One a second more is more in each slice, however its fractions fall; those of a burst are a millionth of an I/O.
        let is_more = own == others || own >= others.saturating_add(1_000_000);
        let burst = |credit: Credit, of: &LimiterSpec| credit.burst.saturating_mul(u64::from(of.factor.0));
        is_more
            && match (one.credit(dimension), other.credit(dimension)) {
                (None, None) => true,
                (Some(_), None) => false,
                (None, Some(credit)) => own >= burst(credit, other),
                (Some(credit), Some(less)) => {
                    let earned = limit.published as f64 * self.seconds;
                    let is_never_full = self.is_spent && earned <= credit.capacity as f64;
                    matches!(one.algorithm, Algorithm::Slice { .. })
                        && limit.published >= least.published
                        && burst(credit, one) >= burst(less, other)
                        && (credit.capacity >= less.capacity || is_never_full)
                }
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{Bought, Build};
    use crate::confirm::confirm;
    use crate::market::{Look, Market};
    use crate::need::{Shape, VolumeNeed};
    use iobound_catalog::{Catalog, Cloud, Os, parse_spec};
    use iobound_units::{Bandwidth, Bytes, Iops, Percent};

    fn need(iops: u64, block: u32) -> Need {
        let data = VolumeNeed {
            iops: Iops(iops),
            throughput: Bandwidth(0),
            shape: Shape { block, read: Percent::whole(70).unwrap() },
            capacity: Bytes::gib(512),
            working_set: Bytes::gib(512),
        };
        Need { data, log: None, temp: None, latency: None, headroom: Percent::ZERO }
    }

    /// Candidates of the same disks on VM sizes, in their order.
    fn candidates(cloud: Cloud, region: &str, disks: &str, vms: &[&str]) -> Vec<Candidate> {
        let catalog = Catalog::shipped();
        let lists = vec![(cloud, catalog.price_list(region, Os::Linux).unwrap())];
        let market = Market::of(&catalog, &lists, Look::default()).unwrap();
        let data = market.kept(&parse_spec(disks).unwrap()).unwrap();
        let of = |name: &&str| {
            let vm =
                market.vms.iter().position(|vm| vm.name == **name).unwrap_or_else(|| panic!("no {name}"));
            let build = Build::of(vm, Bought { data, log: None }, None, 0);
            confirm(&catalog, &market, &lists, &need(1_000, 4_096), &build).unwrap()
        };
        vms.iter().map(of).collect()
    }

    fn run_of(candidate: &Candidate, need: &Need) -> Run {
        Run::of(candidate, need, Length::Full, 3, &mut |_| Flow::Continue).unwrap()
    }

    #[test]
    fn a_simulation_serves_larger_vms_where_no_io_waited() {
        // Slices and credits on Azure, of 12,800 IOPS and more; buckets on AWS, of 12,000 and more.
        let azure = ["Standard_D8s_v5", "Standard_D16s_v5", "Standard_D32s_v5"];
        let aws = ["m5.2xlarge", "m5.4xlarge", "m5.8xlarge"];
        let of_azure = candidates(Cloud::Azure, "westeurope", "4xP30", &azure);
        let of_aws = candidates(Cloud::Aws, "us-east-1", "4xgp3@128GiB+4000iops+125MiB/s", &aws);
        for (candidates, iops) in [(of_azure, [6_000, 13_000]), (of_aws, [6_000, 11_900])] {
            let [served, own] = iops.map(|iops| {
                let need = need(iops, 8 << 10);
                let least = run_of(&candidates[0], &need);
                candidates[1..]
                    .iter()
                    .filter(|larger| {
                        let is_shared = least.is_of(&larger.resolved.blueprint);
                        assert!(!is_shared || run_of(larger, &need).at_rate == least.at_rate, "{iops}");
                        is_shared
                    })
                    .count()
            });
            // With half of the limit free no I/O waits; near the limit I/Os wait, and a larger VM is simulated itself.
            assert_eq!([served, own], [2, 0]);
        }
    }

    #[test]
    fn a_simulation_serves_no_smaller_vm_and_no_other_disks() {
        let of = |disks: &str| {
            candidates(Cloud::Azure, "westeurope", disks, &["Standard_D8s_v5", "Standard_D16s_v5"])
        };
        let (four, eight) = (of("4xP30"), of("8xP30"));
        let run = run_of(&four[1], &need(3_000, 8 << 10));
        assert!(run.is_of(&four[1].resolved.blueprint));
        assert!(!run.is_of(&four[0].resolved.blueprint) && !run.is_of(&eight[1].resolved.blueprint));
    }
}

//! Simulations that serve several builds: a limiter at which no I/O waited may as well be a larger one.

use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_model::{Blueprint, Dimension, Limit, LimiterSpec};
use iobound_predict::PredictError;

use crate::confirm::{AtRate, Candidate};
use crate::need::Need;

/// A simulation of a need.
struct Run {
    need: Need,
    blueprint: Blueprint,
    /// By limiter: true if an I/O waited there.
    waited: Vec<bool>,
    at_rate: AtRate,
}

/// The simulations of one seed and one state of burst credits.
#[derive(Default)]
pub(crate) struct Runs(Vec<Run>);

impl Runs {
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
        if let Some(run) = self.0.iter().find(|run| run.need == *need && run.is_of(blueprint)) {
            return Ok(run.at_rate.clone());
        }
        let (at_rate, waited) = candidate.run(need, seed, watch)?;
        self.0.push(Run { need: *need, blueprint: blueprint.clone(), waited, at_rate: at_rate.clone() });
        Ok(at_rate)
    }
}

impl Run {
    /// True if a simulation of another stack is this one: it has the same parts, and limits that differ are larger and let every I/O
    /// through at once here already.
    fn is_of(&self, other: &Blueprint) -> bool {
        let own = &self.blueprint;
        let mut limiters = own.limiters.iter().zip(&other.limiters).zip(&self.waited);
        own.limiters.len() == other.limiters.len()
            && limiters.all(|((one, other), waited)| one == other || !waited && is_larger(other, one))
            && (&own.volumes, &own.disks, &own.caches) == (&other.volumes, &other.disks, &other.caches)
    }
}

/// True if a limiter lets at least the I/Os through at once that another one does: it differs from it in its limits alone, and each of
/// these is the same or larger by one a second, so that it grants more in every slice. Credits are another matter: a larger limit
/// leaves less to burst.
fn is_larger(one: &LimiterSpec, other: &LimiterSpec) -> bool {
    let is_at_least = |dimension| match (one.limit(dimension), other.limit(dimension)) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(limit), Some(least)) => {
            let enforced = |limit: Limit, of: &LimiterSpec| limit.enforced_micro(of.factor);
            let (limit, least) = (enforced(limit, one), enforced(least, other));
            limit == least || limit >= least.saturating_add(1_000_000)
        }
    };
    let is_alike = (one.charge, one.algorithm) == (other.charge, other.algorithm);
    let has_credits = one.credits.is_some() || other.credits.is_some();
    is_alike && !has_credits && Dimension::ALL.into_iter().all(is_at_least)
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
        let (at_rate, waited) = candidate.run(need, 3, &mut |_| Flow::Continue).unwrap();
        Run { need: *need, blueprint: candidate.resolved.blueprint.clone(), waited, at_rate }
    }

    #[test]
    fn a_simulation_serves_larger_vms_where_no_io_waited() {
        // Slices on Azure: 12,800 IOPS and 290 MB/s, 20,000 and 600, 51,200 and 865. Buckets on AWS.
        let azure = ["Standard_D8s_v5", "Standard_D16s_v5", "Standard_D32s_v5"];
        let aws = ["m5.2xlarge", "m5.4xlarge", "m5.8xlarge"];
        let of_azure = candidates(Cloud::Azure, "westeurope", "4xP30", &azure);
        let of_aws = candidates(Cloud::Aws, "us-east-1", "4xgp3@128GiB+4000iops+125MiB/s", &aws);
        for (candidates, iops) in [(of_azure, [6_000, 12_700]), (of_aws, [6_000, 11_900])] {
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

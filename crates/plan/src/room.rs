//! Rates that arithmetic proves, without a simulation.

use iobound_predict::{BurstCredits, PredictError, fullest_of};

use crate::confirm::{Candidate, depth_of, workload_of};
use crate::need::{Need, VolumeNeed};

/// Use of a limit above which a simulation decides: with less to spare, I/Os queue for as long as a simulation takes.
const MOST_USED: f64 = 0.985;
/// Share of the I/Os that may be outstanding above which a simulation decides.
const MOST_OUTSTANDING: f64 = 0.5;

impl Candidate {
    /// True if arithmetic shows that the asked rate is carried: no limit is nearly full, and few of the I/Os that may be outstanding are.
    /// A simulation would then show the scatter of its arrivals alone.
    pub(crate) fn has_room(&self, need: &Need) -> Result<bool, PredictError> {
        if self.credits == BurstCredits::Full {
            // Credits may be spent before a simulation ends.
            return Ok(false);
        }
        let fullest = fullest_of(&self.resolved, &workload_of(need, true), 1.0, self.credits)?;
        let is_quick = |need: &VolumeNeed| {
            let latencies =
                self.resolved.blueprint.disks.iter().flat_map(|disk| [disk.media.read, disk.media.write]);
            let slowest = latencies.map(|latency| latency.mean_for(u64::from(need.shape.block))).max();
            let outstanding = slowest.map_or(0.0, |latency| need.iops.get() as f64 * latency.secs_f64());
            outstanding <= f64::from(depth_of(need)) * MOST_OUTSTANDING
        };
        let mut volumes = std::iter::once(&need.data).chain(&need.log).chain(&need.temp);
        Ok(fullest.is_some_and(|fullest| fullest <= MOST_USED) && volumes.all(is_quick))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confirm::confirm;
    use crate::market::{Look, Market};
    use crate::need::Shape;
    use crate::search::search;
    use crate::terms::Terms;
    use iobound_catalog::{Catalog, Cloud, Os};
    use iobound_drive::Flow;
    use iobound_units::{Bandwidth, Bytes, Iops, Percent};

    #[test]
    fn what_arithmetic_shows_a_simulation_shows_too() {
        let catalog = Catalog::shipped();
        let mut shown = 0;
        for (cloud, region) in
            [(Cloud::Azure, "westeurope"), (Cloud::Aws, "us-east-1"), (Cloud::Gcp, "us-central1")]
        {
            let lists = vec![(cloud, catalog.price_list(region, Os::Linux).unwrap())];
            let market = Market::of(&catalog, &lists, Look::default()).unwrap();
            for (iops, block, read, headroom) in [
                (900, 64 << 10, 0, 10),
                (7_000, 16 << 10, 100, 2),
                (23_000, 8 << 10, 50, 0),
                (60_000, 4 << 10, 70, 5),
            ] {
                let data = VolumeNeed {
                    iops: Iops(iops),
                    throughput: Bandwidth(0),
                    shape: Shape { block, read: Percent::whole(read).unwrap() },
                    capacity: Bytes::gib(700),
                    working_set: Bytes::gib(700),
                };
                let log = Some(VolumeNeed { iops: Iops(iops / 10), ..data });
                let headroom = Percent::whole(headroom).unwrap();
                let need = Need { data, log, temp: None, latency: None, headroom };
                let builds = search(&market, &need, &Terms::default()).builds;
                let mut candidate = confirm(&catalog, &market, &lists, &need, &builds[0]).unwrap();
                if candidate.has_room(&need).unwrap() {
                    shown += 1;
                    let because = candidate.simulate(&need, 1, &mut |_| Flow::Continue).unwrap();
                    assert_eq!(because, None, "{iops}: {:?}", candidate.configuration);
                }
            }
        }
        assert!(shown >= 6, "{shown}");
    }

    #[test]
    fn arithmetic_shows_nothing_at_a_full_limit() {
        let catalog = Catalog::shipped();
        let lists = vec![(Cloud::Aws, catalog.price_list("us-east-1", Os::Linux).unwrap())];
        let market = Market::of(&catalog, &lists, Look::default()).unwrap();
        let need = |iops: u64| {
            let shape = Shape { block: 4 << 10, read: Percent::whole(50).unwrap() };
            let size = Bytes::gib(100);
            let data = VolumeNeed {
                iops: Iops(iops),
                throughput: Bandwidth(0),
                shape,
                capacity: size,
                working_set: size,
            };
            Need { data, log: None, temp: None, latency: None, headroom: Percent::ZERO }
        };
        let builds = search(&market, &need(20_000), &Terms::default()).builds;
        let candidate = confirm(&catalog, &market, &lists, &need(20_000), &builds[0]).unwrap();
        let at = workload_of(&need(20_000), true);
        let used = fullest_of(&candidate.resolved, &at, 1.0, BurstCredits::Spent).unwrap().unwrap();
        for (share, has_room) in [(0.5, true), (0.98, true), (0.99, false), (1.0, false), (1.5, false)] {
            let asked = need((20_000.0 / used * share) as u64);
            assert_eq!(candidate.has_room(&asked).unwrap(), has_room, "{share} of {used}");
        }
    }
}

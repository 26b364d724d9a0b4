//! A need that several equal hosts share.

use iobound_units::Percent;

use crate::build::Build;
use crate::market::Market;
use crate::need::Need;
use crate::search::search;
use crate::terms::Terms;

/// Over how many hosts a need is split, evenly, and how slow one of them may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// The least number of hosts, and the most: the cheapest of them is taken.
    pub hosts: [u64; 2],
    /// Share of its limits that a host delivers: a scan that waits for such a host meets the need.
    pub slow: Percent,
}

impl Default for Split {
    fn default() -> Split {
        Split { hosts: [1, 1], slow: Percent::HUNDRED }
    }
}

/// The least price of the need on so many hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnHosts {
    /// Their number.
    pub hosts: u64,
    /// Configuration of each host; `None`: nothing is enough.
    pub build: Option<Build>,
}

impl OnHosts {
    /// Sort key: the price of all hosts together.
    pub(crate) fn cost(&self) -> Option<u128> {
        self.build.map(|build| u128::from(build.price) * u128::from(self.hosts))
    }
}

impl Need {
    /// Need of each of several hosts, rounded up; of every limit so much stays free that `slow` of the limits is enough
    /// for it.
    pub fn of_host(&self, hosts: u64, slow: Percent) -> Need {
        let mut need = self.shared_by(hosts);
        if slow < Percent::HUNDRED {
            let used = u64::from(need.headroom.complement().ppm()) * u64::from(slow.ppm()) / 1_000_000;
            // What is left of them is no more than there was.
            let used = Percent::from_ppm(used as u32).expect("a share of a share is a share");
            need.headroom = used.complement();
        }
        need
    }
}

impl Terms {
    /// Price bound of one host: a bound on the price is for all hosts.
    pub(crate) fn of_host(&self, hosts: u64) -> Terms {
        Terms { most: self.most.map(|most| most / hosts), ..self.clone() }
    }
}

/// The need on each number of hosts, cheapest first; of equal prices the fewest hosts.
pub(crate) fn by_hosts(market: &Market, need: &Need, terms: &Terms, split: &Split) -> Vec<OnHosts> {
    let [least, most] = split.hosts;
    let mut all: Vec<OnHosts> = (least..=most)
        .map(|hosts| {
            let found = search(market, &need.of_host(hosts, split.slow), &terms.of_host(hosts));
            OnHosts { hosts, build: found.builds.first().copied() }
        })
        .collect();
    // What is not enough comes last, however few hosts it has.
    all.sort_by_key(|on| (on.cost().is_none(), on.cost(), on.hosts));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::need::{Shape, VolumeNeed};
    use iobound_units::{Bandwidth, Bytes, Iops};

    #[test]
    fn a_slow_host_has_enough_in_what_it_has_left() {
        let data = VolumeNeed {
            iops: Iops(80_001),
            throughput: Bandwidth(0),
            shape: Shape { block: 8_192, read: Percent::whole(70).unwrap() },
            capacity: Bytes::gib(9),
            working_set: Bytes::gib(9),
        };
        let headroom = Percent::whole(20).unwrap();
        let need = Need { data, log: None, temp: None, latency: None, headroom };
        // 80,001 over 8 hosts, rounded up; half of 80 % of the limits are 40 %.
        let one = need.of_host(8, Percent::whole(50).unwrap());
        assert_eq!((one.data.iops, one.headroom), (Iops(10_001), Percent::whole(60).unwrap()));
        assert_eq!(need.of_host(1, Percent::HUNDRED), need);
    }
}

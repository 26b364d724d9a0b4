//! A need that several hosts share.

use iobound_catalog::{Catalog, Cloud, Os, PriceList};
use iobound_drive::Flow;
use iobound_plan::{
    Asked, LatencyTarget, Look, Market, Need, Plan, Shape, Split, Statistic, Stock, Terms, VolumeNeed, plan,
    search,
};
use iobound_units::{Bandwidth, Bytes, Iops, Percent, Span};
use proptest::prelude::*;

struct Shop {
    catalog: Catalog,
    market: Market,
    lists: Vec<(Cloud, PriceList)>,
}

impl Shop {
    fn new() -> Shop {
        let catalog = Catalog::shipped();
        let lists = vec![(Cloud::Azure, catalog.price_list("westeurope", Os::Linux).unwrap())];
        let market = Market::of(&catalog, &lists, Look::default()).unwrap();
        Shop { catalog, market, lists }
    }

    fn plan(&self, need: Need, hosts: [u64; 2], slow: u32) -> Plan {
        self.plan_on(need, Terms::default(), Split { hosts, slow: Percent::whole(slow).unwrap() })
    }

    fn plan_on(&self, need: Need, terms: Terms, split: Split) -> Plan {
        let stock = Stock { catalog: &self.catalog, market: &self.market, lists: &self.lists };
        let asked = Asked { need, terms, split, candidates: 3, simulated: 2, range: None, seed: 0 };
        plan(&stock, &asked, &mut |_| Flow::Continue).unwrap()
    }
}

fn need(iops: u64, gib: u64) -> Need {
    let data = VolumeNeed {
        iops: Iops(iops),
        throughput: Bandwidth(0),
        shape: Shape { block: 8_192, read: Percent::whole(70).unwrap() },
        capacity: Bytes::gib(gib),
        working_set: Bytes::gib(gib),
    };
    Need { data, log: None, temp: None, latency: None, headroom: Percent::ZERO }
}

fn cost(plan: &Plan) -> u64 {
    plan.candidates[0].build.price * plan.hosts
}

#[test]
fn a_plan_for_several_hosts_is_so_many_plans_for_a_part() {
    let shop = Shop::new();
    // 100,001 over 8 is 12,500.125, and 4,001 GiB is 500.125: a part is rounded up.
    let whole = shop.plan(need(100_001, 4_001), [8, 8], 100);
    let mut part = need(12_501, 1);
    part.data.capacity = Bytes((4_001 << 30) / 8);
    part.data.working_set = part.data.capacity;
    let part = shop.plan(part, [1, 1], 100);
    assert_eq!((whole.hosts, whole.each), (8, part.need));
    let builds = |plan: &Plan| plan.candidates.iter().map(|of| of.build).collect::<Vec<_>>();
    assert_eq!(builds(&whole), builds(&part));
    assert_eq!(whole.need.data.iops, Iops(100_001));
    assert_eq!(cost(&whole), 8 * cost(&part));
    assert!(whole.by_hosts.is_empty());
}

#[test]
fn the_cheapest_number_of_hosts_is_that_of_trying_each() {
    let shop = Shop::new();
    for need in [need(50_000, 4_096), need(2_000_000, 8_192)] {
        let several = shop.plan(need, [1, 7], 100);
        let each: Vec<Plan> = (1..=7).map(|hosts| shop.plan(need, [hosts, hosts], 100)).collect();
        let least = each.iter().filter(|plan| !plan.candidates.is_empty()).map(cost).min();
        assert_eq!(Some(cost(&several)), least);
        assert_eq!(
            several.by_hosts.iter().map(|on| on.hosts).collect::<Vec<_>>(),
            (1..=7).collect::<Vec<_>>()
        );
        for (on, plan) in several.by_hosts.iter().zip(&each) {
            let found = plan.candidates.first().map(|first| first.build.price);
            assert_eq!(on.build.map(|build| build.price), found, "{} hosts", on.hosts);
        }
    }
}

#[test]
fn a_latency_is_proved_on_the_number_of_hosts_that_is_taken() {
    let shop = Shop::new();
    let target = LatencyTarget { of: Statistic::P99, most: Span::from_ms(2) };
    let plan = shop.plan(Need { latency: Some(target), ..need(60_000, 1_024) }, [2, 6], 100);
    let p99 = plan.candidates[0].simulated.as_ref().unwrap().latency.unwrap().p99.unwrap();
    assert!(p99 <= 2_000.0, "{p99}");
}

#[test]
fn a_scan_that_waits_for_a_slow_host_still_has_what_is_needed() {
    let shop = Shop::new();
    let (even, spare) =
        (shop.plan(need(80_000, 1_024), [4, 4], 100), shop.plan(need(80_000, 1_024), [4, 4], 40));
    for candidate in &spare.candidates {
        // Each host of four at 40 % of its limits.
        assert!(candidate.delivers.iops * 4.0 * 0.4 >= 80_000.0 * (1.0 - 1e-6), "{:?}", candidate.delivers);
        // Looked at as the hosts do when none is slow.
        let at_rate = candidate.simulated.as_ref().map_or(20_000.0, |at_rate| at_rate.iops);
        assert!((at_rate / 20_000.0 - 1.0).abs() < 0.02, "{at_rate}");
    }
    assert!(cost(&spare) > cost(&even));
    assert_eq!((spare.need, spare.each), (even.need, even.each));
}

#[test]
fn a_price_is_bounded_for_all_hosts_together() {
    let shop = Shop::new();
    let free = shop.plan(need(80_000, 1_024), [4, 4], 100);
    let bounded = |most: u64| {
        let terms = Terms { most: Some(most), ..Terms::default() };
        shop.plan_on(need(80_000, 1_024), terms, Split { hosts: [4, 4], ..Split::default() })
    };
    assert_eq!(cost(&bounded(cost(&free))), cost(&free));
    let nothing = bounded(cost(&free) - 4);
    assert!(nothing.candidates.is_empty());
}

#[test]
fn more_hosts_than_one_can_share_what_one_cannot_do() {
    let shop = Shop::new();
    let one = shop.plan(need(4_000_000, 1_024), [1, 1], 100);
    assert!(one.candidates.is_empty());
    let several = shop.plan(need(4_000_000, 1_024), [1, 24], 100);
    assert!(several.hosts > 1 && several.by_hosts[0].build.is_none());
    let none = shop.plan(need(u64::MAX, 1_024), [1, 3], 100);
    assert_eq!((none.candidates.len(), none.hosts), (0, 3));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn more_hosts_never_ask_more_of_each(
        iops in 1u64..1_000_000, gib in 1u64..20_000, hosts in 1u64..64, more in 1u64..64, slow in 1u32..=100,
    ) {
        let shop = Shop::new();
        let slow = Percent::whole(slow).unwrap();
        let of = |hosts| need(iops, gib).of_host(hosts, slow);
        let (few, many) = (of(hosts), of(hosts + more));
        prop_assert!(many.data.iops <= few.data.iops && many.data.capacity <= few.data.capacity);
        prop_assert!(many.data.iops.get() * (hosts + more) >= iops, "what all do is all that is needed");
        let price = |need: &Need| search(&shop.market, need, &Terms::default()).builds.first().map(|b| b.price);
        if let Some(few) = price(&few) {
            prop_assert!(price(&many).unwrap() <= few);
        }
    }
}

//! What is accepted besides being enough: without prices, zone-redundant disks, local disks, billed I/Os, what the seller refuses.

use std::collections::BTreeSet;

use iobound_catalog::{Catalog, Cloud, DiskType, Os, PriceList, Redundancy, VmLimit, parse_spec};
use iobound_drive::Flow;
use iobound_plan::{
    Asked, Because, Candidate, LatencyTarget, Law, Look, Market, Need, Plan, Rank, Shape, Split, Statistic,
    Stock, Terms, VolumeNeed, confirm, plan, search,
};
use iobound_units::{Bandwidth, Bytes, Iops, Percent, Span};

const USD: u64 = 1_000_000_000;

struct Shop {
    catalog: Catalog,
    market: Market,
    lists: Vec<(Cloud, PriceList)>,
}

impl Shop {
    fn of(catalog: Catalog, regions: &[(Cloud, &str)], look: Look) -> Shop {
        let list = |region: &str| catalog.price_list(region, Os::Linux).unwrap();
        let lists: Vec<(Cloud, PriceList)> =
            regions.iter().map(|(cloud, region)| (*cloud, list(region))).collect();
        let market = Market::of(&catalog, &lists, look).unwrap();
        Shop { catalog, market, lists }
    }

    fn azure(region: &str, look: Look) -> Shop {
        Shop::of(Catalog::shipped(), &[(Cloud::Azure, region)], look)
    }

    fn plan(&self, need: Need, terms: Terms) -> Plan {
        let stock = Stock { catalog: &self.catalog, market: &self.market, lists: &self.lists };
        let split = Split::default();
        let asked = Asked { need, terms, split, candidates: 3, simulated: 3, range: None, seed: 0 };
        plan(&stock, &asked, &mut |_| Flow::Continue).unwrap()
    }
}

fn volume(iops: u64, block: u32, read: u32, gib: u64) -> VolumeNeed {
    VolumeNeed {
        iops: Iops(iops),
        throughput: Bandwidth(0),
        shape: Shape { block, read: Percent::whole(read).unwrap() },
        capacity: Bytes::gib(gib),
        working_set: Bytes::gib(gib),
    }
}

fn need(data: VolumeNeed) -> Need {
    Need { data, log: None, temp: None, latency: None, headroom: Percent::ZERO }
}

#[test]
fn without_prices_the_fewest_vcpus_come_first_and_nothing_has_a_price() {
    let shop = Shop::azure("brazilsouth", Look::default());
    let unpriced: Vec<String> = shop.market.unpriced_regions.iter().map(ToString::to_string).collect();
    assert_eq!(
        (shop.market.rank, unpriced),
        (Rank::Size, vec!["no prices are known for brazilsouth".into()])
    );
    let terms = Terms { per_disk: shop.market.per_disk(USD), ..Terms::default() };
    let asked = need(volume(50_000, 8 << 10, 70, 4_096));
    let found = search(&shop.market, &asked, &terms);
    let rank = |vm: usize| {
        let vm = &shop.market.vms[vm];
        (vm.whole, vm.memory.map(|memory| memory.div_ceil(1 << 30)))
    };
    assert!(found.builds.is_sorted_by_key(|build| rank(build.vm)));
    assert!(found.builds.iter().all(|build| shop.market.price(build).is_none()));
    assert!(!found.counts.contains_key("price_unknown"), "{:?}", found.counts);
    let plan = shop.plan(asked, terms);
    assert_eq!(plan.candidates.len(), 3);
    assert!(plan.frontier.is_empty() && plan.next_thousand.is_none());
}

#[test]
fn what_is_enough_does_not_depend_on_what_ranks_it() {
    let sizes = |rank: Rank| -> BTreeSet<String> {
        let shop = Shop::azure("westeurope", Look { rank: Some(rank), ..Look::default() });
        let terms = Terms { per_disk: shop.market.per_disk(USD), ..Terms::default() };
        let asked = need(volume(20_000, 8 << 10, 70, 1_000));
        let found = search(&shop.market, &asked, &terms);
        found.builds.iter().map(|build| shop.market.vms[build.vm].name.clone()).collect()
    };
    let (by_price, by_size) = (sizes(Rank::Price), sizes(Rank::Size));
    assert!(!by_price.is_empty() && by_price.is_subset(&by_size));
    let catalog = Catalog::shipped();
    let list = catalog.price_list("westeurope", Os::Linux).unwrap();
    // What only the rank by size has is what no price is known of.
    for name in by_size.difference(&by_price) {
        assert!(list.vm(name.split(':').next().unwrap()).is_none(), "{name}");
    }
}

#[test]
fn a_kept_vm_without_a_price_is_planned_by_its_disks() {
    let catalog = Catalog::shipped();
    let mine = "[[vm]]\nname='Standard_Mine'\nvcpus=8\nmax_data_disks=16\npremium_io=true\nuncached_iops=20000\nuncached_mbps=500\n";
    let catalog = catalog.with_user("mine.toml", mine).unwrap();
    let shop = Shop::of(catalog, &[(Cloud::Azure, "westeurope")], Look::default());
    let terms = Terms { vm: Some("Standard_Mine".into()), ..Terms::default() };
    let found = search(&shop.market, &need(volume(4_000, 8 << 10, 70, 500)), &terms);
    let first = found.builds.first().expect("its disks are enough");
    assert_eq!((first.price, shop.market.price(first)), (first.bought().unwrap().data.fit.price, None));
}

#[test]
fn what_is_done_on_kept_standard_disks_is_billed_up_to_the_hourly_most() {
    let shop = Shop::azure("westeurope", Look::default());
    let price_of = |disks: &str, asked: VolumeNeed| {
        let kept = shop.market.kept(&parse_spec(disks).unwrap()).unwrap();
        let terms = Terms { kept: Some(kept), ..Terms::default() };
        let found = search(&shop.market, &need(asked), &terms);
        let build = *found.builds.first().unwrap_or_else(|| panic!("{disks} is enough"));
        build.price - shop.market.vms[build.vm].price.unwrap()
    };
    // An E30 is 76.80 USD, 10,000 I/Os are 0.002 USD. 200 a second are 720,000 an hour on four disks, below 4 x 600,000:
    // 720,000 x 730 / 10,000 x 0.002 = 105.12.
    assert_eq!(price_of("4xE30", volume(200, 8 << 10, 70, 1_024)), 4 * 76_800_000_000 + 105_120_000_000);
    // 2,000 a second are 7.2 million an hour: 2.4 million are billed, 2,400,000 x 730 / 10,000 x 0.002 = 350.40.
    assert_eq!(price_of("4xE30", volume(2_000, 8 << 10, 70, 1_024)), 4 * 76_800_000_000 + 350_400_000_000);
    // Of an S4 each 16 KiB is one, 450,000 an hour at most: 20 a second of 64 KiB are 288,000, 100 are 1,440,000.
    // 288,000 x 730 / 10,000 x 0.0005 = 10.512; 450,000 make 16.425.
    let [few, many] = [20, 100].map(|iops| price_of("S4", volume(iops, 64 << 10, 50, 32)));
    assert_eq!(many - few, 16_425_000_000 - 10_512_000_000);
}

#[test]
fn headroom_is_not_billed() {
    let shop = Shop::azure("westeurope", Look::default());
    let kept = shop.market.kept(&parse_spec("8xE30").unwrap()).unwrap();
    let terms = Terms { kept: Some(kept), ..Terms::default() };
    let price = |headroom: u32| {
        let asked =
            Need { headroom: Percent::whole(headroom).unwrap(), ..need(volume(500, 8 << 10, 70, 1_024)) };
        search(&shop.market, &asked, &terms).builds[0].price
    };
    assert_eq!(price(0), price(30));
}

#[test]
fn zone_redundant_disks_are_tiers_with_prices_of_their_own() {
    let look = Look { redundancy: Redundancy::Zrs, ..Look::default() };
    let shop = Shop::azure("westeurope", look);
    let asked = need(volume(5_000, 8 << 10, 70, 1_024));
    let found = search(&shop.market, &asked, &Terms::default());
    let mut types = BTreeSet::new();
    for build in found.builds.iter().take(60) {
        types.insert(build.bought().unwrap().data.disk);
        let candidate = confirm(&shop.catalog, &shop.market, &shop.lists, &asked, build).unwrap();
        assert!(candidate.resolved.disks.iter().all(|disk| disk.redundancy == Redundancy::Zrs));
        if build.bought().unwrap().data.disk == DiskType::Premium {
            assert_eq!(
                candidate.price.per_month.unwrap().0,
                build.price,
                "{:?}",
                candidate.configuration.volumes
            );
        }
    }
    assert!(types.contains(&DiskType::Premium) && !types.contains(&DiskType::PremiumV2));
    let of = |text: &str| shop.market.kept(&parse_spec(text).unwrap());
    assert!(of("2xP30-ZRS").is_ok() && of("2xP30").unwrap_err().contains("--redundancy lrs"));
}

#[test]
fn performance_plus_is_offered_and_comes_after_the_disk_without_it() {
    let shop = Shop::azure("westeurope", Look::default());
    let premium = Terms { disks: vec![DiskType::Premium], ..Terms::default() };
    let cheapest = |asked: &Need, terms: &Terms| {
        let build = search(&shop.market, asked, terms).builds[0];
        let candidate = confirm(&shop.catalog, &shop.market, &shop.lists, asked, &build).unwrap();
        assert_eq!(candidate.price.per_month.unwrap().0, build.price);
        (candidate.resolved.disks[0].described.clone(), candidate.resolved.disks.len())
    };
    // One P30 has 5,000 IOPS, or 8,000 with performance plus, for the same price; one P40 has 7,500 or 16,000.
    for (iops, gib, disk) in [
        (7_000, 1_024, "P30+performance-plus"),
        (12_000, 2_000, "P40+performance-plus"),
        (4_500, 1_024, "P30"),
        (500, 100, "P10"),
    ] {
        let asked = need(volume(iops, 8 << 10, 0, gib));
        assert_eq!(cheapest(&asked, &premium), (disk.to_string(), 1), "{iops}");
    }
    // Asked for by name, no disk without it is taken: also where that would be enough.
    let only = Terms { plus_only: vec![DiskType::Premium], ..premium };
    let small = need(volume(500, 8 << 10, 0, 100));
    assert_eq!(cheapest(&small, &only), ("P30+performance-plus".to_string(), 1));
    let latency = Some(LatencyTarget { of: Statistic::P99, most: Span::from_ms(10) });
    let plan = shop.plan(Need { latency, ..small }, only);
    assert!(!plan.candidates.is_empty());
    let has_plus = |candidate: &Candidate| {
        let bought = candidate.build.bought().unwrap();
        shop.market.offers[bought.data.offer].has_performance_plus()
    };
    assert!(plan.candidates.iter().all(has_plus));
}

#[test]
fn without_prices_performance_plus_counts_what_it_provides() {
    let shop = Shop::azure("westeurope", Look { rank: Some(Rank::Size), ..Look::default() });
    let price = |name: &str| {
        let is_it = |law: &Law| matches!(law, Law::Tier { name: own, .. } if own == name);
        match shop.market.offers.iter().find(|offer| is_it(&offer.law)).map(|offer| &offer.law) {
            Some(Law::Tier { price, .. }) => *price,
            _ => panic!("there is no {name}"),
        }
    };
    // GiB, IOPS and MB/s added up.
    assert_eq!(price("P30"), 1_024 + 5_000 + 200);
    assert_eq!(price("P30+performance-plus"), 1_024 + 8_000 + 300);
}

#[test]
fn a_disk_set_to_a_higher_tier_can_be_kept() {
    let kept =
        |look: Look, text: &str| Shop::azure("westeurope", look).market.kept(&parse_spec(text).unwrap());
    let raised = Look { raised: true, ..Look::default() };
    let (own, set) = (kept(raised, "P50").unwrap().fit, kept(raised, "P10+P50").unwrap().fit);
    assert_eq!((set.gib, set.ios, set.price), (128, own.ios, own.price));
    assert!(kept(Look::default(), "P10+P50").is_err());
    let plus = kept(Look::default(), "P40+performance-plus").unwrap().fit;
    assert_eq!((plus.ios, plus.price), (16_000, kept(Look::default(), "P40").unwrap().fit.price));
}

#[test]
fn temporary_data_goes_to_local_disks_that_are_enough_for_it() {
    let shop = Shop::azure("westeurope", Look::default());
    let temp = Some(volume(5_000, 64 << 10, 50, 100));
    let asked = Need { temp, ..need(volume(5_000, 8 << 10, 70, 500)) };
    let plan = shop.plan(asked, Terms::default());
    assert_eq!(plan.candidates.len(), 3);
    for candidate in &plan.candidates {
        let fit = candidate.build.temp.expect("there is a local disk");
        let local = &shop.market.vms[candidate.build.vm].local[fit.kind];
        assert!(local.gib * fit.count >= 100);
        // Both volumes' rates together.
        assert!(candidate.simulated.as_ref().unwrap().iops > 0.985 * 10_000.0);
        assert!(candidate.configuration.volumes.iter().any(|volume| volume.name.as_deref() == Some("temp")));
    }
    // What the search takes for enough, the model does too: nothing was refused by its rate.
    assert!(
        plan.refused.iter().all(|refused| !matches!(refused.because, Because::Rate(_))),
        "{:?}",
        plan.refused
    );
    assert!(plan.counts.get("local").is_some_and(|sizes| *sizes > 0));
    let without = search(&shop.market, &need(asked.data), &Terms::default());
    assert!(without.builds.iter().all(|build| build.temp.is_none()), "only when it is asked for");
}

#[test]
fn what_the_seller_refuses_is_not_offered_and_what_is_there_is_kept() {
    let mine = "[[vm]]\nname='Standard_F16as_v6'\nrestricted_in='westeurope=NotAvailableForSubscription'\n\
        [[vm]]\nname='Standard_D16as_v6'\nzones_in='westeurope=none'\n";
    let catalog = Catalog::shipped().with_user("mine.toml", mine).unwrap();
    let shop = Shop::of(catalog, &[(Cloud::Azure, "westeurope")], Look::default());
    let name = |build: &iobound_plan::Build| shop.market.vms[build.vm].name.as_str();
    let asked = need(volume(20_000, 8 << 10, 70, 1_024));
    let found = search(&shop.market, &asked, &Terms::default());
    assert!(found.builds.iter().all(|build| name(build) != "Standard_F16as_v6"));
    assert_eq!(found.counts.get("restricted"), Some(&1));
    let kept = Terms { vm: Some("Standard_F16as_v6".into()), ..Terms::default() };
    assert!(!search(&shop.market, &asked, &kept).builds.is_empty());
    // Premium SSD v2 and Ultra disks are of a zone; Premium SSDs need none.
    let of_size: Vec<DiskType> = found
        .builds
        .iter()
        .filter(|build| name(build) == "Standard_D16as_v6")
        .map(|build| build.bought().unwrap().data.disk)
        .collect();
    assert!(
        of_size.contains(&DiskType::Premium)
            && of_size.iter().all(|disk| disk.kind().limit == VmLimit::Uncached),
        "{of_size:?}"
    );
}

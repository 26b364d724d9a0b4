//! Different ideas of what to buy, default terms, and regions whose price list is not whole.

use iobound_catalog::{Catalog, Cloud, DiskType, Os, PriceList, SeriesKind, parse_spec};
use iobound_drive::Flow;
use iobound_plan::{
    Asked, Because, Candidate, IdeaKind, LatencyTarget, Law, Look, Market, Need, Plan, Rank, Shape, Split,
    Statistic, Stock, Terms, VolumeNeed, next_cheaper, on_local, plan, search,
};
use iobound_units::{Bandwidth, Bytes, Iops, Percent, Span};

struct Shop {
    catalog: Catalog,
    market: Market,
    lists: Vec<(Cloud, PriceList)>,
}

impl Shop {
    fn of(regions: &[(Cloud, &str)], look: Look) -> Shop {
        let catalog = Catalog::shipped();
        let list = |region: &str| catalog.price_list(region, Os::Linux).unwrap();
        let lists: Vec<(Cloud, PriceList)> =
            regions.iter().map(|(cloud, region)| (*cloud, list(region))).collect();
        let market = Market::of(&catalog, &lists, look).unwrap();
        Shop { catalog, market, lists }
    }

    fn plan(&self, need: Need, terms: Terms, candidates: usize) -> Plan {
        let stock = Stock { catalog: &self.catalog, market: &self.market, lists: &self.lists };
        let split = Split::default();
        let asked = Asked { need, terms, split, candidates, simulated: 3, range: None, seed: 0 };
        plan(&stock, &asked, &mut |_| Flow::Continue).unwrap()
    }
}

const AZURE: (Cloud, &str) = (Cloud::Azure, "westeurope");
const AWS: (Cloud, &str) = (Cloud::Aws, "us-east-1");
const GCP: (Cloud, &str) = (Cloud::Gcp, "us-central1");

fn need(iops: u64, block: u32, read: u32, gib: u64) -> Need {
    let data = VolumeNeed {
        iops: Iops(iops),
        throughput: Bandwidth(0),
        shape: Shape { block, read: Percent::whole(read).unwrap() },
        capacity: Bytes::gib(gib),
        working_set: Bytes::gib(gib),
    };
    Need { data, log: None, temp: None, latency: None, headroom: Percent::whole(10).unwrap() }
}

#[test]
fn spare_figures_are_bought_only_where_i_os_queue() {
    // Four gp3 carry 12,000 IOPS and queue. Six do not, on the same VM size, which has 12,500: 186 USD a month.
    let shop = Shop::of(&[AWS], Look::default());
    let latency = Some(LatencyTarget { of: Statistic::Mean, most: Span::from_us(2_500) });
    let asked = Need { latency, headroom: Percent::ZERO, ..need(12_000, 4 << 10, 50, 256) };
    let kept = shop.market.kept(&parse_spec("6xgp3@43GiB+3000iops+125MiB/s").unwrap()).unwrap();
    let by_hand = Terms { kept: Some(kept), vm: Some("c6in.xlarge".into()), ..Terms::default() };
    let by_hand = shop.plan(asked, by_hand, 1).candidates[0].build.price;
    let found = shop.plan(asked, Terms::default(), 1);
    assert!(found.candidates[0].build.price <= by_hand, "{} of {by_hand}", found.candidates[0].build.price);
    assert!(!found.is_cut_short);
}

#[test]
fn each_idea_is_the_best_at_what_it_says() {
    let shop = Shop::of(&[AZURE], Look::default());
    let plan = shop.plan(need(50_000, 8 << 10, 70, 4_096), Terms::default(), 10);
    let builds = |kind: IdeaKind| {
        let idea = plan.ideas.iter().find(|idea| idea.kinds.contains(&kind)).expect("there is one");
        idea.candidates.iter().map(|place| plan.candidates[*place].build).collect::<Vec<_>>()
    };
    let cheapest = builds(IdeaKind::Cheapest);
    assert_eq!(cheapest[0].price, plan.candidates[0].build.price);
    // All sizes of an idea carry the same disks.
    assert!(cheapest.iter().all(|build| build.bought().unwrap().data == cheapest[0].bought().unwrap().data));
    let simplest = builds(IdeaKind::Simplest)[0];
    assert!(simplest.price * 10 <= cheapest[0].price * 11);
    for disks in 1..simplest.disk_count() {
        let fewer = Terms { most_disks: Some(disks), ..Terms::default() };
        let found = search(&shop.market, &plan.each, &fewer);
        assert!(
            found.builds.first().is_none_or(|build| build.price * 10 > cheapest[0].price * 11),
            "{disks}"
        );
    }
    for build in builds(IdeaKind::Unprovisioned) {
        assert!(matches!(shop.market.offers[build.bought().unwrap().data.offer].law, Law::Tier { .. }));
    }
    assert_eq!(plan.candidates.len(), 10);
    for idea in &plan.ideas {
        let prices = idea.candidates.iter().map(|place| plan.candidates[*place].build.price);
        assert!(prices.is_sorted(), "{:?}: cheapest first", idea.kinds);
    }
    let is_local = |candidate: &Candidate| candidate.build.bought().is_none();
    assert!(plan.candidates.is_sorted_by_key(is_local), "local disks are last");
    let places: Vec<usize> = plan.ideas.iter().flat_map(|idea| idea.candidates.clone()).collect();
    assert_eq!(
        places,
        (0..10).collect::<Vec<_>>(),
        "each candidate carries one idea, in the order of the ideas"
    );
}

#[test]
fn the_fewest_disks_without_bought_figures_are_named_as_such() {
    // The cheapest log of this need is 32 P2. One P20 costs less than a tenth more of the whole.
    let shop = Shop::of(&[AZURE], Look::default());
    let log = need(2_000, 32 << 10, 0, 256).data;
    let asked = Need { log: Some(log), ..need(20_000, 8 << 10, 70, 4_096) };
    let terms = Terms { disks: vec![DiskType::Premium], log_on_hdd: true, ..Terms::default() };
    let plan = shop.plan(asked, terms, 10);
    let first = |kind: IdeaKind| {
        let idea = plan.ideas.iter().find(|idea| idea.kinds.contains(&kind)).expect("there is one");
        plan.candidates[idea.candidates[0]].build
    };
    let (simplest, unprovisioned) = (first(IdeaKind::Simplest), first(IdeaKind::Unprovisioned));
    assert_eq!(unprovisioned.disk_count(), simplest.disk_count());
    assert!(simplest.disk_count() < first(IdeaKind::Cheapest).disk_count());
}

#[test]
fn without_prices_no_idea_is_within_a_tenth_of_the_cheapest() {
    let shop = Shop::of(&[(Cloud::Azure, "brazilsouth")], Look::default());
    let plan = shop.plan(need(20_000, 8 << 10, 70, 1_024), Terms::default(), 6);
    assert!(!plan.candidates.is_empty());
    assert!(plan.ideas.iter().all(|idea| !idea.kinds.contains(&IdeaKind::Simplest)), "{:?}", plan.ideas);
}

#[test]
fn a_need_that_nothing_meets_still_shows_what_less_costs() {
    // m5.large has 3,600 IOPS, of which a tenth stays free: half of 3,600 is there.
    let shop = Shop::of(&[AWS], Look::default());
    let terms = Terms { vm: Some("m5.large".into()), ..Terms::default() };
    let plan = shop.plan(need(3_600, 16 << 10, 80, 500), terms, 3);
    assert!(plan.candidates.is_empty());
    let found: Vec<(u64, bool)> =
        plan.frontier.iter().map(|point| (point.iops, point.build.is_some())).collect();
    assert_eq!(found[..4], [(900, true), (1_800, true), (2_700, true), (3_600, false)]);
    assert!(found[4..].iter().all(|(_, has)| !has));
}

#[test]
fn a_region_says_which_of_its_prices_are_known() {
    let catalog = Catalog::shipped();
    let says = |cloud: Cloud, region: &str, os: Os| {
        let lists = vec![(cloud, catalog.price_list(region, os).unwrap())];
        let market = Market::of(&catalog, &lists, Look::default()).unwrap();
        market.unpriced_regions.iter().map(ToString::to_string).collect::<Vec<String>>()
    };
    let windows = says(Cloud::Aws, "us-east-1", Os::Windows);
    assert_eq!(windows, ["no Windows prices of VM sizes are known for us-east-1, only Linux prices"]);
    let disks = says(Cloud::Aws, "af-south-1", Os::Linux);
    assert_eq!(disks, ["no prices of VM sizes are known for af-south-1, only prices of disks"]);
    assert!(says(Cloud::Azure, "westeurope", Os::Windows).is_empty());
}

/// The candidates on local disks.
fn on_local_disks(plan: &Plan) -> Vec<&Candidate> {
    let ideas = plan.ideas.iter().filter(|idea| idea.kinds.contains(&IdeaKind::OnLocalDisks));
    ideas.flat_map(|idea| &idea.candidates).map(|place| &plan.candidates[*place]).collect()
}

#[test]
fn local_disks_are_an_idea_and_never_the_answer() {
    let shop = Shop::of(&[AZURE, AWS, GCP], Look::default());
    let mut cheaper = false;
    for (iops, gib) in [(5_000, 200), (50_000, 1_024), (200_000, 2_048)] {
        let asked = need(iops, 8 << 10, 70, gib);
        let plan = shop.plan(asked, Terms::default(), 10);
        let local = on_local_disks(&plan);
        let least = on_local(&shop.market, &plan.each, &Terms::default())[0];
        assert_eq!(local[0].build.price, least.price, "{iops}");
        for candidate in &local {
            assert!(candidate.build.bought().is_none());
            assert_eq!(candidate.price.per_month.unwrap().0, candidate.build.price);
            assert!(candidate.delivers.iops >= iops as f64, "{:?}", candidate.configuration);
        }
        assert!(local[0].simulated.as_ref().is_some_and(|at_rate| at_rate.iops > 0.985 * iops as f64));
        cheaper |= least.price < plan.candidates[0].build.price;
        let is_bought = |candidate: &Candidate| candidate.build.bought().is_some();
        assert!(plan.candidates[..10 - local.len()].iter().all(is_bought));
        assert!(plan.frontier.iter().all(|point| point.build.is_none_or(|build| build.bought().is_some())));
        assert!(plan.refused.iter().all(|of| !matches!(of.because, Because::Rate(_))), "{:?}", plan.refused);
    }
    assert!(cheaper, "of one of the needs local disks cost least, and are last");
}

#[test]
fn local_disks_keep_a_latency_or_are_no_idea() {
    let shop = Shop::of(&[AWS], Look::default());
    let goal = |us: u64| Some(LatencyTarget { of: Statistic::P99, most: Span::from_us(us) });
    let with = |us: u64| {
        let asked = Need { latency: goal(us), ..need(20_000, 8 << 10, 70, 200) };
        let plan = shop.plan(asked, Terms::default(), 6);
        on_local_disks(&plan)
            .first()
            .map(|first| first.simulated.as_ref().unwrap().latency.as_ref().unwrap().p99)
    };
    let p99 = with(5_000).expect("local disks keep 5 ms").unwrap();
    assert!(p99 <= 5_000.0, "{p99}");
}

#[test]
fn local_disks_are_no_idea_where_none_hold_the_data_or_other_disks_are_asked_for() {
    let shop = Shop::of(&[AZURE], Look::default());
    let has = |asked: Need, terms: Terms| !on_local_disks(&shop.plan(asked, terms, 6)).is_empty();
    let asked = need(5_000, 8 << 10, 70, 100);
    assert!(has(asked, Terms::default()));
    assert!(!has(need(5_000, 8 << 10, 70, 100_000), Terms::default()));
    assert!(!has(asked, Terms { disks: vec![DiskType::Premium], ..Terms::default() }));
    assert!(!has(asked, Terms { vm: Some("Standard_D4s_v5".into()), ..Terms::default() }), "it has none");
    assert!(has(asked, Terms { vm: Some("Standard_D4ads_v5".into()), ..Terms::default() }));
}

#[test]
fn two_clouds_have_an_idea_each() {
    let shop = Shop::of(&[AZURE, AWS], Look::default());
    let plan = shop.plan(need(20_000, 8 << 10, 70, 1_024), Terms::default(), 8);
    let clouds: Vec<Cloud> = plan.candidates.iter().map(|of| shop.market.vms[of.build.vm].cloud).collect();
    assert!(clouds.contains(&Cloud::Azure) && clouds.contains(&Cloud::Aws));
    assert!(plan.ideas.iter().any(|idea| idea.kinds.iter().any(|of| matches!(of, IdeaKind::CheapestOn(_)))));
}

#[test]
fn gpu_hpc_and_confidential_sizes_are_bought_only_on_request() {
    let shop = Shop::of(&[AZURE, AWS], Look::default());
    let asked = need(20_000, 8 << 10, 70, 1_024);
    let special = |terms: &Terms| {
        let found = search(&shop.market, &asked, terms);
        let special = found.builds.iter().filter(|build| shop.market.vms[build.vm].special).count();
        (special, found.counts.get("special").copied().unwrap_or(0))
    };
    let (bought, refused) = special(&Terms::default());
    assert!(bought == 0 && refused > 50, "{bought} {refused}");
    assert!(special(&Terms { special: true, ..Terms::default() }).0 > 0);
    // A named size is taken as it is.
    let named = Terms { vm: Some("Standard_DC16as_v5".into()), ..Terms::default() };
    assert!(shop.catalog.vms().unwrap().iter().any(|vm| vm.is(SeriesKind::Confidential)));
    assert!(special(&named).0 > 0);
}

#[test]
fn a_price_list_that_is_not_whole_ranks_only_on_request() {
    let westus = [(Cloud::Azure, "westus")];
    let shop = Shop::of(&westus, Look::default());
    assert_eq!(shop.market.rank, Rank::Size);
    let partial = &shop.market.partial_regions[0];
    assert_eq!((partial.region.as_str(), partial.whole), ("westus", "westeurope"));
    assert!(partial.missing.iter().any(|name| name.starts_with("premiumv2")), "{:?}", partial.missing);
    let asked = Shop::of(&westus, Look { rank: Some(Rank::Price), ..Look::default() });
    assert_eq!(asked.market.rank, Rank::Price);
}

/// The largest regions of both clouds, and more of Azure's: VM sizes and all kinds of disk have prices there.
#[test]
fn the_price_lists_of_the_large_regions_are_whole() {
    let azure = "eastus eastus2 centralus southcentralus westus2 westus3 canadacentral northeurope westeurope \
        uksouth francecentral germanywestcentral swedencentral southeastasia japaneast australiaeast centralindia";
    let aws = "us-east-1 us-east-2 us-west-1 us-west-2 ca-central-1 eu-west-1 eu-west-2 eu-central-1 eu-north-1 \
        ap-southeast-1 ap-southeast-2 ap-northeast-1 ap-south-1";
    for (cloud, regions) in [(Cloud::Azure, azure), (Cloud::Aws, aws)] {
        for region in regions.split_whitespace() {
            let market = Shop::of(&[(cloud, region)], Look::default()).market;
            assert_eq!(market.rank, Rank::Price, "{region}");
            assert!(market.partial_regions.is_empty() && market.unpriced_regions.is_empty(), "{region}");
        }
    }
}

#[test]
fn a_tenth_of_every_limit_keeps_i_os_from_queueing() {
    // Half of the needs that were bought to the last I/O had a 99th percentile of 10 to 70 ms at their own rate.
    let shop = Shop::of(&[AZURE, AWS], Look::default());
    for (iops, block, read, gib) in [
        (5_000, 8 << 10, 70, 512),
        (10_000, 16 << 10, 50, 1_024),
        (20_000, 8 << 10, 100, 1_024),
        (3_000, 64 << 10, 30, 256),
        (50_000, 8 << 10, 70, 4_096),
    ] {
        let plan = shop.plan(need(iops, block, read, gib), Terms::default(), 1);
        let at_rate = plan.candidates[0].simulated.as_ref().unwrap();
        let p99 = at_rate.latency.as_ref().and_then(|latency| latency.p99).unwrap();
        let disk = plan.candidates[0].build.bought().unwrap().data.disk;
        assert!(p99 < 10_000.0, "{iops} of {block}: {p99} us on {disk:?}");
    }
}

#[test]
fn an_interrupted_plan_has_what_had_passed_and_no_rate_that_was_not_looked_at() {
    let shop = Shop::of(&[AZURE], Look::default());
    let latency = Some(LatencyTarget { of: Statistic::P99, most: Span::from_ms(5) });
    let asked = Asked {
        need: Need { latency, ..need(4_000, 8 << 10, 70, 256) },
        terms: Terms::default(),
        split: Split::default(),
        candidates: 4,
        simulated: 4,
        range: None,
        seed: 0,
    };
    let stock = Stock { catalog: &shop.catalog, market: &shop.market, lists: &shop.lists };
    let mut intervals = 0u64;
    let whole = plan(&stock, &asked, &mut |_| {
        intervals += 1;
        Flow::Continue
    });
    let whole = whole.unwrap();
    assert!(!whole.interrupted && !whole.frontier.is_empty());
    let mut seen = Vec::new();
    for end in [1, intervals / 4, intervals / 2, intervals - 1] {
        let mut left = end;
        let partial = plan(&stock, &asked, &mut |_| {
            left = left.saturating_sub(1);
            if left == 0 { Flow::Stop } else { Flow::Continue }
        });
        let partial = partial.unwrap();
        assert!(partial.interrupted && partial.frontier.is_empty());
        assert!(partial.candidates.iter().all(|candidate| candidate.simulated.is_some()));
        let listed: usize = partial.ideas.iter().map(|idea| idea.candidates.len()).sum();
        assert_eq!(listed, partial.candidates.len());
        seen.push(partial.candidates.len());
    }
    assert!(seen[0] == 0 && seen[3] > 0, "{seen:?}");
}

#[test]
fn the_next_cheaper_build_carries_only_a_part_of_the_rate() {
    let shop = Shop::of(&[AZURE], Look::default());
    let asked = |terms: Terms| Asked {
        need: need(20_000, 8 << 10, 70, 512),
        terms,
        split: Split::default(),
        candidates: 1,
        simulated: 1,
        range: None,
        seed: 0,
    };
    let stock = Stock { catalog: &shop.catalog, market: &shop.market, lists: &shop.lists };
    let all = asked(Terms::default());
    let price = plan(&stock, &all, &mut |_| Flow::Continue).unwrap().candidates[0].build.price;
    let next = next_cheaper(&stock, &all, price).unwrap().expect("a cheaper one");
    assert!(next.build.price < price, "{} of {price}", next.build.price);
    assert!(next.delivers.iops < 20_000.0, "{}", next.delivers.iops);
    // Nothing costs less than nothing.
    assert!(next_cheaper(&stock, &all, 1).unwrap().is_none());
}

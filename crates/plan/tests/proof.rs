//! What the search promises in whole numbers, the model confirms: on the shipped catalogue, for needs of many kinds.

use iobound_catalog::{Catalog, Cloud, DiskType, Os, PriceList};
use iobound_drive::Flow;
use iobound_plan::{
    Asked, Because, Candidate, LatencyTarget, Look, Market, Need, Plan, Shape, Split, Statistic, Stock,
    Terms, VolumeNeed, confirm, least_regret, plan, search, workload_of,
};
use iobound_predict::{Age, CacheState, Counted, Question, predict};
use iobound_units::{Bandwidth, Bytes, Iops, Percent, Span};

const AZURE: (Cloud, &str) = (Cloud::Azure, "westeurope");
const AWS: (Cloud, &str) = (Cloud::Aws, "us-east-1");

struct Shop {
    catalog: Catalog,
    market: Market,
    lists: Vec<(Cloud, PriceList)>,
}

impl Shop {
    fn of(clouds: &[(Cloud, &str)]) -> Shop {
        Shop::seen(clouds, Look::default())
    }

    fn seen(clouds: &[(Cloud, &str)], look: Look) -> Shop {
        let catalog = Catalog::shipped();
        let lists: Vec<(Cloud, PriceList)> = clouds
            .iter()
            .map(|(cloud, region)| (*cloud, catalog.price_list(region, Os::Linux).unwrap()))
            .collect();
        let market = Market::of(&catalog, &lists, look).unwrap();
        Shop { catalog, market, lists }
    }

    fn candidates(&self, need: &Need, terms: &Terms, most: usize) -> Vec<Candidate> {
        let found = search(&self.market, need, terms);
        let confirmed = found
            .builds
            .iter()
            .take(most)
            .map(|build| confirm(&self.catalog, &self.market, &self.lists, need, build).unwrap());
        confirmed.collect()
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

fn needs() -> Vec<Need> {
    let small = VolumeNeed { working_set: Bytes::gib(20), ..volume(3_000, 8 << 10, 90, 200) };
    vec![
        need(volume(50_000, 8 << 10, 70, 4_096)),
        need(volume(500, 4 << 10, 100, 32)),
        need(volume(4_000, 64 << 10, 0, 1_000)),
        need(volume(1_500, 256 << 10, 100, 2_048)),
        need(volume(300, 1 << 20, 50, 10_000)),
        need(volume(2_000, 96 << 10, 50, 500)),
        need(small),
        Need { log: Some(volume(2_000, 32 << 10, 0, 256)), ..need(volume(20_000, 8 << 10, 70, 1_000)) },
        Need { headroom: Percent::whole(20).unwrap(), ..need(volume(10_000, 16 << 10, 80, 512)) },
    ]
}

#[test]
fn every_build_delivers_the_need_on_the_limits_as_published() {
    for clouds in [&[AZURE][..], &[AWS][..]] {
        let shop = Shop::of(clouds);
        for need in needs() {
            let every =
                Terms { arch: None, previous: true, cpu_burstable: true, special: true, ..Terms::default() };
            let candidates = shop.candidates(&need, &every, 60);
            assert!(!candidates.is_empty(), "{need:?}");
            for candidate in candidates {
                let (iops, asked) = (candidate.delivers.iops, need.data.iops.get() as f64);
                assert!(
                    iops >= asked * 0.999_999,
                    "{iops} of {asked}: {} {:?}",
                    candidate.configuration.vm,
                    candidate.configuration.volumes
                );
            }
        }
    }
}

#[test]
fn the_price_of_the_search_is_the_sum_of_the_price_list() {
    let shop = Shop::of(&[AZURE, AWS]);
    for need in needs() {
        for candidate in shop.candidates(&need, &Terms::default(), 60) {
            // I/Os that are billed by use are in the search's price only.
            let by_use = candidate.build.bought().is_some_and(|bought| {
                bought
                    .volumes()
                    .any(|volume| matches!(volume.disk, DiskType::StandardSsd | DiskType::StandardHdd))
            });
            let listed = candidate.price.per_month.expect("its price is known").0;
            if by_use {
                assert!(candidate.build.price > listed);
            } else {
                assert_eq!(candidate.build.price, listed, "{:?}", candidate.configuration);
            }
        }
    }
}

#[test]
fn nothing_smaller_of_the_same_kind_would_do() {
    // The least price of a VM and type: one disk less, or a figure one less, fails. Seen from outside: with the ceiling.
    let shop = Shop::of(&[AZURE]);
    let need = need(volume(50_000, 8 << 10, 70, 4_096));
    for candidate in shop.candidates(&need, &Terms::default(), 30) {
        assert!(
            candidate.build.bought().unwrap().data.fit.count * candidate.build.bought().unwrap().data.fit.gib
                >= 4_096
        );
        if candidate.build.bought().unwrap().data.disk == DiskType::Premium {
            let fit = candidate.build.bought().unwrap().data.fit;
            let fewer = fit.count - 1;
            assert!(
                fewer * fit.ios < 50_000 || fewer * fit.bytes < 409_600_000 || fewer * fit.gib < 4_096,
                "{fit:?}"
            );
        }
    }
}

#[test]
fn candidates_carry_the_asked_rate_in_the_simulation() {
    let shop = Shop::of(&[AZURE]);
    let plan = shop.plan(need(volume(20_000, 8 << 10, 70, 1_024)), Terms::default());
    assert_eq!(plan.candidates.len(), 3);
    for candidate in &plan.candidates {
        let at_rate = candidate.simulated.as_ref().expect("the first are simulated");
        assert!(at_rate.iops > 0.985 * 20_000.0);
    }
    let prices: Vec<u64> = plan.candidates.iter().map(|candidate| candidate.build.price).collect();
    assert!(prices.is_sorted());
    let first = prices[0];
    assert!(plan.refused.iter().all(|refused| refused.build.unwrap().price < first));
}

#[test]
fn a_latency_that_a_disk_cannot_have_is_refused_in_figures() {
    let shop = Shop::of(&[AZURE]);
    // Premium SSD reads take 2.1 ms on average (1.5 to 3.0): none has a mean of 1 ms; Premium SSD v2 has 0.61.
    let latency = Some(LatencyTarget { of: Statistic::Mean, most: Span::from_ms(1) });
    let target = Need { latency, ..need(volume(2_000, 8 << 10, 100, 256)) };
    let premium = Terms { disks: vec![DiskType::Premium], host_cache: false, ..Terms::default() };
    let plan = shop.plan(target, premium);
    assert!(plan.candidates.is_empty());
    assert!(
        plan.refused.iter().any(|refused| matches!(refused.because, Because::Latency(us) if us > 1_000.0))
    );
    let v2 = Terms { disks: vec![DiskType::PremiumV2], ..Terms::default() };
    assert_eq!(shop.plan(target, v2).candidates.len(), 3);
}

#[test]
fn a_need_that_nothing_meets_says_what_comes_nearest_and_how_many_would_do() {
    let shop = Shop::of(&[AZURE]);
    // No VM size of the catalogue has 2,000,000 uncached IOPS.
    let plan = shop.plan(need(volume(2_000_000, 8 << 10, 70, 4_096)), Terms::default());
    assert!(plan.candidates.is_empty());
    let miss = plan.miss.expect("nothing is enough");
    assert!(miss.reached > 0 && miss.reached < 1_000_000);
    assert!(matches!(miss.nearest.unwrap().because, Because::Limit { .. }));
    let (count, _) = miss.several.expect("several share it");
    assert!(count >= 2);
}

#[test]
fn a_range_is_planned_for_the_least_regret() {
    let shop = Shop::of(&[AZURE]);
    let need = need(volume(20_000, 8 << 10, 70, 1_024));
    let designs = least_regret(&shop.market, &need, &Terms::default(), [20_000, 60_000]);
    assert!(designs.is_sorted_by_key(|design| design.worst));
    let price = |iops: u64| {
        let mut need = need;
        need.data.iops = Iops(iops);
        search(&shop.market, &need, &Terms::default()).builds[0].price
    };
    // What is enough for all of the range is regretted most where the least is needed.
    let largest = designs.iter().max_by_key(|design| design.iops).unwrap();
    // A plan may cost up to a dollar (--per-disk) more than another one with a disk more.
    let regret = largest.build.price - price(20_000);
    assert!(largest.worst.abs_diff(regret) < 1_000_000_000, "{}, {regret} nano-dollars", largest.worst);
    // What is not enough everywhere is lost at worst.
    let smallest = designs.iter().min_by_key(|design| design.iops).unwrap();
    assert_eq!(smallest.worst, smallest.build.price);
}

#[test]
fn disks_that_are_there_are_kept() {
    let shop = Shop::of(&[AZURE]);
    let kept = shop.market.kept(&iobound_catalog::parse_spec("10xP30").unwrap()).unwrap();
    let terms = Terms { kept: Some(kept), ..Terms::default() };
    let found = search(&shop.market, &need(volume(40_000, 8 << 10, 70, 4_096)), &terms);
    assert!(
        !found.builds.is_empty() && found.builds.iter().all(|build| build.bought().unwrap().data == kept)
    );
    // Ten P30 have 50,000 IOPS.
    assert!(search(&shop.market, &need(volume(50_001, 8 << 10, 70, 4_096)), &terms).builds.is_empty());
}

#[test]
fn a_latency_is_kept_by_what_a_limit_has_to_spare() {
    // One P30 has 5,000 IOPS, enforced at 5,100: independent arrivals of 5,000 queue there for 2 % of nothing to spare.
    let shop = Shop::of(&[AZURE]);
    let full = need(volume(5_000, 8 << 10, 50, 1_024));
    let terms = Terms { disks: vec![DiskType::Premium], host_cache: false, ..Terms::default() };
    let without = shop.plan(full, terms.clone());
    let p99 = |candidate: &Candidate| {
        candidate.simulated.as_ref().and_then(|at_rate| at_rate.latency.as_ref()).and_then(|l| l.p99).unwrap()
    };
    let first = p99(&without.candidates[0]);
    // Twice the media's 2.1 ms and its tail, where nothing queues.
    let most = Span::from_ms(6);
    let latency = Some(LatencyTarget { of: Statistic::P99, most });
    let with = shop.plan(Need { latency, ..full }, terms);
    assert!(!with.candidates.is_empty(), "{first} us without a target");
    assert!(with.candidates.iter().all(|candidate| p99(candidate) <= most.us_f64()));
    assert!(with.candidates[0].build.price >= without.candidates[0].build.price);
}

#[test]
fn the_band_of_a_latency_goal_ends_where_that_of_the_prediction_does() {
    let shop = Shop::of(&[AZURE]);
    let terms = Terms { disks: vec![DiskType::Premium], host_cache: false, ..Terms::default() };
    let asked = |of, most| {
        let latency = Some(LatencyTarget { of, most: Span::from_us(most) });
        let headroom = Percent::whole(10).unwrap();
        Need { latency, headroom, ..need(volume(5_000, 8 << 10, 70, 1_024)) }
    };
    // A read of a Premium SSD takes 2.1 ms on average, and 3.0 ms on the slowest that was measured.
    for (of, most, is_sure) in [
        (Statistic::P99, 10_000, true),
        (Statistic::P99, 4_500, false),
        (Statistic::P95, 10_000, true),
        (Statistic::Mean, 2_500, false),
    ] {
        let need = asked(of, most);
        let plan = shop.plan(need, terms.clone());
        let goal = need.latency.unwrap();
        for candidate in &plan.candidates {
            let band = candidate.goal.expect("there is a goal");
            assert!(band.expected <= band.high && band.expected <= goal.most.us_f64(), "{band:?}");
            assert_eq!(band.is_sure(&goal), is_sure, "{of:?} {most}: {band:?}");
        }
        let first = plan.candidates.first().expect("one meets the need");
        let workload = workload_of(&need, true);
        let question = Question {
            resolved: &first.resolved,
            workload: &workload,
            cache: CacheState::Warm,
            age: Age::Sustained,
            counted: Counted::Lasting,
        };
        let bands = predict(&question, &mut |_| Flow::Continue).unwrap().latency_bands;
        let predicted = match of {
            Statistic::P99 => bands.p99,
            Statistic::Mean => bands.mean,
            _ => continue,
        };
        // Two simulations of different lengths.
        let (ours, predicted) = (first.goal.unwrap().high, predicted.unwrap().us.high);
        assert!((ours / predicted - 1.0).abs() < 0.05, "{ours} beside {predicted}");
    }
    // Without a goal there is no band.
    let plan = shop.plan(need(volume(5_000, 8 << 10, 70, 1_024)), terms);
    assert!(plan.candidates.iter().all(|candidate| candidate.goal.is_none()));
}

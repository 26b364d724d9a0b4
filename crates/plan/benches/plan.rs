//! Time for the whole catalogue: reading it into rows, and the search. The least of several rounds, on one core.
//! `--once` makes one whole plan for Azure instead, with `--latency` for a goal and `--no-headroom`: for an instruction count.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use iobound_catalog::{Catalog, Cloud, Os};
use iobound_drive::Flow;
use iobound_plan::{
    Asked, LatencyTarget, Look, Market, Need, Shape, Split, Statistic, Stock, Terms, VolumeNeed, plan, search,
};
use iobound_units::{Bandwidth, Bytes, Iops, Percent, Span};

const ROUNDS: usize = 7;

fn least(mut work: impl FnMut()) -> Duration {
    let rounds = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    rounds.min().unwrap_or_default()
}

/// One whole plan, as the program makes it by default.
fn once(data: VolumeNeed, latency: Option<LatencyTarget>, headroom: Percent) {
    let catalog = Catalog::shipped();
    let lists =
        vec![(Cloud::Azure, catalog.price_list("westeurope", Os::Linux).expect("the region has prices"))];
    let market = Market::of(&catalog, &lists, Look::default()).expect("the shipped rows can be read");
    let stock = Stock { catalog: &catalog, market: &market, lists: &lists };
    let need = Need { data, log: None, temp: None, latency, headroom };
    let (terms, split) = (Terms::default(), Split::default());
    let asked = Asked { need, terms, split, candidates: 10, simulated: 10, range: None, seed: 0 };
    let plan = plan(&stock, &asked, &mut |_| Flow::Continue).expect("the plan is made");
    println!("{:?}", plan.candidates.iter().map(|candidate| candidate.build.price).collect::<Vec<_>>());
}

fn main() {
    let shape = Shape { block: 8 << 10, read: Percent::whole(70).unwrap_or(Percent::HUNDRED) };
    let data = VolumeNeed {
        iops: Iops(50_000),
        throughput: Bandwidth::mb_per_s(400),
        shape,
        capacity: Bytes::gib(4096),
        working_set: Bytes::gib(4096),
    };
    let has = |word: &str| std::env::args().any(|arg| arg == word);
    if has("--once") {
        let goal = LatencyTarget { of: Statistic::P99, most: Span::from_ms(5) };
        let headroom = if has("--no-headroom") { 0 } else { 10 };
        let headroom = Percent::whole(headroom).unwrap_or(Percent::ZERO);
        return once(data, has("--latency").then_some(goal), headroom);
    }
    let log = VolumeNeed { iops: Iops(3_000), capacity: Bytes::gib(512), ..data };
    let azure: &[(Cloud, &str)] = &[(Cloud::Azure, "westeurope")];
    let both: &[(Cloud, &str)] = &[(Cloud::Azure, "westeurope"), (Cloud::Aws, "us-east-1")];
    for (name, clouds) in [("Azure", azure), ("Azure and AWS", both)] {
        let read = || {
            let catalog = Catalog::shipped();
            let lists = clouds.iter().map(|(cloud, region)| {
                (*cloud, catalog.price_list(region, Os::Linux).expect("the region has prices"))
            });
            let lists: Vec<_> = lists.collect();
            Market::of(&catalog, &lists, Look::default()).expect("the shipped rows can be read")
        };
        let market = read();
        let reading = least(|| drop(black_box(read())));
        for (volumes, log) in [("data", None), ("data and log", Some(log))] {
            let need = Need { data, log, temp: None, latency: None, headroom: Percent::ZERO };
            let searching = least(|| drop(black_box(search(&market, &need, &Terms::default()))));
            println!(
                "{name}, {volumes}: {:.1} ms read, {:.2} ms searched, {:.1} ms in all",
                reading.as_secs_f64() * 1e3,
                searching.as_secs_f64() * 1e3,
                (reading + searching).as_secs_f64() * 1e3
            );
        }
    }
}

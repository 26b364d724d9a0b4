//! Time for the whole catalogue: reading it into rows, and the search. The least of several rounds, on one core.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use iobound_catalog::{Catalog, Cloud, Os};
use iobound_plan::{Look, Market, Need, Shape, Terms, VolumeNeed, search};
use iobound_units::{Bandwidth, Bytes, Iops, Percent};

const ROUNDS: usize = 7;

fn least(mut work: impl FnMut()) -> Duration {
    let rounds = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    rounds.min().unwrap_or_default()
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

//! The cheapest builds that keep a latency: all builds in order of price, each simulated until enough have passed.
//!
//! A build without spare figures may queue where a dearer one does not, and the spare may be needed at the disks or at the
//! VM. So nothing is raised by rule: every VM size is tried with every choice of disks, cheapest first, and a simulation
//! decides. What one simulation shows of weaker builds spares theirs ([`Verdicts`](crate::verdict::Verdicts)).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use iobound_catalog::DiskType;
use iobound_predict::PredictError;

use crate::build::{Bought, Build};
use crate::confirm::{Candidate, distinct};
use crate::market::Market;
use crate::menu::{Choices, Menu};
use crate::need::Need;
use crate::pair::Pair;
use crate::prove::{Evidence, Prover};
use crate::search::{Found, asked_of, build_of, price_of, temp_of};
use crate::terms::Terms;

/// The type of the data's disks, whether they have a read cache, and the type of the log's.
type DiskTypes = (DiskType, bool, Option<DiskType>);

/// A place in the choices of disks for one VM size; the price comes first.
type Place = Reverse<(u64, usize, DiskTypes, usize)>;

/// A search looks at no more builds than this, most of which need no simulation.
const MOST_LOOKED_AT: usize = 4_000_000;

/// The cheapest builds of each VM size and type of data disk that pass, cheapest first: the first `most`, no two alike.
pub(crate) fn exact(
    prover: &mut Prover<'_, '_>,
    terms: &Terms,
    found: &Found,
    most: usize,
    evidence: Evidence,
) -> Result<Vec<Candidate>, PredictError> {
    let (market, need) = (prover.stock.market, prover.asked.need);
    let mut by_type = choices_of(market, &need, terms, found);
    let largest = largest_first(market);
    let mut next: BinaryHeap<Place> = BinaryHeap::new();
    let temp = temp_of(&need);
    let prices: Vec<u64> =
        market.vms.iter().map(|vm| price_of(vm, temp.as_ref(), terms).unwrap_or(0)).collect();
    for (build, bought) in found.builds.iter().filter_map(|build| Some((build, build.bought()?))) {
        // A VM size on which no disks of a type carry the rate is not among them.
        for (disks, choices) in by_type.iter_mut().filter(|(disks, _)| disks.0 == bought.data.disk) {
            let price = choices.get(0).map(|first| prices[build.vm].saturating_add(first.price));
            next.extend(price.map(|price| Reverse((price, build.vm, *disks, 0))));
        }
    }
    let mut best: BTreeMap<(usize, DiskType), Candidate> = BTreeMap::new();
    for looked_at in 0.. {
        let Some(Reverse((price, vm, disks, place))) = next.pop() else { break };
        let disk = disks.0;
        if looked_at >= MOST_LOOKED_AT {
            prover.spend();
        }
        let is_enough = best.len() >= most && distinct(market, best.values(), price).len() >= most;
        if is_enough || prover.is_spent() {
            break;
        }
        if terms.most.is_some_and(|most| price > most) {
            break;
        }
        let kept = best.get(&(vm, disk)).map(|best| cost(&best.build, terms));
        let volumes = 1 + u64::from(need.log.is_some());
        if kept.is_some_and(|kept| price.saturating_add(terms.per_disk.saturating_mul(volumes)) >= kept) {
            continue;
        }
        let choices = by_type.get_mut(&disks).expect("a place is of choices that are there");
        let Some(choice) = choices.get(place) else { continue };
        let bought = Bought { data: choice.data, log: choice.log };
        if prover.is_of_a_slow_kind(&Build::of(vm, bought, None, price)) {
            continue;
        }
        if let Some(more) = choices.get(place + 1) {
            next.push(Reverse((prices[vm].saturating_add(more.price), vm, disks, place + 1)));
        }
        let offered = build_of(market, &need, vm, bought, price).filter(|build| {
            terms.most_disks.is_none_or(|most| build.disk_count() <= most)
                && kept.is_none_or(|kept| cost(build, terms) < kept)
        });
        if let Some(build) = offered
            && let Some(candidate) = prover.next_by_price(&build, &largest, evidence)?
        {
            best.insert((vm, disk), candidate);
        }
    }
    Ok(distinct(market, best.values(), u64::MAX).into_iter().take(most).cloned().collect())
}

/// Cost that orders the builds of one VM size: the price, and the upkeep of the disks.
fn cost(build: &Build, terms: &Terms) -> u64 {
    build.price.saturating_add(terms.per_disk.saturating_mul(build.disk_count()))
}

/// The choices of disks by their types.
fn choices_of<'a>(
    market: &'a Market,
    need: &Need,
    terms: &Terms,
    found: &Found,
) -> BTreeMap<DiskTypes, Choices<'a>> {
    let (asked, asked_log) = asked_of(need);
    let types: BTreeSet<DiskType> =
        found.builds.iter().filter_map(|build| Some(build.bought()?.data.disk)).collect();
    let logs = market.offers.iter().filter(|offer| terms.takes_log(offer));
    let logs: BTreeSet<DiskType> = logs.map(|offer| offer.disk).collect();
    let mut by_type = BTreeMap::new();
    for (disk, cached) in types.iter().flat_map(|disk| [(*disk, false), (*disk, true)]) {
        let data = || Menu::of_data(market, terms, asked, disk, cached);
        let Some(asked_log) = asked_log else {
            by_type.insert((disk, cached, None), Choices::new(data(), None));
            continue;
        };
        for log in logs.iter().filter(|log| log.cloud() == disk.cloud()) {
            let menu = Menu::of_log(market, terms, asked_log, *log);
            by_type.insert((disk, cached, Some(*log)), Choices::new(data(), Some(menu)));
        }
    }
    by_type
}

/// VM sizes, those that let most through first.
fn largest_first(market: &Market) -> Vec<usize> {
    let mut sizes: Vec<usize> = (0..market.vms.len()).collect();
    sizes.sort_by_key(|vm| {
        let vm = &market.vms[*vm];
        let figures = |pair: Option<Pair>| pair.map_or((0, 0), |pair| (pair.ios, pair.bytes));
        let cached = vm.cache.map_or(0, |cache| cache.ios);
        Reverse((figures(vm.plain).max(figures(vm.v2)), cached))
    });
    sizes
}

//! The whole answer: candidates that are proved, what is cheaper and fails, what more would cost, what comes nearest.

use std::collections::BTreeMap;

use iobound_catalog::{Catalog, Cloud, DiskType, PriceList};
use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_predict::PredictError;
use iobound_units::{Iops, Percent};

use crate::confirm::{Candidate, Unconfirmed, confirm};
use crate::market::{Market, Rank};
use crate::need::Need;
use crate::refusal::Because;
use crate::regret::{Design, least_regret};
use crate::search::{Build, Found, Refused, search};
use crate::split::{self, OnHosts, Split};
use crate::terms::Terms;

/// Number of offers to choose from.
#[derive(Clone, Copy, Debug)]
pub struct Stock<'a> {
    /// The catalogue.
    pub catalog: &'a Catalog,
    /// Its rows.
    pub market: &'a Market,
    /// The prices that the rows have.
    pub lists: &'a [(Cloud, PriceList)],
}

/// The request.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The need.
    pub need: Need,
    /// Acceptable choices.
    pub terms: Terms,
    /// Over how many hosts the need is split: need and terms are of all of them. Not both several numbers of hosts and a range.
    pub split: Split,
    /// Number of candidates that are shown.
    pub candidates: usize,
    /// Number of them that are simulated.
    pub simulated: usize,
    /// The range that the data's IOPS may lie in; the need is then of the least regretted.
    pub range: Option<[u64; 2]>,
    /// Draws the arrivals.
    pub seed: u64,
}

/// Recommended builds. Builds and their prices are for one host; all other sums are for all hosts.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Number of hosts of each build.
    pub hosts: u64,
    /// Need of each host.
    pub each: Need,
    /// Of several numbers of hosts, what is cheapest on each, the fewest hosts first; empty where one number was asked for.
    pub by_hosts: Vec<OnHosts>,
    /// Proved, cheapest first.
    pub candidates: Vec<Candidate>,
    /// Candidates cheaper than the first that were rejected, the dearest first.
    pub refused: Vec<Shown>,
    /// VM sizes that are not taken, by the word of the reason.
    pub counts: BTreeMap<&'static str, u64>,
    /// VM sizes that were looked at.
    pub sizes: u64,
    /// Cost of the next thousand IOPS a month, in billionths of a dollar; `None`: nothing has them.
    pub next_thousand: Option<u64>,
    /// The least price at shares and multiples of the asked IOPS.
    pub frontier: Vec<Frontier>,
    /// Of a range, what each build is regretted for, the least regretted first; the candidates are for its IOPS.
    pub regret: Vec<Design>,
    /// Planned need.
    pub need: Need,
    /// Nearest candidate, if nothing is enough.
    pub miss: Option<Miss>,
}

/// Something that is not taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// The VM size.
    pub vm: String,
    /// Configuration that would have been built.
    pub build: Option<Build>,
    /// Why not.
    pub because: Because,
}

/// The least price of so many IOPS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frontier {
    /// I/Os a second of the data.
    pub iops: u64,
    /// Its demand; `None`: the limit has none.
    pub build: Option<Build>,
}

/// Nearest candidate to a need that nothing meets.
#[derive(Clone, Debug, PartialEq)]
pub struct Miss {
    /// The configuration that reaches most of it.
    pub nearest: Option<Shown>,
    /// The share of it that is reached, in millionths.
    pub reached: u64,
    /// Number of equal VMs that would share it, in all, and what each would be.
    pub several: Option<(u64, Build)>,
}

/// Shares and multiples of the asked IOPS, in percent, for the frontier.
const FRONTIER: [u64; 7] = [25, 50, 75, 100, 150, 200, 400];
/// No more builds than this are simulated to find those that keep a latency.
const MOST_SIMULATED: usize = 60;
/// No more VMs than this share what a host would have to do.
const MOST_VMS: u64 = 16;
/// Of several numbers of hosts no more than this are proved: those that cost least by the search.
const MOST_PROVED: usize = 8;

/// Finds what to buy, and proves it.
///
/// # Errors
/// Whoever watched ended it.
///
/// # Panics
/// Where the catalogue refuses what the search made of its own rows: a defect of the search.
pub fn plan(
    stock: &Stock<'_>,
    asked: &Asked,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Plan, PredictError> {
    let [least, most] = asked.split.hosts;
    assert!(1 <= least && least <= most, "a plan is of one host or more");
    if least == most {
        return plan_on(stock, asked, least, watch);
    }
    assert!(asked.range.is_none(), "a range of needs is planned for on one number of hosts");
    let mut by_hosts = split::by_hosts(stock.market, &asked.need, &asked.terms, &asked.split);
    let mut best: Option<Plan> = None;
    // By the search's price, which what is proved can only exceed: no later number of hosts is cheaper than it.
    for on in by_hosts.iter().filter(|on| on.build.is_some()).take(MOST_PROVED) {
        let cost = |plan: &Plan| {
            plan.candidates.first().map(|first| u128::from(first.build.price) * u128::from(plan.hosts))
        };
        let proved = best.as_ref().and_then(cost);
        if proved.is_some_and(|proved| on.cost().is_none_or(|cost| cost >= proved)) {
            break;
        }
        let plan = plan_on(stock, asked, on.hosts, watch)?;
        if best.is_none() || cost(&plan).is_some_and(|cost| proved.is_none_or(|proved| cost < proved)) {
            best = Some(plan);
        }
    }
    // Where nothing is enough, the most hosts have the least to do.
    let mut plan = match best {
        Some(plan) => plan,
        None => plan_on(stock, asked, most, watch)?,
    };
    by_hosts.sort_by_key(|on| on.hosts);
    plan.by_hosts = by_hosts;
    Ok(plan)
}

/// Finds what to buy on so many hosts, and proves it.
fn plan_on(
    stock: &Stock<'_>,
    whole: &Asked,
    hosts: u64,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Plan, PredictError> {
    let market = stock.market;
    let mut need = whole.need;
    let mut asked = Asked {
        need: need.of_host(hosts, whole.split.slow),
        terms: whole.terms.of_host(hosts),
        range: whole.range.map(|range| range.map(|iops| iops.div_ceil(hosts))),
        ..whole.clone()
    };
    // Regret is in dollars: without prices a range is planned for at its end.
    let range = asked.range.filter(|_| market.rank == Rank::Price);
    let mut regret = range.map_or(Vec::new(), |range| least_regret(market, &asked.need, &asked.terms, range));
    if let Some(least) = regret.first() {
        asked.need.data.iops = Iops(least.iops);
        need.data.iops = Iops(least.iops.saturating_mul(hosts));
    }
    for design in &mut regret {
        for of_one in [&mut design.iops, &mut design.worst, &mut design.mean] {
            *of_one = of_one.saturating_mul(hosts);
        }
    }
    let asked = &asked;
    let found = search(market, &asked.need, &asked.terms);
    let shown = |refused: &Refused| Shown {
        vm: market.vms[refused.vm].name.clone(),
        build: refused.build,
        because: refused.because.clone(),
    };
    let mut refused: Vec<Shown> = found.refused.iter().map(shown).collect();
    let candidates = proved(stock, asked, &found, &mut refused, watch)?;
    let first = candidates.first().map(|candidate| candidate.build.price);
    if let Some(price) = first {
        refused.retain(|refused| refused.build.is_some_and(|build| build.price < price));
        refused.sort_by_key(|refused| std::cmp::Reverse(refused.build.map(|build| build.price)));
    }
    let terms = fast_enough(asked, &candidates).filter(|_| market.rank == Rank::Price);
    let least = |iops: u64| cheapest(market, &asked.need, terms.as_ref()?, iops.div_ceil(hosts));
    let iops = need.data.iops.get();
    let next_thousand = least(iops).and_then(|now| {
        let next = least(iops.saturating_add(1_000))?;
        Some(next.price.saturating_sub(now.price).saturating_mul(hosts))
    });
    let mut frontier: Vec<Frontier> = Vec::new();
    frontier.extend(FRONTIER.iter().filter(|_| market.rank == Rank::Price).map(|percent| {
        let iops = (u128::from(iops) * u128::from(*percent) / 100).max(1) as u64;
        Frontier { iops, build: least(iops) }
    }));
    // Who buys more buys this as well: a disk less may have been worth a dollar there.
    for at in (1..frontier.len()).rev() {
        let (price, more) = (|build: Option<Build>| build.map(|build| build.price), frontier[at].build);
        if price(more).is_some_and(|more| price(frontier[at - 1].build).is_none_or(|less| less > more)) {
            frontier[at - 1].build = more;
        }
    }
    Ok(Plan {
        frontier,
        miss: found.builds.is_empty().then(|| miss(market, asked, hosts, &found)),
        candidates,
        refused,
        regret,
        hosts,
        need,
        each: Need { headroom: need.headroom, ..asked.need },
        by_hosts: Vec::new(),
        counts: found.counts,
        sizes: found.sizes,
        next_thousand,
    })
}

/// Shares of the limits that are left free, beside what is asked, where a latency has to be kept: at a full limit I/Os queue.
const SPARE: [u32; 3] = [100_000, 200_000, 400_000];

/// The builds to be proved, cheapest first. Where a latency has to be kept, those that have some of their limits to spare
/// are among them.
fn pool(market: &Market, asked: &Asked, found: &Found) -> Vec<Build> {
    let mut builds = found.builds.clone();
    if asked.need.latency.is_some() {
        for spare in SPARE {
            let mut need = asked.need;
            let used = u64::from(need.headroom.complement().ppm()) * u64::from(1_000_000 - spare) / 1_000_000;
            let Some(headroom) = Percent::from_ppm(used as u32) else { continue };
            need.headroom = headroom.complement();
            builds.extend(search(market, &need, &asked.terms).builds);
        }
        let name = |build: &Build| &market.vms[build.vm].name;
        builds.sort_by(|one, other| {
            let key = |build: &Build| (build.price, build.disks());
            key(one).cmp(&key(other)).then_with(|| name(one).cmp(name(other)))
        });
        builds.dedup();
    }
    builds
}

/// The cheapest builds that the model confirms; what it does not is added to the refused.
fn proved(
    stock: &Stock<'_>,
    asked: &Asked,
    found: &Found,
    refused: &mut Vec<Shown>,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Vec<Candidate>, PredictError> {
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut runs = 0;
    let mut idle = Idle::default();
    for build in &pool(stock.market, asked, found) {
        if candidates.len() >= asked.candidates {
            break;
        }
        if candidates.iter().any(|shown| is_alike(stock.market, &shown.build, build)) {
            continue;
        }
        if let Some(because) = idle.known(build) {
            let vm = stock.market.vms[build.vm].name.clone();
            refused.push(Shown { vm, build: Some(*build), because });
            continue;
        }
        let mut candidate = match confirm(stock.catalog, stock.market, stock.lists, &asked.need, build) {
            Ok(candidate) => candidate,
            Err(Unconfirmed::Predict(error)) => return Err(error),
            Err(Unconfirmed::Catalog(error)) => panic!("the catalogue refuses a build of its own: {error}"),
        };
        // A latency holds where it was seen to hold; without one, the first are looked at.
        let wanted = asked.need.latency.is_some() || candidates.len() < asked.simulated;
        if wanted && asked.simulated > 0 {
            if let Some(because) = idle.too_slow(&candidate, asked, watch)? {
                let vm = stock.market.vms[build.vm].name.clone();
                refused.push(Shown { vm, build: Some(*build), because });
                continue;
            }
            if runs >= MOST_SIMULATED {
                break;
            }
            runs += 1;
            if let Some(because) = candidate.simulate(&asked.need, asked.seed, watch)? {
                let vm = stock.market.vms[build.vm].name.clone();
                refused.push(Shown { vm, build: Some(*build), because });
                continue;
            }
        }
        candidates.push(candidate);
    }
    Ok(candidates)
}

/// The terms for other IOPS than asked for: where a latency has to be kept, only disks of types that keep it.
fn fast_enough(asked: &Asked, candidates: &[Candidate]) -> Option<Terms> {
    let mut terms = asked.terms.clone();
    if asked.need.latency.is_some() {
        let of = |build: &Build| [Some(build.data.disk), build.log.map(|log| log.disk)];
        terms.disks = candidates.iter().flat_map(|candidate| of(&candidate.build)).flatten().collect();
        if terms.disks.is_empty() {
            return None;
        }
    }
    Some(terms)
}

/// The kinds of disks that are too slow even where nothing queues: looked at once for each kind, and not for each build of it.
#[derive(Default)]
struct Idle {
    seen: Vec<(Kind, Option<Because>)>,
}

/// The type of the data's disks, whether they are cached, and the type of the log's.
type Kind = (DiskType, bool, Option<DiskType>);

impl Idle {
    fn kind(build: &Build) -> Kind {
        (build.data.disk, build.data.cached, build.log.map(|log| log.disk))
    }

    /// Why a build is too slow, where one of its kind was seen to be.
    fn known(&self, build: &Build) -> Option<Because> {
        let kind = Idle::kind(build);
        self.seen.iter().find(|(other, _)| *other == kind).and_then(|(_, because)| because.clone())
    }

    /// Looks at the first of a kind.
    fn too_slow(
        &mut self,
        candidate: &Candidate,
        asked: &Asked,
        watch: &mut dyn FnMut(&Interval) -> Flow,
    ) -> Result<Option<Because>, PredictError> {
        if asked.need.latency.is_none() {
            return Ok(None);
        }
        let kind = Idle::kind(&candidate.build);
        if self.seen.iter().any(|(other, _)| *other == kind) {
            return Ok(None);
        }
        let because = candidate.clone().simulate(&asked.need.a_tenth(), asked.seed, watch)?;
        self.seen.push((kind, because.clone()));
        Ok(because)
    }
}

/// The same size with another disk interface and the same disks: shown once.
fn is_alike(market: &Market, one: &Build, other: &Build) -> bool {
    let size = |build: &Build| market.vms[build.vm].name.split(':').next();
    size(one) == size(other) && (one.data, one.log, one.price) == (other.data, other.log, other.price)
}

/// The cheapest build with other IOPS than asked for, and throughput in proportion where the I/Os do not say it.
fn cheapest(market: &Market, need: &Need, terms: &Terms, iops: u64) -> Option<Build> {
    let mut need = *need;
    let was = need.data.iops.get().max(1);
    let bytes = u128::from(need.data.throughput.get()) * u128::from(iops) / u128::from(was);
    need.data.throughput.0 = u64::try_from(bytes).unwrap_or(u64::MAX);
    need.data.iops = Iops(iops);
    search(market, &need, terms).builds.first().copied()
}

fn miss(market: &Market, asked: &Asked, hosts: u64, found: &Found) -> Miss {
    let nearest =
        found.refused.iter().filter(|refused| refused.because.reached().is_some()).max_by(|one, other| {
            let price = |refused: &Refused| refused.build.map_or(u64::MAX, |build| build.price);
            one.because.reached().cmp(&other.because.reached()).then_with(|| price(other).cmp(&price(one)))
        });
    let several = (2..=MOST_VMS).find_map(|count| {
        let found = search(market, &asked.need.shared_by(count), &asked.terms);
        found.builds.first().map(|build| (count * hosts, *build))
    });
    Miss {
        nearest: nearest.map(|refused| Shown {
            vm: market.vms[refused.vm].name.clone(),
            build: refused.build,
            because: refused.because.clone(),
        }),
        reached: nearest.and_then(|refused| refused.because.reached()).unwrap_or(0),
        several,
    }
}

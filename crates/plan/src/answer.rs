//! The whole answer: candidates that are proved, what is cheaper and fails, what more would cost, what comes nearest.

use std::collections::BTreeMap;

use iobound_catalog::{Assumption, Catalog, Cloud, PriceList};
use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_predict::PredictError;
use iobound_units::Iops;

use crate::build::Build;
use crate::confirm::{Candidate, Unconfirmed, confirm};
use crate::ideas::{Idea, Ideas, first as first_proved, ideas};
use crate::market::{Market, Rank};
use crate::need::Need;
use crate::prove::{Evidence, Judge, Prover};
use crate::refusal::Because;
use crate::regret::{Design, least_regret};
use crate::search::{Found, Refused, search};
use crate::split::{self, OnHosts, Split};
use crate::terms::Terms;
use crate::verdict::Verdicts;

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

impl Stock<'_> {
    /// A build that the search made, on the model, without a simulation.
    pub(crate) fn confirm(&self, need: &Need, build: &Build) -> Result<Candidate, PredictError> {
        match confirm(self.catalog, self.market, self.lists, need, build) {
            Ok(candidate) => Ok(candidate),
            Err(Unconfirmed::Predict(error)) => Err(error),
            Err(Unconfirmed::Catalog(error)) => panic!("the catalogue refuses a build of its own: {error}"),
        }
    }
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
    /// Different ideas of what to buy, the cheapest first: which candidates carry each.
    pub ideas: Vec<Idea>,
    /// True if the search ended before a latency was tried on all builds that are cheaper than the first.
    pub is_cut_short: bool,
    /// True if the caller's callback ended the work.
    pub interrupted: bool,
    /// True if that ended the search: the candidates are those that had passed by then, and a cheaper one may pass too.
    pub is_search_cut: bool,
    /// Builds that are cheaper than the first and are not taken, the dearest first.
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
    /// Assumptions of the candidates, and the latencies by which refused builds fail, behind which nothing published stands.
    pub guesses: Vec<Assumption>,
}

impl Plan {
    /// True if nothing is proved, and a build fails only by an assumed latency.
    pub fn is_unknown(&self) -> bool {
        let is_unknown = |shown: &Shown| matches!(shown.because, Because::UnknownLatency(_));
        self.candidates.is_empty() && self.refused.iter().any(is_unknown)
    }
}

/// Something that is not taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// The VM size.
    pub vm: String,
    /// Configuration that would have been built.
    pub build: Option<Build>,
    /// Reason against it.
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
/// No more VMs than this share what a host would have to do.
const MOST_VMS: u64 = 16;
/// Of several numbers of hosts no more than this are proved: those that cost least by the search.
const MOST_PROVED: usize = 8;

/// Finds what to buy, and proves it. If the caller's callback ends the work, the plan has what was proved by then.
///
/// # Errors
/// Returns an error if a build cannot be simulated.
///
/// # Panics
/// If the catalogue refuses a build that the search made of its rows: a defect of the search.
pub fn plan(
    stock: &Stock<'_>,
    asked: &Asked,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Plan, PredictError> {
    plan_judged(stock, asked, None, watch)
}

/// As [`plan`], but a judge decides which builds are enough, on one host. The need is what any build has to deliver at least;
/// rates that nobody asked for are left out of the answer.
///
/// # Errors
/// As [`plan`]; also the errors of the judge.
///
/// # Panics
/// As [`plan`].
pub fn plan_judged(
    stock: &Stock<'_>,
    asked: &Asked,
    judge: Option<&mut dyn Judge>,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Plan, PredictError> {
    let [least, most] = asked.split.hosts;
    assert!(1 <= least && least <= most, "a plan is of one host or more");
    if least == most {
        return plan_on(stock, asked, least, judge, watch);
    }
    assert!(judge.is_none(), "a judge decides about one host");
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
        let plan = plan_on(stock, asked, on.hosts, None, watch)?;
        let interrupted = plan.interrupted;
        if best.is_none() || cost(&plan).is_some_and(|cost| proved.is_none_or(|proved| cost < proved)) {
            best = Some(plan);
        }
        if let (true, Some(best)) = (interrupted, &mut best) {
            best.interrupted = true;
            break;
        }
    }
    // Where nothing is enough, the most hosts have the least to do.
    let mut plan = match best {
        Some(plan) => plan,
        None => plan_on(stock, asked, most, None, watch)?,
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
    judge: Option<&mut dyn Judge>,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Plan, PredictError> {
    let has_judge = judge.is_some();
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
    // A borrow of its own, as long as that of `watch`.
    let judge = judge.map(|judge| -> &mut dyn Judge { judge });
    let mut prover = Prover::new(stock, asked, watch).judged(judge);
    let mut interrupted = false;
    let whole = unless_interrupted(ideas(&mut prover, &asked.terms, &found), &mut interrupted)?;
    let is_search_cut = whole.is_none();
    let Ideas { mut candidates, ideas } = whole.unwrap_or_else(|| Ideas::so_far(prover.passed()));
    for candidate in &mut candidates {
        if interrupted || unless_interrupted(prover.put_band(candidate), &mut interrupted)?.is_none() {
            break;
        }
    }
    refused.extend(prover.refused());
    let guesses = candidates.iter().flat_map(|candidate| candidate.resolved.guesses());
    let guesses = guesses.chain(prover.assumed()).cloned().collect();
    let is_cut_short = prover.is_spent();
    let mut seen = Seen(vec![(asked.need.data.iops.get(), prover.into_verdicts())]);
    let first = candidates.first().map(|candidate| candidate.build.price);
    if let Some(price) = first {
        refused.retain(|refused| refused.build.is_some_and(|build| build.price < price));
        refused.sort_by_key(|refused| std::cmp::Reverse(refused.build.map(|build| build.price)));
    }
    let mut least = |iops: u64| {
        // What does not meet the need meets no larger one.
        let is_larger = iops >= need.data.iops.get();
        if interrupted || has_judge || market.rank != Rank::Price || candidates.is_empty() && is_larger {
            return Ok(None);
        }
        if iops == need.data.iops.get() {
            return Ok(candidates.first().map(|candidate| candidate.build));
        }
        let least = cheapest_after(stock, asked, iops.div_ceil(hosts), &mut seen, watch);
        unless_interrupted(least, &mut interrupted).map(Option::flatten)
    };
    let iops = need.data.iops.get();
    let more = least(iops.saturating_add(1_000))?;
    let next_thousand =
        first.zip(more).map(|(now, more)| more.price.saturating_sub(now).saturating_mul(hosts));
    let mut frontier: Vec<Frontier> = Vec::new();
    for percent in FRONTIER.iter().filter(|_| market.rank == Rank::Price && !has_judge) {
        let iops = (u128::from(iops) * u128::from(*percent) / 100).max(1) as u64;
        frontier.push(Frontier { iops, build: least(iops)? });
    }
    // A rate that was not looked at is not one that nothing delivers.
    if interrupted {
        frontier.clear();
    }
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
        ideas,
        is_cut_short,
        interrupted,
        is_search_cut,
        refused,
        regret,
        hosts,
        need,
        each: Need { headroom: need.headroom, ..asked.need },
        by_hosts: Vec::new(),
        counts: found.counts,
        sizes: found.sizes,
        next_thousand,
        guesses,
    })
}

/// The value; `None` if the caller's callback ended the work, which is noted.
fn unless_interrupted<T>(
    result: Result<T, PredictError>,
    interrupted: &mut bool,
) -> Result<Option<T>, PredictError> {
    match result {
        Err(PredictError::Interrupted) => {
            *interrupted = true;
            Ok(None)
        }
        other => other.map(Some),
    }
}

/// The cheapest build that is proved with so many IOPS, and throughput in proportion where the I/Os do not say it.
///
/// # Errors
/// Returns an error if the caller's callback ends the work.
pub fn cheapest(
    stock: &Stock<'_>,
    asked: &Asked,
    iops: u64,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Option<Build>, PredictError> {
    cheapest_after(stock, asked, iops, &mut Seen::default(), watch)
}

/// Results of simulations for one need, by the rate of its data.
#[derive(Default)]
struct Seen(Vec<(u64, Verdicts)>);

impl Seen {
    /// The result for another rate.
    fn of(&self, iops: u64) -> Verdicts {
        let mut verdicts = Verdicts::default();
        self.0.iter().for_each(|(rate, seen)| verdicts.learn(seen, *rate < iops));
        verdicts
    }
}

/// As [`cheapest`], with what was seen at other rates; adds what it sees.
fn cheapest_after(
    stock: &Stock<'_>,
    asked: &Asked,
    iops: u64,
    seen: &mut Seen,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Option<Build>, PredictError> {
    let mut asked = asked.clone();
    let data = &mut asked.need.data;
    let was = data.iops.get().max(1);
    let bytes = u128::from(data.throughput.get()) * u128::from(iops) / u128::from(was);
    data.throughput.0 = u64::try_from(bytes).unwrap_or(u64::MAX);
    data.iops = Iops(iops);
    let found = search(stock.market, &asked.need, &asked.terms);
    let mut prover = Prover::new(stock, &asked, watch).knowing(seen.of(iops));
    let first = first_proved(&mut prover, &asked.terms, &found, Evidence::Any)?;
    seen.0.push((iops, prover.into_verdicts()));
    Ok(first.map(|candidate| candidate.build))
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

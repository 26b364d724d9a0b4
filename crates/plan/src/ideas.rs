//! Different ideas of what to buy, and the VM sizes that carry each: not ten names of one idea.

use iobound_catalog::{Cloud, DiskType};
use iobound_predict::PredictError;

use crate::build::{Bought, Build};
use crate::confirm::{Candidate, disk_specs};
use crate::exact::exact;
use crate::market::Rank;
use crate::offer::Law;
use crate::on_local::on_local;
use crate::prove::{Evidence, Prover};
use crate::search::{Found, build_of, price_of, search, temp_of};
use crate::terms::Terms;

/// The measure by which an idea is the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdeaKind {
    /// The least price.
    Cheapest,
    /// The least price on another cloud than the cheapest.
    CheapestOn(Cloud),
    /// The fewest disks of what costs at most a tenth more than the cheapest.
    Simplest,
    /// The fewest disks, within a tenth of the least price, whose figures come with their size: no IOPS are bought separately.
    Unprovisioned,
    /// Disks with which a simulation had passed when the plan was interrupted.
    SoFar,
    /// The least price of local disks, which lose data and log when the VM is stopped or moved. Its candidates come after all others,
    /// whatever they cost.
    OnLocalDisks,
}

/// An idea: disks, and the VM sizes that carry them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idea {
    /// The measures by which it is the best: one or several.
    pub kinds: Vec<IdeaKind>,
    /// Its candidates by their place in the plan's: consecutive, the cheapest first.
    pub candidates: Vec<usize>,
}

/// Ideas with their candidates.
#[derive(Default)]
pub(crate) struct Ideas {
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) ideas: Vec<Idea>,
}

impl Ideas {
    /// Candidates that had passed when the work was interrupted: an idea for each choice of disks, the cheapest first.
    pub(crate) fn so_far(passed: Vec<Candidate>) -> Ideas {
        let mut by_disks: Vec<Vec<Candidate>> = Vec::new();
        for candidate in passed {
            match by_disks.iter_mut().find(|of| of[0].build.disks == candidate.build.disks) {
                Some(of) => of.push(candidate),
                None => by_disks.push(vec![candidate]),
            }
        }
        let mut all = Ideas::default();
        for of in by_disks {
            let from = all.candidates.len();
            all.candidates.extend(of);
            all.ideas.push(Idea {
                kinds: vec![IdeaKind::SoFar],
                candidates: (from..all.candidates.len()).collect(),
            });
        }
        all
    }
}

/// The simplest idea may cost so many per cent of the cheapest.
const SIMPLE_WITHIN: u64 = 110;

/// The ideas of a need, at most so many candidates in all.
pub(crate) fn ideas(
    prover: &mut Prover<'_, '_>,
    terms: &Terms,
    found: &Found,
) -> Result<Ideas, PredictError> {
    let most = prover.asked.candidates;
    let market = prover.stock.market;
    let mut firsts: Vec<(Vec<IdeaKind>, Candidate)> = Vec::new();
    let mut add = |kind: IdeaKind, candidate: Option<Candidate>| {
        let Some(candidate) = candidate else { return };
        match firsts.iter_mut().find(|(_, first)| first.build.disks == candidate.build.disks) {
            Some((kinds, _)) => kinds.push(kind),
            None => firsts.push((vec![kind], candidate)),
        }
    };
    let cheapest = first(prover, terms, found, Evidence::Simulation)?;
    let Some(build) = cheapest.as_ref().map(|cheapest| cheapest.build) else { return Ok(Ideas::default()) };
    add(IdeaKind::Cheapest, cheapest.clone());
    if most > 1 {
        // Without prices nothing is within a tenth of the cheapest.
        if market.rank == Rank::Price {
            add(IdeaKind::Simplest, simplest(prover, terms, &build)?.or(cheapest.clone()));
        }
        add(IdeaKind::Unprovisioned, unprovisioned(prover, terms)?);
        for cloud in other_clouds(prover, &build) {
            add(IdeaKind::CheapestOn(cloud), on_cloud(prover, terms, found, cloud)?);
        }
        add(IdeaKind::OnLocalDisks, with_local_disks(prover, terms)?);
    }
    firsts.truncate(most);
    // The cheapest first; of the others each its own order.
    firsts[1..].sort_by(|(_, one), (_, other)| one.build.order(market).cmp(&other.build.order(market)));
    let each = most / firsts.len();
    let mut carriers: Vec<(Vec<IdeaKind>, Vec<Candidate>)> = Vec::new();
    let mut left = most;
    for (idea, (kinds, candidate)) in firsts.into_iter().enumerate().rev() {
        // The cheapest idea takes the places that the others leave.
        let mut carried = carried(prover, terms, &candidate, if idea == 0 { left } else { each })?;
        carried.sort_by(|one, other| one.build.order(market).cmp(&other.build.order(market)));
        left -= carried.len();
        carriers.push((kinds, carried));
    }
    let mut found = Ideas::default();
    for (kinds, carried) in carriers.into_iter().rev() {
        let from = found.candidates.len();
        found.candidates.extend(carried);
        found.ideas.push(Idea { kinds, candidates: (from..found.candidates.len()).collect() });
    }
    Ok(found)
}

/// The cheapest that is proved.
pub(crate) fn first(
    prover: &mut Prover<'_, '_>,
    terms: &Terms,
    found: &Found,
    evidence: Evidence,
) -> Result<Option<Candidate>, PredictError> {
    if prover.has_goal() {
        return Ok(exact(prover, terms, found, 1, evidence)?.into_iter().next());
    }
    for (place, build) in found.builds.iter().enumerate() {
        if let Some(candidate) = carries(prover, build, place, evidence)? {
            return Ok(Some(candidate));
        }
    }
    Ok(None)
}

/// A build on the model: proved where a latency has to be kept, and the first without one.
fn carries(
    prover: &mut Prover<'_, '_>,
    build: &Build,
    place: usize,
    evidence: Evidence,
) -> Result<Option<Candidate>, PredictError> {
    if !prover.has_goal() && place >= prover.asked.simulated {
        return prover.confirm(build).map(Some);
    }
    match evidence {
        Evidence::Simulation => prover.prove(build),
        Evidence::Any => prover.is_enough(build),
    }
}

/// The fewest disks that cost at most a tenth more.
fn simplest(
    prover: &mut Prover<'_, '_>,
    terms: &Terms,
    cheapest: &Build,
) -> Result<Option<Candidate>, PredictError> {
    if prover.stock.market.rank != Rank::Price || terms.kept.is_some() {
        return Ok(None);
    }
    let bound = (u128::from(cheapest.price) * u128::from(SIMPLE_WITHIN) / 100) as u64;
    let within = terms.most.map_or(bound, |most| most.min(bound));
    let of = |disks: u64| Terms { most_disks: Some(disks), most: Some(within), per_disk: 0, ..terms.clone() };
    let (market, need) = (prover.stock.market, prover.asked.need);
    let (mut least, mut most) = (1, cheapest.disk_count());
    let (mut next, mut evidence) = ((least + most) / 2, Evidence::Any);
    if prover.has_goal() {
        // Fewer disks than carry the rate keep no latency. The least number that carries it usually keeps the goal: it is tried first.
        least = fewest([least, most], |disks| !search(market, &need, &of(disks)).builds.is_empty());
        (next, evidence) = (least, Evidence::Simulation);
    }
    let mut simplest = None;
    // Fewer disks never cost less, so that the least number is found by halves.
    while least < most {
        let terms = of(next);
        let found = search(market, &need, &terms);
        match first(prover, &terms, &found, evidence)? {
            Some(candidate) => {
                most = candidate.build.disk_count().min(next);
                simplest = Some((candidate, terms, found));
            }
            None => least = next + 1,
        }
        next = (least + most) / 2;
    }
    match simplest {
        Some((candidate, terms, found)) if candidate.simulated.is_none() => {
            first(prover, &terms, &found, Evidence::Simulation)
        }
        simplest => Ok(simplest.map(|(candidate, ..)| candidate)),
    }
}

/// The least number of a range that is enough. All larger numbers are enough too; the last is known to be.
fn fewest([mut least, mut most]: [u64; 2], is_enough: impl Fn(u64) -> bool) -> u64 {
    while least < most {
        let middle = (least + most) / 2;
        if is_enough(middle) { most = middle } else { least = middle + 1 }
    }
    least
}

/// The fewest disks, within a tenth of the least price, without IOPS that are bought separately.
fn unprovisioned(prover: &mut Prover<'_, '_>, terms: &Terms) -> Result<Option<Candidate>, PredictError> {
    let market = prover.stock.market;
    // Throughput that is bought decides the IOPS of some kinds: they are bought with it.
    let takes = |of: &Law| !matches!(of, Law::Provisioned(_));
    let offers = market.offers.iter().filter(|offer| terms.takes(offer) && takes(&offer.law));
    let mut disks: Vec<DiskType> = offers.map(|offer| offer.disk).collect();
    disks.dedup();
    if disks.is_empty() || terms.kept.is_some() {
        return Ok(None);
    }
    let terms = Terms { disks, ..terms.clone() };
    let found = search(market, &prover.asked.need, &terms);
    let Some(cheapest) = first(prover, &terms, &found, Evidence::Any)? else { return Ok(None) };
    match simplest(prover, &terms, &cheapest.build)? {
        Some(simplest) => Ok(Some(simplest)),
        None => first(prover, &terms, &found, Evidence::Simulation),
    }
}

/// The cheapest with data and log on local disks. A trace's judge compares prices of what keeps its data.
fn with_local_disks(prover: &mut Prover<'_, '_>, terms: &Terms) -> Result<Option<Candidate>, PredictError> {
    if prover.has_judge() {
        return Ok(None);
    }
    for (place, build) in on_local(prover.stock.market, &prover.asked.need, terms).iter().enumerate() {
        if prover.is_spent() {
            break;
        }
        if let Some(candidate) = carries(prover, build, place, Evidence::Simulation)? {
            return Ok(Some(candidate));
        }
    }
    Ok(None)
}

fn other_clouds(prover: &Prover<'_, '_>, cheapest: &Build) -> Vec<Cloud> {
    let market = prover.stock.market;
    let own = market.vms[cheapest.vm].cloud;
    prover.stock.lists.iter().map(|(cloud, _)| *cloud).filter(|cloud| *cloud != own).collect()
}

fn on_cloud(
    prover: &mut Prover<'_, '_>,
    terms: &Terms,
    found: &Found,
    cloud: Cloud,
) -> Result<Option<Candidate>, PredictError> {
    let market = prover.stock.market;
    let mut found = found.clone();
    found.builds.retain(|build| market.vms[build.vm].cloud == cloud);
    first(prover, terms, &found, Evidence::Simulation)
}

/// The VM sizes that carry the disks of a candidate, the candidate's own first of its price.
fn carried(
    prover: &mut Prover<'_, '_>,
    terms: &Terms,
    candidate: &Candidate,
    most: usize,
) -> Result<Vec<Candidate>, PredictError> {
    let market = prover.stock.market;
    let mut builds = match candidate.build.bought() {
        Some(bought) => carrying(prover, terms, bought),
        None => on_like_disks(prover, terms, &candidate.build),
    };
    builds.sort_by(|one, other| one.order(market).cmp(&other.order(market)));
    let mut rows = vec![candidate.clone()];
    for build in builds {
        if rows.len() >= most {
            break;
        }
        if rows.iter().any(|row| row.build.is_alike(market, &build)) {
            continue;
        }
        rows.extend(carries(prover, &build, rows.len(), Evidence::Simulation)?);
    }
    Ok(rows)
}

/// Bought disks on each VM size that lets the need through.
fn carrying(prover: &Prover<'_, '_>, terms: &Terms, bought: &Bought) -> Vec<Build> {
    let (market, need) = (prover.stock.market, &prover.asked.need);
    let temp = temp_of(need);
    let sizes = market.vms.iter().enumerate().filter(|(_, size)| size.cloud == bought.data.disk.cloud());
    let builds = sizes.filter_map(|(vm, size)| {
        let named = terms.vm.as_ref().is_none_or(|only| *only == size.name);
        let price = price_of(size, temp.as_ref(), terms)?.saturating_add(bought.price());
        let is_dear = terms.most.is_some_and(|most| price > most);
        let is_taken = named && !is_dear && terms.refuse(size).is_none();
        build_of(market, need, vm, *bought, price).filter(|_| is_taken)
    });
    builds.collect()
}

/// The cheapest build of each VM size on as many local disks of the same kind as another, on the same cloud.
fn on_like_disks(prover: &Prover<'_, '_>, terms: &Terms, like: &Build) -> Vec<Build> {
    let market = prover.stock.market;
    let of = |build: &Build| (market.vms[build.vm].cloud, disk_specs(market, build));
    let wanted = of(like);
    let mut builds = on_local(market, &prover.asked.need, terms);
    builds.retain(|build| of(build) == wanted);
    builds.dedup_by_key(|build| build.vm);
    builds
}

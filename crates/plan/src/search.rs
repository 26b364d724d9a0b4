//! The search: every VM size with every volume that no other beats. Exact, in whole numbers.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::build::{Bought, Build, Volume};
use crate::local;
use crate::market::{Market, Rank, Vm};
use crate::need::{Demand, Need, VolumeNeed};
use crate::refusal::Because;
use crate::terms::Terms;
use crate::volume::{Load, Role, VolumeDemand, on_one_pool, pool_of, volumes};

/// Rejected candidates, with the reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// The VM size, by its place in the market.
    pub vm: usize,
    /// Configuration that would have been built on it.
    pub build: Option<Build>,
    /// Reason against it.
    pub because: Because,
}

/// Findings of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// All that meet the need, cheapest first: the cheapest of each VM size and type of data disk.
    pub builds: Vec<Build>,
    /// Candidates cheaper than the cheapest that fail the need or are not acceptable; the dearest first. Without builds, all of it.
    pub refused: Vec<Refused>,
    /// VM sizes that were not taken, whatever they cost, by [`Because::name`].
    pub counts: BTreeMap<&'static str, u64>,
    /// VM sizes that were looked at.
    pub sizes: u64,
}

/// Searches all of it.
pub fn search(market: &Market, need: &Need, terms: &Terms) -> Found {
    let options = Options::of(market, need, terms);
    let mut found = Found::default();
    for (index, vm) in market.vms.iter().enumerate() {
        if terms.vm.as_ref().is_some_and(|only| *only != vm.name) {
            continue;
        }
        found.sizes += 1;
        match options.on(index, vm, terms) {
            Ok(builds) => found.builds.extend(builds),
            Err(refused) => {
                *found.counts.entry(refused.because.name()).or_default() += 1;
                found.refused.push(*refused);
            }
        }
    }
    found.builds.sort_by_cached_key(|build| build.order(market));
    if let Some(cheapest) = found.builds.first().map(|build| build.price) {
        found.refused.retain(|refused| refused.build.is_some_and(|build| build.price < cheapest));
    }
    found.refused.sort_by_cached_key(|refused| (Reverse(refused.build.map(|build| build.price)), refused.vm));
    found
}

impl Build {
    /// Order: bought disks before local ones, which are never the answer by themselves; then the least price, then the fewest disks, then
    /// the name.
    pub(crate) fn order<'m>(&self, market: &'m Market) -> (bool, u64, u64, &'m str) {
        (self.bought().is_none(), self.price, self.disk_count(), &market.vms[self.vm].name)
    }

    /// True if it is the same size with another disk interface and the same disks, which is shown once.
    pub(crate) fn is_alike(&self, market: &Market, other: &Build) -> bool {
        let size = |build: &Build| market.vms[build.vm].name.split(':').next();
        let rest = |build: &Build| (build.disks, build.price);
        size(self) == size(other) && rest(self) == rest(other)
    }
}

impl Bought {
    fn cost(&self, terms: &Terms) -> u64 {
        self.volumes().fold(0, |cost, volume| cost.saturating_add(volume.cost(terms)))
    }
}

/// True if bought disks on a VM meet a need.
pub(crate) fn meets(market: &Market, need: &Need, vm: usize, bought: &Bought) -> bool {
    let (asked, asked_log) = asked_of(need);
    if let (Some(log), Some(asked_log)) = (&bought.log, &asked_log)
        && let Some(is_enough) = pool_of(market, (&bought.data, &asked), (log, asked_log))
    {
        return is_enough && load_of(need, bought).fails(&market.vms[vm]).is_none();
    }
    let log_meets = match (&bought.log, &asked_log) {
        (Some(log), Some(asked)) => log.meets(market, asked),
        (None, None) => true,
        _ => false,
    };
    let load = load_of(need, bought);
    bought.data.meets(market, &asked) && log_meets && load.fails(&market.vms[vm]).is_none()
}

/// Bought disks on a VM, with its local disks for temporary data; `None`: the VM does not let the need through. `price` is that of
/// [`price_of`] and of the disks.
pub(crate) fn build_of(market: &Market, need: &Need, vm: usize, bought: Bought, price: u64) -> Option<Build> {
    let (load, size) = (load_of(need, &bought), &market.vms[vm]);
    load.fails(size).is_none().then(|| Build::of(vm, bought, load.local(size), price))
}

/// Price of a VM size with the local disks that are ordered for temporary data; `None`: it is not known. A VM that is there costs what it
/// costs, known or not: only its disks are chosen.
pub(crate) fn price_of(vm: &Vm, temp: Option<&Demand>, terms: &Terms) -> Option<u64> {
    let price = vm.price.or(terms.vm.as_ref().map(|_| 0))?;
    let fit = temp.and_then(|temp| local::fit(&vm.local, temp));
    Some(price.saturating_add(local::price_of(&vm.local, fit.as_slice())))
}

fn load_of(need: &Need, bought: &Bought) -> Load {
    let (asked, asked_log) = asked_of(need);
    let mut load = Load::default();
    if let Some(temp) = temp_of(need) {
        load.add_temp(temp);
    }
    load.add(&bought.data, &asked);
    if let (Some(log), Some(asked)) = (&bought.log, &asked_log) {
        load.add(log, asked);
    }
    load
}

pub(crate) fn asked_of(need: &Need) -> (VolumeDemand, Option<VolumeDemand>) {
    let asked = |volume: &VolumeNeed| VolumeDemand::of(volume.demand(need.headroom, need.interleave()));
    (asked(&need.data), need.log.as_ref().map(asked))
}

pub(crate) fn temp_of(need: &Need) -> Option<Demand> {
    need.temp.as_ref().map(|temp| temp.demand(need.headroom, need.interleave()))
}

/// Possible volumes, for any VM.
struct Options {
    data: Vec<Volume>,
    log: Vec<Volume>,
    /// Data and log on one pool of disks.
    pairs: Vec<[Volume; 2]>,
    asked: VolumeDemand,
    asked_log: Option<VolumeDemand>,
    temp: Option<Demand>,
    /// Reason why a size is not taken that has no rank.
    unranked: Because,
}

impl Options {
    fn of(market: &Market, need: &Need, terms: &Terms) -> Options {
        let (asked, asked_log) = asked_of(need);
        Options {
            data: volumes(market, terms, &asked, Role::Data),
            log: asked_log.map_or(Vec::new(), |asked| volumes(market, terms, &asked, Role::Log)),
            pairs: asked_log.map_or(Vec::new(), |log| {
                let takes = |index: &usize| terms.kept.is_none() && terms.takes_log(&market.offers[*index]);
                let offers = (0..market.offers.len()).filter(takes);
                offers.filter_map(|offer| on_one_pool(market, offer, &asked, &log)).collect()
            }),
            asked,
            asked_log,
            temp: temp_of(need),
            unranked: match market.rank {
                Rank::Price => Because::Unpriced,
                Rank::Size => Because::Unknown("vCPUs"),
            },
        }
    }

    /// The cheapest builds on a VM, one for each type of data disk.
    fn on(&self, index: usize, vm: &Vm, terms: &Terms) -> Result<Vec<Build>, Box<Refused>> {
        let refuse = |build, because| Err(Box::new(Refused { vm: index, build, because }));
        let Some(price) = price_of(vm, self.temp.as_ref(), terms) else {
            return refuse(None, self.unranked.clone());
        };
        let (mut builds, failing) = self.enough(index, vm, price, terms);
        let cheapest = builds.iter().min_by_key(|build| build.price).copied();
        if let Some(because) = terms.refuse(vm) {
            return match (cheapest, failing) {
                // What fails anyway is told by what fails.
                (None, Some((build, limit))) => refuse(Some(build), limit),
                (would, _) => refuse(would, because),
            };
        }
        if let Some(most) = terms.most {
            builds.retain(|build| build.price <= most);
            if let (true, Some(build)) = (builds.is_empty(), cheapest) {
                return refuse(Some(build), Because::Price);
            }
        }
        match (builds.is_empty(), failing) {
            (false, _) => Ok(builds),
            (true, Some((build, because))) => refuse(Some(build), because),
            (true, None) => refuse(None, Because::NoDisks),
        }
    }

    /// The builds of least cost that are enough, by type of data disk; and the cheapest that is not.
    fn enough(
        &self,
        index: usize,
        vm: &Vm,
        price: u64,
        terms: &Terms,
    ) -> (Vec<Build>, Option<(Build, Because)>) {
        let of_cloud = |volume: &Volume| volume.disk.cloud() == vm.cloud;
        let cheapest_log = self.logs().find(|log| log.is_none_or(of_cloud)).flatten();
        let least_log = cheapest_log.map_or(0, |log| log.cost(terms));
        let mut builds: Vec<Build> = Vec::new();
        let mut failing: Option<(Build, Because)> = None;
        let is_few = |bought: &Bought| terms.most_disks.is_none_or(|most| bought.disk_count() <= most);
        let build_of = |bought: Bought, load: &Load| {
            Build::of(index, bought, load.local(vm), price.saturating_add(bought.price()))
        };
        for [data, log] in self.pairs.iter().filter(|pair| of_cloud(&pair[0])) {
            let load = self.load_of(data, Some(log));
            let bought = Bought { data: *data, log: Some(*log) };
            match load.fails(vm) {
                None if is_few(&bought) => builds.push(build_of(bought, &load)),
                None => {}
                Some(because) => closer(&mut failing, build_of(bought, &load), because),
            }
        }
        for data in self.data.iter().filter(|data| of_cloud(data)) {
            // Volumes come by cost: what can't become less than what is there need not be looked at.
            let is_of_type =
                |build: &Build| build.bought().is_some_and(|bought| bought.data.disk == data.disk);
            let there = builds.iter().position(is_of_type);
            let bound =
                there.and_then(|place| builds[place].bought()).map_or(u64::MAX, |bought| bought.cost(terms));
            if data.cost(terms).saturating_add(least_log) >= bound {
                continue;
            }
            // What the data alone overruns, no log can fix: the cheapest is named, and the others are not looked at.
            let is_hopeless = self.asked_log.is_some() && self.load_of(data, None).fails(vm).is_some();
            let is_pooled = |log: &Volume| self.pairs.iter().any(|pair| pair[0].disk == log.disk);
            let shares = |log: &Volume| log.disk == data.disk && is_pooled(log);
            let logs = self.logs().filter(|log| log.is_none_or(|log| of_cloud(log) && !shares(log)));
            for log in logs {
                let bought = Bought { data: *data, log: log.copied() };
                if bought.cost(terms) >= bound {
                    break;
                }
                if !is_few(&bought) {
                    continue;
                }
                let load = self.load_of(data, log);
                let build = build_of(bought, &load);
                match load.fails(vm) {
                    None => {
                        match there {
                            Some(place) => builds[place] = build,
                            None => builds.push(build),
                        }
                        break;
                    }
                    Some(because) => {
                        let is_limit = because.reached().is_some();
                        closer(&mut failing, build, because);
                        if is_hopeless && is_limit {
                            break;
                        }
                    }
                }
            }
        }
        (builds, failing)
    }

    fn logs(&self) -> impl Iterator<Item = Option<&Volume>> {
        let none = self.asked_log.is_none().then_some(None);
        none.into_iter().chain(self.log.iter().map(Some))
    }

    fn load_of(&self, data: &Volume, log: Option<&Volume>) -> Load {
        let mut load = Load::default();
        if let Some(temp) = self.temp {
            load.add_temp(temp);
        }
        load.add(data, &self.asked);
        if let (Some(log), Some(asked)) = (log, &self.asked_log) {
            load.add(log, asked);
        }
        load
    }
}

/// Best configuration that a limit rules out: the cheapest that a known limit stops, else the cheapest of all.
fn closer(failing: &mut Option<(Build, Because)>, build: Build, because: Because) {
    let key = |build: &Build, because: &Because| (because.reached().is_none(), build.price);
    if failing.as_ref().is_none_or(|(other, reason)| key(&build, &because) < key(other, reason)) {
        *failing = Some((build, because));
    }
}

//! All disks that meet a need, in order of price: also those that have more to spare than the need asks for.
//!
//! If a latency has to be kept, the cheapest disks that carry the rate may queue, and faster ones may not. Disks are
//! bought in steps: one tier disk more, or [`STEPS`] of a chosen figure.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use iobound_catalog::DiskType;

use crate::build::Volume;
use crate::market::Market;
use crate::offer::{Fit, Law, units};
use crate::terms::Terms;
use crate::volume::{Role, VolumeDemand, volumes};

/// Chosen figures above the least that carries the need, in per cent of it: in steps of 1 % up to 30 %, then coarser.
pub const STEPS: [u64; 39] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
    29, 30, 35, 40, 50, 60, 75, 100, 150, 200,
];

/// Disks that may come next: the price comes first, because the heap orders by it.
type Node = Reverse<(u64, u64, usize, bool, [usize; 2])>;

/// The disks of one volume in order of price.
pub(crate) struct Menu<'a> {
    market: &'a Market,
    asked: VolumeDemand,
    most: u64,
    next: BinaryHeap<Node>,
    found: Vec<Volume>,
}

impl<'a> Menu<'a> {
    /// The disks of the data: of one type, all or none with a read cache; of those that are kept where some are.
    pub(crate) fn of_data(
        market: &'a Market,
        terms: &Terms,
        asked: VolumeDemand,
        disk: DiskType,
        cached: bool,
    ) -> Menu<'a> {
        if terms.kept.is_some() {
            let mut menu = Menu::empty(market, asked);
            menu.found = volumes(market, terms, &asked, Role::Data);
            menu.found.retain(|volume| (volume.disk, volume.cached) == (disk, cached));
            return menu;
        }
        Menu::of(market, terms, asked, disk, cached)
    }

    /// The disks of the log, of one type.
    pub(crate) fn of_log(market: &'a Market, terms: &Terms, asked: VolumeDemand, disk: DiskType) -> Menu<'a> {
        Menu::of(market, terms, asked, disk, false)
    }

    fn empty(market: &'a Market, asked: VolumeDemand) -> Menu<'a> {
        let most = market.vms.iter().filter_map(|vm| vm.slots).max().unwrap_or(0);
        Menu { market, asked, most, next: BinaryHeap::new(), found: Vec::new() }
    }

    fn of(market: &'a Market, terms: &Terms, asked: VolumeDemand, disk: DiskType, cached: bool) -> Menu<'a> {
        let mut menu = Menu::empty(market, asked);
        menu.most = terms.most_disks.map_or(menu.most, |most| most.min(menu.most));
        let demand = if cached { &asked.beyond } else { &asked.all };
        let may_cache = terms.host_cache && asked.all.read > 0;
        for (index, offer) in market.offers.iter().enumerate().filter(|(_, offer)| offer.disk == disk) {
            if !terms.takes(offer) || (cached && !(may_cache && offer.cacheable)) {
                continue;
            }
            for fit in offer.fits(demand, menu.most) {
                menu.next.push(Reverse((fit.price, fit.count, index, cached, [0; 2])));
            }
        }
        menu
    }

    /// The disks in that place; `None`: there are no more.
    pub(crate) fn get(&mut self, place: usize) -> Option<Volume> {
        while self.found.len() <= place {
            let Reverse((_, count, offer, cached, steps)) = self.next.pop()?;
            let Some(fit) = self.fit(offer, cached, count, steps) else { continue };
            self.follow(offer, cached, steps, fit);
            let disk = self.market.offers[offer].disk;
            self.found.push(Volume { offer, disk, fit, cached });
        }
        self.found.get(place).copied()
    }

    /// A number of disks of an offer, with chosen figures a number of steps above the least.
    fn fit(&self, offer: usize, cached: bool, count: u64, steps: [usize; 2]) -> Option<Fit> {
        let demand = if cached { &self.asked.beyond } else { &self.asked.all };
        match &self.market.offers[offer].law {
            Law::Tier { .. } => self.market.offers[offer].tiers(demand, count),
            Law::Provisioned(provision) => {
                let demand = &self.market.offers[offer].demand(demand);
                let above = |need: u64, step: usize| {
                    let raised = u128::from(need) * u128::from(100 + STEPS[step]);
                    u64::try_from(raised.div_ceil(100 * u128::from(count))).unwrap_or(u64::MAX)
                };
                let ios = above(units(demand, count), steps[0]);
                let bytes = above(demand.bytes, steps[1]);
                provision.at_least(count, [demand.gib.div_ceil(count), ios, bytes])
            }
        }
    }

    /// Adds what costs next to nothing more: one tier disk, or one step of a figure that changes anything. Bytes are raised
    /// from every place, units only where no bytes were raised, so that each pair of figures is reached once.
    fn follow(&mut self, offer: usize, cached: bool, steps: [usize; 2], fit: Fit) {
        if let Law::Tier { .. } = self.market.offers[offer].law {
            // Two disks may not be enough where one is: a stripe splits I/Os.
            let more = (fit.count + 1..=self.most).find_map(|more| self.fit(offer, cached, more, steps));
            self.next.extend(more.map(|fit| Reverse((fit.price, fit.count, offer, cached, steps))));
            return;
        }
        let figures = if steps[1] == 0 { &[0, 1][..] } else { &[1][..] };
        for figure in figures {
            let mut next = steps;
            let other = (steps[*figure] + 1..STEPS.len()).find_map(|step| {
                next[*figure] = step;
                Some((next, self.fit(offer, cached, fit.count, next)?)).filter(|(_, other)| *other != fit)
            });
            let node = other.map(|(next, other)| Reverse((other.price, fit.count, offer, cached, next)));
            self.next.extend(node);
        }
    }
}

/// The disks of the data and of the log together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub(crate) data: Volume,
    pub(crate) log: Option<Volume>,
    pub(crate) price: u64,
}

/// All of them in order of price.
pub(crate) struct Choices<'a> {
    data: Menu<'a>,
    log: Option<Menu<'a>>,
    next: BinaryHeap<Reverse<(u64, usize, usize)>>,
    found: Vec<Choice>,
}

impl<'a> Choices<'a> {
    pub(crate) fn new(data: Menu<'a>, log: Option<Menu<'a>>) -> Choices<'a> {
        let mut choices = Choices { data, log, next: BinaryHeap::new(), found: Vec::new() };
        choices.push(0, 0);
        choices
    }

    fn at(&mut self, data: usize, log: usize) -> Option<Choice> {
        let data = self.data.get(data)?;
        let log = match &mut self.log {
            Some(menu) => Some(menu.get(log)?),
            None if log == 0 => None,
            None => return None,
        };
        let price = data.fit.price.saturating_add(log.map_or(0, |log| log.fit.price));
        Some(Choice { data, log, price })
    }

    fn push(&mut self, data: usize, log: usize) {
        if let Some(choice) = self.at(data, log) {
            self.next.push(Reverse((choice.price, data, log)));
        }
    }

    /// The disks in that place; `None`: there are no more.
    pub(crate) fn get(&mut self, place: usize) -> Option<Choice> {
        while self.found.len() <= place {
            let Reverse((_, data, log)) = self.next.pop()?;
            let choice = self.at(data, log)?;
            self.push(data, log + 1);
            if log == 0 {
                self.push(data + 1, 0);
            }
            self.found.push(choice);
        }
        self.found.get(place).copied()
    }
}

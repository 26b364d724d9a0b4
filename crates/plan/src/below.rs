//! The next cheaper configuration among those that the search leaves out because they do not carry the rate.

use iobound_predict::PredictError;

use crate::answer::{Asked, Stock};
use crate::build::{Bought, Build, Disks};
use crate::confirm::Candidate;
use crate::market::Market;
use crate::need::Need;
use crate::offer::Law;
use crate::search::{asked_of, search};

/// Shares of the asked rate in millionths, the highest first: what carries only these is cheaper. Closer to the rate, limits that are
/// enforced above their published figures still carry it.
const SHARES: [u64; 8] = [950_000, 900_000, 750_000, 500_000, 250_000, 100_000, 50_000, 10_000];

/// Halvings of the distance between the first share that something cheaper carries and the one before: to 0.1 % of the rate.
const HALVINGS: usize = 8;

/// The configuration that costs less than `price` by the least, and carries only a part of the asked rate; `None` if the terms
/// allow nothing cheaper.
///
/// # Errors
/// Returns an error if the model cannot take the configuration.
///
/// # Panics
/// If the catalogue refuses a build that the search made of its rows: a defect of the search.
pub fn next_cheaper(stock: &Stock<'_>, asked: &Asked, price: u64) -> Result<Option<Candidate>, PredictError> {
    let dearest = |ppm: u64| {
        let need = asked.need.at_share(ppm);
        let builds = search(stock.market, &need, &asked.terms).builds.into_iter();
        let billed = builds.filter_map(|build| billed_in_whole(stock.market, [&need, &asked.need], build));
        billed.filter(|build| build.price < price).max_by_key(|build| build.price)
    };
    let first = SHARES.iter().enumerate().find_map(|(at, ppm)| Some((at, dearest(*ppm)?)));
    let Some((at, mut next)) = first else { return Ok(None) };
    if let Some(mut high) = at.checked_sub(1).map(|before| SHARES[before]) {
        let mut low = SHARES[at];
        for _ in 0..HALVINGS {
            let middle = low.midpoint(high);
            match dearest(middle) {
                Some(build) => {
                    low = middle;
                    next = if build.price > next.price { build } else { next };
                }
                None => high = middle,
            }
        }
    }
    stock.confirm(&asked.need, &next).map(Some)
}

/// A build for a part of a need, with the price of all I/Os where I/Os are billed; `None` without bought disks.
fn billed_in_whole(market: &Market, [part, whole]: [&Need; 2], mut build: Build) -> Option<Build> {
    let Disks::Bought(Bought { data, .. }) = &mut build.disks else { return None };
    if let Law::Tier { billing: Some(billing), .. } = &market.offers[data.offer].law {
        let month = |need: &Need| {
            let asked = asked_of(need).0;
            billing.month(if data.cached { &asked.beyond } else { &asked.all }, data.fit.count)
        };
        let more = month(whole).saturating_sub(month(part));
        data.fit.price = data.fit.price.saturating_add(more);
        build.price = build.price.saturating_add(more);
    }
    Some(build)
}

//! A need that is known as a range only: which build is regretted least, whatever the need turns out to be.

use iobound_units::Iops;

use crate::build::Build;
use crate::market::Market;
use crate::need::Need;
use crate::search::{meets, search};
use crate::terms::Terms;

/// The build that is cheapest for one point of the range, and what it is regretted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Design {
    /// The I/Os a second that it is the cheapest for.
    pub iops: u64,
    /// Its kind.
    pub build: Build,
    /// The regret at the point of the range where it is largest, in billionths of a dollar a month.
    pub worst: u64,
    /// The mean over the points.
    pub mean: u64,
}

/// Points of a range, its ends among them.
const POINTS: u64 = 9;

/// The cheapest builds of the points of a range, the least regretted first: by the worst point, then by the mean.
///
/// The regret at a point is what the build costs more than the cheapest that is enough there. Where it is not enough itself,
/// all that it costs is lost, since the larger one has to be bought as well.
pub fn least_regret(market: &Market, need: &Need, terms: &Terms, range: [u64; 2]) -> Vec<Design> {
    let [low, high] = range;
    let at = |iops: u64| {
        let mut need = *need;
        need.data.iops = Iops(iops);
        need
    };
    let points = (0..POINTS).map(|point| low + (high - low) * point / (POINTS - 1));
    let cheapest: Vec<(u64, Build)> = points
        .filter_map(|iops| search(market, &at(iops), terms).builds.first().map(|build| (iops, *build)))
        .collect();
    let mut designs: Vec<Design> = Vec::new();
    for (iops, build) in &cheapest {
        if designs.iter().any(|design| design.build == *build) {
            continue;
        }
        let regret = cheapest.iter().map(|(point, best)| {
            if build.bought().is_some_and(|bought| meets(market, &at(*point), build.vm, bought)) {
                build.price.saturating_sub(best.price)
            } else {
                build.price
            }
        });
        let regret: Vec<u64> = regret.collect();
        let sum: u128 = regret.iter().map(|regret| u128::from(*regret)).sum();
        designs.push(Design {
            iops: *iops,
            build: *build,
            worst: regret.iter().copied().max().unwrap_or(0),
            mean: (sum / regret.len().max(1) as u128) as u64,
        });
    }
    designs.sort_by_key(|design| (design.worst, design.mean, design.iops));
    designs
}

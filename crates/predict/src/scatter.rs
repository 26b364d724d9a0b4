//! Scatter of hosts of one kind, and the figure of the slowest of several.
//!
//! Of a figure that scatters from VM to VM the fastest, the typical and the slowest are known, and nothing between them. So a
//! host is placed between the ends: half of the hosts are slower than the typical one, and the nearer an end the fewer there
//! are, falling evenly to none (a triangle about the typical). A host has two such places, drawn apart: one for all its media,
//! one for how its limits are enforced. Whether the seller's megabytes count 2^20 is not drawn: it is the same for all hosts.

use iobound_catalog::{Band, Resolved};
use iobound_model::{Blueprint, Latency, LimiterId};
use iobound_units::{Ppm, Span};

use crate::ends::{end_of_band, is_shallow};

/// Position of a host in the scatter: -1,000,000 the slowest that was seen, 0 typical, 1,000,000 the fastest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Host {
    /// Its media and its host cache's.
    pub media: i32,
    /// Enforcement of its limits.
    pub limits: i32,
}

/// A whole step from the typical host to an end.
pub(crate) const END: i32 = 1_000_000;

/// The hosts that there can be of a configuration: the ends between which they lie.
#[derive(Clone, Debug)]
pub(crate) struct PossibleHosts {
    slowest: Blueprint,
    typical: Blueprint,
    fastest: Blueprint,
}

fn between(typical: u64, end: u64, share: u32) -> u64 {
    let (typical, end, share) = (i128::from(typical), i128::from(end), i128::from(share));
    (typical + (end - typical) * share / i128::from(END)) as u64
}

impl PossibleHosts {
    pub(crate) fn of(resolved: &Resolved, outstanding: u64) -> PossibleHosts {
        let shallow = is_shallow(outstanding);
        PossibleHosts {
            slowest: end_of_band(resolved, Band::Low, shallow),
            typical: if shallow { resolved.at_depth_1() } else { resolved.blueprint.clone() },
            fastest: end_of_band(resolved, Band::High, shallow),
        }
    }

    /// The parts that scatter: media and enforcement.
    pub(crate) fn scatter(&self) -> (bool, bool) {
        let (slow, fast) = (&self.slowest, &self.fastest);
        let disks = slow.disks.iter().zip(&fast.disks).any(|(slow, fast)| slow.media != fast.media);
        let caches = slow
            .caches
            .iter()
            .zip(&fast.caches)
            .any(|(slow, fast)| (slow.hit, slow.ack) != (fast.hit, fast.ack));
        let limiters =
            slow.limiters.iter().zip(&fast.limiters).any(|(slow, fast)| slow.factor != fast.factor);
        (disks || caches, limiters)
    }

    /// Properties of a host.
    pub(crate) fn blueprint(&self, host: Host) -> Blueprint {
        let end = |place: i32| if place < 0 { &self.slowest } else { &self.fastest };
        let mut blueprint = self.typical.clone();
        let share = host.media.unsigned_abs();
        let media = |latency: &mut Latency, end: Latency| {
            latency.mean = Span::from_ns(between(latency.mean.ns(), end.mean.ns(), share));
        };
        for (disk, end) in blueprint.disks.iter_mut().zip(&end(host.media).disks) {
            media(&mut disk.media.read, end.media.read);
            media(&mut disk.media.write, end.media.write);
        }
        for (cache, end) in blueprint.caches.iter_mut().zip(&end(host.media).caches) {
            media(&mut cache.hit, end.hit);
            media(&mut cache.ack, end.ack);
        }
        let share = host.limits.unsigned_abs();
        for (limiter, end) in blueprint.limiters.iter_mut().zip(&end(host.limits).limiters) {
            let factor = between(u64::from(limiter.factor.0), u64::from(end.factor.0), share);
            limiter.factor = Ppm(factor as u32);
        }
        blueprint
    }
}

/// The place below which a share of hosts lies: the reverse of [`below`].
fn place_of(share: f64) -> i32 {
    let place = if share < 0.5 { (2.0 * share).sqrt() - 1.0 } else { 1.0 - (2.0 - 2.0 * share).sqrt() };
    (place * f64::from(END)) as i32
}

impl PossibleHosts {
    /// A stripe's disks that differ from each other as hosts do: of `n` disks each has another `n`-th of the scatter, in one
    /// order by media and in another by limits. Everything else is typical.
    pub(crate) fn of_disks(&self) -> Blueprint {
        let mut blueprint = self.typical.clone();
        for volume in self.typical.volumes.iter().filter(|volume| volume.disks.len() > 1) {
            let count = volume.disks.len();
            let place = |index: usize| place_of((index as f64 + 0.5) / count as f64);
            for (index, disk) in volume.disks.iter().enumerate() {
                // An order that goes with the first as little as possible: every second from below, the rest from above.
                let other = if index % 2 == 0 { index / 2 } else { count - 1 - index / 2 };
                let of_disk = self.blueprint(Host { media: place(index), limits: place(other) });
                let disk = usize::from(disk.0);
                blueprint.disks[disk].media = of_disk.disks[disk].media;
                if let Some(limiter) = own_limiter(&self.typical, disk) {
                    let limiter = usize::from(limiter.0);
                    blueprint.limiters[limiter].factor = of_disk.limiters[limiter].factor;
                }
            }
        }
        blueprint
    }
}

/// The limiter that a disk shares with no other; `None`: there is none.
pub(crate) fn own_limiter(blueprint: &Blueprint, disk: usize) -> Option<LimiterId> {
    let last = *blueprint.disks[disk].routes.read.last()?;
    let others = blueprint.disks.iter().enumerate().filter(|(other, _)| *other != disk);
    let mut others = others.flat_map(|(_, other)| &other.routes.read);
    (!others.any(|limiter| *limiter == last)).then_some(last)
}

impl Host {
    /// Properties of this host, where so many I/Os are outstanding. Positions beyond an end are no host.
    ///
    /// # Panics
    /// Beyond an end.
    pub fn blueprint(self, resolved: &Resolved, outstanding: u64) -> Blueprint {
        let inside = |place: i32| place.unsigned_abs() <= END.unsigned_abs();
        assert!(inside(self.media) && inside(self.limits), "a host lies between the ends");
        PossibleHosts::of(resolved, outstanding).blueprint(self)
    }
}

/// The share of hosts that lie below a place: -1 to 1.
fn below(place: f64) -> f64 {
    let place = place.clamp(-1.0, 1.0);
    if place < 0.0 { (1.0 + place) * (1.0 + place) / 2.0 } else { 1.0 - (1.0 - place) * (1.0 - place) / 2.0 }
}

/// Figures of one host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Delivered {
    pub(crate) iops: f64,
    pub(crate) bytes: f64,
}

/// Figures of hosts at places in the scatter, by media and by limits, each from the slowest to the fastest and evenly apart.
#[derive(Clone, Debug)]
pub(crate) struct Surface {
    /// `rows[media][limits]`.
    rows: Vec<Vec<Delivered>>,
}

/// Hosts are told apart this finely between two places that were simulated.
const FINE: usize = 32;

impl Surface {
    /// Of simulated rows. Slower media or smaller limits never deliver more: what a simulation has of that is its noise. It is
    /// levelled from the fast end and from the slow one, and the mean of both is as even as either, and leans to neither; the
    /// slowest of all stays the end of the band.
    pub(crate) fn new(rows: Vec<Vec<Delivered>>) -> Surface {
        let slowest = rows[0][0];
        let (fast, slow) = (levelled_down(rows.clone()), levelled_up(rows));
        let mean = |one: Delivered, other: Delivered| {
            let mean = Delivered {
                iops: f64::midpoint(one.iops, other.iops),
                bytes: f64::midpoint(one.bytes, other.bytes),
            };
            if mean.iops < slowest.iops { slowest } else { mean }
        };
        let row = |(fast, slow): (Vec<Delivered>, Vec<Delivered>)| {
            fast.into_iter().zip(slow).map(|(fast, slow)| mean(fast, slow)).collect()
        };
        Surface { rows: fast.into_iter().zip(slow).map(row).collect() }
    }

    fn at(&self, media: (usize, f64), limits: (usize, f64)) -> Delivered {
        let mix = |one: Delivered, other: Delivered, share: f64| Delivered {
            iops: one.iops + (other.iops - one.iops) * share,
            bytes: one.bytes + (other.bytes - one.bytes) * share,
        };
        let row = |row: &[Delivered]| match row.get(limits.0 + 1) {
            Some(next) => mix(row[limits.0], *next, limits.1),
            None => row[limits.0],
        };
        let here = row(&self.rows[media.0]);
        match self.rows.get(media.0 + 1) {
            Some(next) => mix(here, row(next), media.1),
            None => here,
        }
    }

    /// Distribution of hosts.
    pub(crate) fn distribution(&self) -> Distribution {
        let (medias, limits) = (cells(self.rows.len()), cells(self.rows[0].len()));
        let mut of: Vec<(Delivered, f64)> = medias
            .iter()
            .flat_map(|media| limits.iter().map(move |limits| (media, limits)))
            .map(|(media, limits)| (self.at(media.place, limits.place), media.weight * limits.weight))
            .collect();
        of.sort_by(|(one, _), (other, _)| one.iops.total_cmp(&other.iops));
        Distribution::new(of)
    }
}

/// Rows in which nothing delivers more than what is faster.
fn levelled_down(mut rows: Vec<Vec<Delivered>>) -> Vec<Vec<Delivered>> {
    for media in (0..rows.len()).rev() {
        for limits in (0..rows[media].len()).rev() {
            let faster = rows.get(media + 1).map(|row| row[limits]);
            let larger = rows[media].get(limits + 1).copied();
            for above in [faster, larger].into_iter().flatten() {
                let here = &mut rows[media][limits];
                if here.iops > above.iops {
                    *here = above;
                }
            }
        }
    }
    rows
}

/// Rows in which nothing delivers less than what is slower.
fn levelled_up(mut rows: Vec<Vec<Delivered>>) -> Vec<Vec<Delivered>> {
    for media in 0..rows.len() {
        for limits in 0..rows[media].len() {
            let slower = media.checked_sub(1).map(|before| rows[before][limits]);
            let smaller = limits.checked_sub(1).map(|before| rows[media][before]);
            for below in [slower, smaller].into_iter().flatten() {
                let here = &mut rows[media][limits];
                if here.iops < below.iops {
                    *here = below;
                }
            }
        }
    }
    rows
}

/// A cell of the scatter: between which two simulated places, how far, and how many hosts lie in it.
struct Cell {
    place: (usize, f64),
    weight: f64,
}

/// The cells between so many places that are evenly apart.
fn cells(places: usize) -> Vec<Cell> {
    if places == 1 {
        return vec![Cell { place: (0, 0.0), weight: 1.0 }];
    }
    let all = (places - 1) * FINE;
    let edge = |n: usize| 2.0 * n as f64 / all as f64 - 1.0;
    (0..all)
        .map(|n| Cell {
            place: (n / FINE, ((n % FINE) as f64 + 0.5) / FINE as f64),
            weight: below(edge(n + 1)) - below(edge(n)),
        })
        .collect()
}

/// Distribution of hosts: what they deliver, from the slowest, with the share of hosts that deliver at least that.
#[derive(Clone, Debug)]
pub(crate) struct Distribution {
    of: Vec<(Delivered, f64)>,
}

impl Distribution {
    fn new(weighed: Vec<(Delivered, f64)>) -> Distribution {
        let mut left = 1.0;
        let of = weighed.into_iter().map(|(delivered, weight)| {
            let at_least = f64::max(left, 0.0);
            left -= weight;
            (delivered, at_least)
        });
        Distribution { of: of.collect() }
    }

    /// The mean of what the slowest of so many delivers, each drawn by itself: every one of them delivers at least as much
    /// with the share's power.
    pub(crate) fn slowest_of(&self, hosts: u64) -> Delivered {
        let mut mean = Delivered { iops: 0.0, bytes: 0.0 };
        for (n, (delivered, at_least)) in self.of.iter().enumerate() {
            let more = self.of.get(n + 1).map_or(0.0, |(_, more)| *more);
            let weight = power(*at_least, hosts) - power(more, hosts);
            mean.iops += weight * delivered.iops;
            mean.bytes += weight * delivered.bytes;
        }
        mean
    }

    /// The most that the slowest of so many delivers in this share of clusters.
    pub(crate) fn quantile_of_slowest(&self, hosts: u64, share: f64) -> f64 {
        let last = self.of.len() - 1;
        let more = |n: usize| self.of.get(n + 1).map_or(0.0, |(_, more)| power(*more, hosts));
        let at = (0..=last).find(|n| 1.0 - more(*n) >= share).unwrap_or(last);
        self.of[at].0.iops
    }
}

/// By squaring: exact to the last digits on every machine.
fn power(base: f64, exponent: u64) -> f64 {
    let (mut result, mut square, mut left) = (1.0, base, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result *= square;
        }
        square *= square;
        left >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surface(rows: &[&[f64]]) -> Surface {
        let of = |iops: &f64| Delivered { iops: *iops, bytes: iops * 4_096.0 };
        Surface::new(rows.iter().map(|row| row.iter().map(of).collect()).collect())
    }

    fn near(figure: f64, oracle: f64) -> bool {
        (figure / oracle - 1.0).abs() < 0.002
    }

    #[test]
    fn the_slowest_of_several_is_the_mean_of_the_triangles_minimum() {
        // Places -1 to 1 deliver 1,000 to 3,000. The minimum of one is its mean, 2,000. Of two: 2,000 less half the mean
        // difference of two draws, 7/30 of the triangle's width of 2 (the variance and Gini's mean difference of the
        // symmetric triangle): E|X-Y| = 14/30, so -7/30 of 1,000.
        let one = surface(&[&[1_000.0], &[2_000.0], &[3_000.0]]).distribution();
        assert!(near(one.slowest_of(1).iops, 2_000.0));
        assert!(near(one.slowest_of(2).iops, 2_000.0 - 1_000.0 * 7.0 / 30.0), "{:?}", one.slowest_of(2));
        assert!(near(one.slowest_of(2).bytes, one.slowest_of(2).iops * 4_096.0));
        // P(X > x) = 1 - (1 + x)^2 / 2 at the slow end; of a million hosts E[1 + min] = sqrt(pi / 2 / 1,000,000) = 0.001253:
        // below the finest cell, so the cell's middle, 1/64 of the way to the typical.
        let many = one.slowest_of(1_000_000).iops;
        assert!((1_000.0..1_020.0).contains(&many), "{many}");
    }

    #[test]
    fn more_hosts_have_no_faster_slowest() {
        let of = surface(&[&[900.0, 950.0], &[1_000.0, 1_200.0], &[1_000.0, 1_500.0]]).distribution();
        let slowest: Vec<f64> = [1, 2, 3, 8, 100, 10_000].map(|n| of.slowest_of(n).iops).to_vec();
        assert!(slowest.is_sorted_by(|one, other| one >= other), "{slowest:?}");
        for (hosts, slowest) in [1, 2, 3, 8, 100, 10_000].into_iter().zip(slowest) {
            let [low, high] = [0.05, 0.95].map(|share| of.quantile_of_slowest(hosts, share));
            assert!(low <= slowest && slowest <= high, "{hosts}: {low} {slowest} {high}");
        }
    }

    #[test]
    fn what_does_not_scatter_is_the_same_for_all() {
        let of = surface(&[&[510.0]]).distribution();
        assert_eq!(of.slowest_of(1_000).iops, 510.0);
        assert_eq!(of.quantile_of_slowest(1_000, 0.05), 510.0);
    }

    #[test]
    fn noise_of_a_simulation_makes_no_slow_media_faster() {
        // From the fast end 1,000 twice, from the slow end 1,010 throughout; the slowest is the end of the band as it is.
        let rows = surface(&[&[1_010.0], &[1_000.0], &[1_005.0]]).rows;
        assert_eq!(rows.iter().map(|row| row[0].iops).collect::<Vec<_>>(), [1_010.0, 1_010.0, 1_010.0]);
        let rows = surface(&[&[990.0, 1_000.0], &[1_000.0, 996.0], &[998.0, 1_010.0]]).rows;
        for (slow, fast) in rows.iter().zip(&rows[1..]) {
            assert!(slow.iter().zip(fast).all(|(slow, fast)| slow.iops <= fast.iops), "{rows:?}");
        }
        assert!(rows.iter().all(|row| row[0].iops <= row[1].iops), "{rows:?}");
        assert_eq!(rows[0][0].iops, 990.0);
    }
}

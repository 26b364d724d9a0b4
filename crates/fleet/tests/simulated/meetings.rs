//! All goes well.

use iobound_fleet::Event;
use iobound_measure::Measured;
use proptest::prelude::*;

use super::plan;
use super::world::{MS, RankPlan, SECOND, World};

#[test]
fn all_ranks_come_begin_together_tell_every_interval_and_report() {
    let plan = plan(4, 1);
    let (measured, told) = (plan.report.measured.clone().unwrap(), plan.told.clone());
    let end = World::new(plan, 4).run(60 * SECOND);
    let gathered = end.gathered.unwrap();
    assert!(end.over_at.is_some());
    assert_eq!(gathered.stopped, None);
    for (rank, of) in gathered.ranks.iter().enumerate() {
        assert_eq!((of.missing.as_deref(), of.reports.len()), (None, 1), "rank {rank}");
        assert_eq!(of.reports[0].as_ref().unwrap().measured.as_ref(), Some(&measured));
        assert_eq!(of.host.as_ref().unwrap().name, format!("db{rank}"));
        assert_eq!(end.ranks[rank].ended, Some(Ok(())));
    }
    // The start is beyond a millisecond of delay each way, and no later than needed.
    let began: Vec<u64> = end.ranks.iter().map(|rank| rank.began[0]).collect();
    assert!(began.iter().max().unwrap() - began.iter().min().unwrap() < MS);
    assert!(began[0] > 100 * MS && began[0] < 500 * MS, "{began:?}");
    let intervals: Vec<_> = end
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Interval { together, ranks, expected, .. } => Some((together, *ranks, *expected)),
            _ => None,
        })
        .collect();
    assert_eq!(intervals.len(), told.len());
    for ((together, ranks, _), told) in intervals.iter().zip(&told) {
        assert_eq!(*ranks, 4);
        assert_eq!(together.interval().count(), 4 * told.interval().count());
        // Alike in all ranks: their percentiles together are those of each.
        assert_eq!(together.interval().read.p50, told.interval().read.p50);
    }
}

#[test]
fn what_was_handed_in_comes_to_the_sum_of_the_ranks_bin_for_bin() {
    let end = World::new(plan(3, 1), 3).run(60 * SECOND);
    let gathered = end.gathered.unwrap();
    let hosts: Vec<(&str, &Measured)> = gathered
        .ranks
        .iter()
        .map(|rank| {
            let report = rank.reports[0].as_ref().unwrap();
            (rank.host.as_ref().unwrap().name.as_str(), report.measured.as_ref().unwrap())
        })
        .collect();
    let together = Measured::beside(&hosts).unwrap();
    for (own, all) in hosts[0].1.jobs[0].by_op.iter().zip(&together.jobs[0].by_op) {
        let tripled: Vec<(u32, u64)> = own.response.bins().map(|(bin, count)| (bin, 3 * count)).collect();
        assert_eq!(all.response.bins().collect::<Vec<_>>(), tripled);
    }
    assert_eq!(together.layout.targets, ["db0", "db1", "db2"]);
}

#[test]
fn every_stage_has_its_own_start_and_its_own_reports() {
    let end = World::new(plan(3, 3), 3).run(120 * SECOND);
    let gathered = end.gathered.unwrap();
    assert_eq!(gathered.stages.len(), 3);
    for (rank, of) in gathered.ranks.iter().zip(&end.ranks) {
        assert_eq!((rank.missing.as_deref(), rank.reports.iter().flatten().count()), (None, 3));
        assert_eq!(of.began.len(), 3);
        assert!(of.began.windows(2).all(|pair| pair[1] > pair[0] + 3 * SECOND));
    }
    let started = end.events.iter().filter(|event| matches!(event, Event::Starts { .. })).count();
    assert_eq!(started, 3);
}

#[test]
fn the_last_interval_of_a_rank_that_is_done_waits_for_those_that_still_run() {
    let mut plan = plan(4, 1);
    // Its words take long: the others have reported when it tells its last.
    (plan.ranks[2].there, plan.ranks[2].back) = (400 * MS, 400 * MS);
    let end = World::new(plan, 4).run(60 * SECOND);
    let ranks: Vec<(u32, u32)> = end
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Interval { ranks, expected, .. } => Some((*ranks, *expected)),
            _ => None,
        })
        .collect();
    assert_eq!(ranks, [(4, 4); 3]);
}

#[test]
fn one_rank_alone_is_a_fleet_of_one() {
    let end = World::new(plan(1, 1), 1).run(60 * SECOND);
    let gathered = end.gathered.unwrap();
    assert_eq!(gathered.ranks[0].missing, None);
    // One beginning has no skew.
    assert_eq!(gathered.stages[0].skew, None);
}

#[test]
fn words_grow_as_the_ranks_do() {
    let words = |of: u32| World::new(plan(of, 1), of).run(60 * SECOND).words;
    let (few, many) = (words(50), words(200));
    // Four times the ranks: those of each rank are the same but for a beat or two.
    assert!(many * 10 <= few * 44, "{few} words of 50 ranks, {many} of 200");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Each rank begins within what the coordinator says of its clock: half its shortest round trip, whichever way was longer,
    /// and what the clock gains until then.
    #[test]
    fn ranks_begin_together_as_well_as_their_round_trips_allow(
        links in prop::collection::vec((0..40 * MS, 0..40 * MS, 0..5 * MS, 0..1_000 * SECOND, -50_000..50_000_i64), 2..12),
        seed in any::<u64>(),
    ) {
        let of = links.len() as u32;
        let mut plan = plan(of, 1);
        plan.seed = seed;
        for (rank, (there, back, jitter, clock, gains)) in (0..).zip(&links) {
            plan.ranks[rank as usize] = RankPlan {
                there: *there,
                back: *back,
                jitter: *jitter,
                clock: *clock + 1,
                gains_ns_per_s: *gains,
                ..RankPlan::plain(rank, of, 1)
            };
        }
        let end = World::new(plan, of).run(120 * SECOND);
        let gathered = end.gathered.unwrap();
        let begins: Vec<u64> = end.ranks.iter().map(|rank| rank.began[0]).collect();
        // 50 µs a second for the at most 2 s from the measurement to the start.
        let drift = 100_000;
        let named = begins[0] as i128 - i128::from(gathered.ranks[0].began_ns[0].unwrap());
        for (rank, began) in gathered.ranks.iter().zip(&begins) {
            let offset = rank.offset.unwrap();
            let (there, back, jitter, clock, gains) = links[rank.rank as usize];
            prop_assert!(offset.round_trip.ns() >= there + back && offset.round_trip.ns() <= there + back + 2 * jitter);
            // The world's time and the coordinator's differ by what they began with.
            let real = clock as i128 + 1 - 3 * i128::from(SECOND);
            let wrong = i128::from(offset.ns) - real;
            let slack = i128::from(offset.uncertainty.ns()) + 20 * i128::from(gains.abs());
            prop_assert!(wrong.abs() <= slack, "{wrong} of {slack}");
            // What is said of its beginning is its beginning, within the uncertainty.
            let said = named + i128::from(rank.began_ns[0].unwrap());
            let first = gathered.ranks[0].offset.unwrap().uncertainty.ns();
            let slack = i128::from(offset.uncertainty.ns() + first + 2 * drift);
            prop_assert!((said - i128::from(*began)).abs() <= slack);
        }
        let skew = begins.iter().max().unwrap() - begins.iter().min().unwrap();
        let mut uncertain: Vec<u64> = gathered.ranks.iter().map(|rank| rank.offset.unwrap().uncertainty.ns()).collect();
        uncertain.sort_unstable();
        let most = uncertain.iter().rev().take(2).sum::<u64>();
        prop_assert!(skew <= most + 2 * drift, "skew {skew} of {most}");
        let told = end.events.iter().find_map(|event| match event {
            Event::Starts { uncertainty, .. } => Some(uncertainty.ns()),
            _ => None,
        });
        prop_assert_eq!(told, Some(most));
        // A clock that gains is known for it: the error is that of both measurements over the time between them.
        for (rank, (.., gains)) in gathered.ranks.iter().zip(&links) {
            let drift = rank.drift_ns_per_s.unwrap();
            let slack = rank.offset.unwrap().uncertainty.ns() as f64 + 45e6;
            prop_assert!((drift - *gains as f64).abs() <= slack, "{drift} of {gains}");
        }
    }

    /// Symmetric ways without jitter: the offset is exact, and so is the start.
    #[test]
    fn on_even_ways_ranks_begin_at_one_moment(
        links in prop::collection::vec((0..100 * MS, 0..1_000 * SECOND), 2..20)
    ) {
        let of = links.len() as u32;
        let mut plan = plan(of, 1);
        for (rank, (way, clock)) in (0..).zip(&links) {
            plan.ranks[rank as usize] = RankPlan {
                there: *way, back: *way, jitter: 0, clock: *clock + 1, ..RankPlan::plain(rank, of, 1)
            };
        }
        let end = World::new(plan, of).run(120 * SECOND);
        let begins: Vec<u64> = end.ranks.iter().map(|rank| rank.began[0]).collect();
        let skew = begins.iter().max().unwrap() - begins.iter().min().unwrap();
        prop_assert!(skew <= 1, "{begins:?}");
        let gathered = end.gathered.unwrap();
        prop_assert!(gathered.stages[0].skew.unwrap().ns() <= 1);
    }
}

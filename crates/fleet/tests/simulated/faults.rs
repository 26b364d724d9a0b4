//! Something is lost.

use iobound_fleet::protocol::{CoordinatorBook, Out, Times, ToCoordinator, ToRank};
use iobound_fleet::{Ended, Rules};
use iobound_units::{Instant, Span};
use proptest::prelude::*;

use super::world::{End, Fault, MS, RankPlan, SECOND, World, greeting};
use super::{lost, plan};

/// The load runs from about 0.2 s to 3.2 s.
const AMID: u64 = 1_700 * MS;

fn with(of: u32, faults: &[(u64, Fault)]) -> End {
    let mut plan = plan(of, 1);
    plan.faults = faults.to_vec();
    World::new(plan, of).run(600 * SECOND)
}

fn missing(end: &End) -> Vec<u32> {
    let ranks = &end.gathered.as_ref().unwrap().ranks;
    ranks.iter().filter(|rank| rank.missing.is_some()).map(|rank| rank.rank).collect()
}

#[test]
fn a_rank_that_dies_while_it_runs_is_named_and_the_others_finish() {
    for fault in [Fault::Kill(2), Fault::Hang(2), Fault::Cut(2)] {
        let end = with(4, &[(AMID, fault)]);
        assert_eq!(missing(&end), [2], "{fault:?}");
        assert_eq!(lost(&end.events), [2], "{fault:?}");
        for rank in [0, 1, 3] {
            assert_eq!(end.ranks[rank].ended, Some(Ok(())), "{fault:?}");
            assert!(end.gathered.as_ref().unwrap().ranks[rank].reports[0].is_some());
        }
        let gathered = end.gathered.as_ref().unwrap();
        assert_eq!(gathered.stopped, None);
        let why = gathered.ranks[2].missing.clone().unwrap();
        let says = if fault == Fault::Kill(2) {
            "its connection ended: reset by peer"
        } else {
            "it sent nothing for 5 s"
        };
        assert!(why.contains(says), "{fault:?}: {why}");
        // Five seconds of silence at the most, and a beat, after the last that was due.
        assert!(end.over_at.unwrap() < AMID + 6_000 * MS, "{fault:?}: {:?}", end.over_at);
    }
}

#[test]
fn a_rank_that_is_cut_off_ends_within_seconds_and_keeps_its_own() {
    let end = with(4, &[(AMID, Fault::Cut(2))]);
    let Some(Err(Ended::Lost(why))) = &end.ranks[2].ended else { panic!("{:?}", end.ranks[2].ended) };
    assert!(why.contains("the coordinator sent nothing for 5 s"), "{why}");
    assert!(end.ranks[2].ended_at < AMID + 7 * SECOND);
}

#[test]
fn a_rank_that_is_lost_before_the_start_ends_it_for_all_with_its_name() {
    for (at, fault) in [(60 * MS, Fault::Kill(3)), (60 * MS, Fault::Hang(3)), (5 * MS, Fault::Cut(3))] {
        let mut plan = plan(5, 1);
        // One prepares for long: nothing has begun when the other is lost.
        plan.ranks[0].prepares = 30 * SECOND;
        plan.faults = vec![(at, fault)];
        let end = World::new(plan, 5).run(600 * SECOND);
        let gathered = end.gathered.unwrap();
        let why = gathered.stopped.clone().unwrap();
        assert!(why.contains("rank 3 (db3) was lost before the start"), "{why}");
        assert!(gathered.stages.is_empty());
        for rank in [0, 1, 2, 4] {
            assert_eq!(end.ranks[rank].ended, Some(Err(Ended::Stopped(why.clone()))), "{fault:?}");
            assert!(end.ranks[rank].began.is_empty());
            assert_eq!(gathered.ranks[rank].missing.as_ref(), Some(&why));
        }
    }
}

#[test]
fn a_rank_that_never_comes_is_named_when_its_time_is_up() {
    let mut plan = plan(4, 1);
    plan.ranks.pop();
    plan.ranks.remove(1);
    let end = World::new(plan, 4).run(600 * SECOND);
    let gathered = end.gathered.unwrap();
    assert_eq!(gathered.stopped.as_deref(), Some("ranks 1 and 3 did not join within 2 min"));
    assert_eq!(lost(&end.events), [1, 3]);
    assert!(end.over_at.unwrap() < 122 * SECOND);
}

#[test]
fn a_coordinator_that_is_lost_ends_all_ranks_within_seconds() {
    for fault in [Fault::KillCoordinator, Fault::HangCoordinator] {
        let end = with(4, &[(AMID, fault)]);
        for rank in &end.ranks {
            assert!(matches!(rank.ended, Some(Err(Ended::Lost(_)))), "{fault:?}: {:?}", rank.ended);
            assert!(rank.ended_at < AMID + 7 * SECOND, "{fault:?}");
        }
    }
}

#[test]
fn stopped_by_its_person_all_ranks_end_and_report_what_they_have() {
    let end = with(4, &[(AMID, Fault::Stop)]);
    let gathered = end.gathered.as_ref().unwrap();
    assert_eq!(gathered.stopped.as_deref(), Some("its person ended it"));
    for (rank, of) in gathered.ranks.iter().zip(&end.ranks) {
        assert_eq!(rank.missing, None);
        assert!(rank.reports[0].is_some());
        assert_eq!(of.ended, Some(Ok(())));
    }
    // At the next interval's end of each, which is within a second.
    assert!(end.over_at.unwrap() < AMID + 1_500 * MS);
}

#[test]
fn stopped_before_the_start_nothing_begins() {
    for at in [2 * MS, 30 * MS, 45 * MS] {
        let end = with(4, &[(at, Fault::Stop)]);
        assert!(end.over_at.is_some(), "{at}");
        for rank in &end.ranks {
            assert!(rank.began.is_empty(), "{at}");
            assert!(matches!(rank.ended, Some(Err(Ended::Stopped(_)))), "{at}: {:?}", rank.ended);
        }
    }
}

#[test]
fn a_rank_whose_connection_lives_and_whose_load_hangs_is_lost_when_patience_ends() {
    let mut plan = plan(3, 1);
    // It tells what it has, and never a report.
    plan.ranks[1].greeting.hello.host.name = "stuck".into();
    plan.seconds = 3;
    plan.told.truncate(2);
    plan.faults = Vec::new();
    let mut rules = plan.rules;
    rules.stuck = std::time::Duration::from_millis(2_500);
    plan.rules = rules;
    plan.seconds = 30;
    let end = World::new(plan, 3).run(600 * SECOND);
    // None of them tells anything after two seconds: all are lost, and each is named.
    assert_eq!(lost(&end.events), [0, 1, 2]);
    let why = end.gathered.unwrap().ranks[1].missing.clone().unwrap();
    assert!(why.contains("its load has reported no progress for 2.50 s"), "{why}");
}

#[test]
fn a_rank_that_is_lost_in_the_second_stage_keeps_its_report_of_the_first() {
    let mut plan = plan(3, 2);
    plan.faults = vec![(5 * SECOND, Fault::Kill(1))];
    let end = World::new(plan, 3).run(600 * SECOND);
    let gathered = end.gathered.unwrap();
    assert!(gathered.ranks[1].reports[0].is_some() && gathered.ranks[1].reports[1].is_none());
    assert!(gathered.ranks[1].missing.is_some());
    assert!([0, 2].iter().all(|rank: &usize| gathered.ranks[*rank].reports.iter().all(Option::is_some)));
}

#[test]
fn a_rank_that_dies_when_all_it_owed_was_handed_in_is_not_missing() {
    // It reports at about 3.2 s; its last words are pings and a farewell, 12 ms long.
    for after in 0..40 {
        for fault in [Fault::Kill(1), Fault::Hang(1), Fault::Cut(1)] {
            let end = with(3, &[(3_170 * MS + after * MS, fault)]);
            let rank = &end.gathered.as_ref().unwrap().ranks[1];
            assert_eq!(rank.missing.is_none(), rank.reports[0].is_some(), "{after}: {fault:?}");
            assert_eq!(lost(&end.events).is_empty(), rank.missing.is_none());
        }
    }
}

/// What a rank does that beats all the while and owes its report for ever.
#[derive(Clone, Copy, Default)]
struct OnlyBeats {
    /// Its preparation makes progress.
    works: bool,
    is_ready: bool,
    answers_pings: bool,
    /// Time in which the coordinator expects the report of a stage.
    whole: Option<Span>,
    /// Time at which the user stops the fleet.
    stops: Option<u64>,
}

impl OnlyBeats {
    /// Time at which the coordinator is done with it, in ns, and the reason for which it counts as lost; `None` after ten minutes.
    fn meets(self) -> Option<(u64, String)> {
        let mut coordinator = CoordinatorBook::new(1, None, Times::from(Rules::default()), Instant::ZERO);
        self.whole.into_iter().for_each(|whole| coordinator.expect(whole));
        coordinator.opened(0, "a rank".into());
        coordinator.heard(0, ToCoordinator::Hello(Box::new(greeting(0, 1, 1))), Instant::ZERO);
        for step in 0..600 * 4 {
            let at = step * SECOND / 4;
            let now = Instant::from_ns(at);
            while let Some((_, out)) = coordinator.out() {
                match out {
                    Out::Say(ToRank::AllThere) if self.is_ready => {
                        coordinator.heard(0, ToCoordinator::Ready { stage: 0 }, now);
                    }
                    Out::Say(ToRank::Ping { number }) if self.answers_pings => {
                        coordinator.heard(0, ToCoordinator::Pong { number, at: now }, now);
                    }
                    _ => {}
                }
            }
            coordinator.heard(0, ToCoordinator::Beat { work: if self.works { step } else { 0 } }, now);
            if self.stops == Some(at) {
                coordinator.stop("its person ended it", now);
            }
            coordinator.tick(now);
            if coordinator.is_over() {
                return Some((at, coordinator.gathered().ranks[0].missing.clone().unwrap_or_default()));
            }
        }
        None
    }
}

#[test]
fn a_rank_that_beats_and_owes_something_is_lost_in_time_wherever_it_stops_answering() {
    let none = OnlyBeats::default();
    let (at, why) = none.meets().expect("it is never ready");
    assert!(at <= 121 * SECOND && why.contains("its preparation made no progress for 2 min"), "{at}: {why}");

    let (at, why) = OnlyBeats { is_ready: true, ..none }.meets().expect("it answers no ping");
    assert!(at <= 6 * SECOND && why.contains("it has not answered a ping for 5 s"), "{at}: {why}");

    let runs = OnlyBeats { is_ready: true, answers_pings: true, ..none };
    let (at, why) = runs.meets().expect("it never reports");
    assert!(at <= 122 * SECOND && why.contains("its load has reported no progress for 2 min"), "{at}: {why}");

    // Where the stage's length is known, it need not be waited for two minutes.
    let planned = OnlyBeats { whole: Some(Span::from_secs(35)), ..runs };
    let (at, why) = planned.meets().expect("its report is due");
    assert!(at <= 37 * SECOND && why.contains("its report, due 35"), "{at}: {why}");

    let stopped = OnlyBeats { whole: Some(Span::from_secs(3_600)), stops: Some(10 * SECOND), ..runs };
    let (at, why) = stopped.meets().expect("it was told to stop");
    assert!(at <= 41 * SECOND && why.contains("it was told to stop"), "{at}: {why}");

    // Stopped before the start it owes nothing but its farewell.
    let (at, _) = OnlyBeats { stops: Some(10 * SECOND), ..none }.meets().expect("it was told to stop");
    assert!(at <= 16 * SECOND, "{at}");
}

#[test]
fn a_rank_that_prepares_for_long_is_waited_for_while_it_makes_progress() {
    assert_eq!(OnlyBeats { works: true, ..OnlyBeats::default() }.meets(), None);
}

fn fault(of: u32) -> impl Strategy<Value = (u64, Fault)> {
    let what = prop_oneof![
        3 => (0..of).prop_map(Fault::Kill),
        3 => (0..of).prop_map(Fault::Hang),
        3 => (0..of).prop_map(Fault::Cut),
        1 => Just(Fault::KillCoordinator),
        1 => Just(Fault::HangCoordinator),
        1 => Just(Fault::Stop),
    ];
    (0..8 * SECOND, what)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Whatever is lost and when: nobody waits for ever, and the result names exactly who is missing.
    #[test]
    fn nobody_waits_for_ever_and_exactly_who_is_missing_is_named(
        faults in prop::collection::vec(fault(6), 0..4),
        delays in prop::collection::vec((0..30 * MS, 0..30 * MS, 0..20 * MS, 0..SECOND, 0..SECOND), 6),
        stages in 1..3_u32,
        seed in any::<u64>(),
    ) {
        let mut plan = plan(6, stages);
        plan.seed = seed;
        plan.faults = faults.clone();
        for (rank, (there, back, jitter, comes, prepares)) in (0..).zip(&delays) {
            plan.ranks[rank as usize] = RankPlan {
                there: *there, back: *back, jitter: *jitter, comes: *comes, prepares: *prepares,
                ..RankPlan::plain(rank, 6, stages)
            };
        }
        let end = World::new(plan, 6).run(600 * SECOND);
        let coordinator_fails = faults.iter().any(|(_, fault)| matches!(fault, Fault::KillCoordinator | Fault::HangCoordinator));
        let stopped = faults.iter().any(|(_, fault)| matches!(fault, Fault::Stop));
        let failing: std::collections::BTreeSet<u32> = faults.iter().filter_map(|(_, fault)| match fault {
            Fault::Kill(rank) | Fault::Hang(rank) | Fault::Cut(rank) => Some(*rank),
            _ => None,
        }).collect();
        // Two stages of 3 s, the last fault at 8 s, 5 s of silence; who never came is waited for two minutes.
        prop_assert!(end.at < 140 * SECOND, "it went on until {}", end.at);
        for (rank, of) in (0..).zip(&end.ranks) {
            if !failing.contains(&rank) {
                prop_assert!(of.ended.is_some(), "rank {rank} waits for ever");
            }
        }
        if coordinator_fails {
            return Ok(());
        }
        prop_assert!(end.over_at.is_some(), "the coordinator waits for ever");
        let gathered = end.gathered.as_ref().unwrap();
        for rank in &gathered.ranks {
            let complete = !rank.reports.is_empty() && rank.reports.iter().all(Option::is_some);
            prop_assert_eq!(complete, rank.missing.is_none() || rank.reports.len() < stages as usize && complete);
            // Who is complete without a stop has done all stages.
            if complete && gathered.stopped.is_none() && rank.missing.is_none() {
                prop_assert_eq!(rank.reports.len(), stages as usize);
            }
            // Nobody is lost who did not fail.
            if !failing.contains(&rank.rank) && gathered.stopped.is_none() {
                prop_assert_eq!(rank.missing.as_deref(), None);
            }
        }
        for rank in lost(&end.events) {
            prop_assert!(failing.contains(&rank), "rank {rank} did not fail");
        }
        if !stopped && failing.is_empty() {
            prop_assert_eq!(missing(&end), Vec::<u32>::new());
        }
    }
}

//! Peers that are not let in.

use iobound_fleet::{Event, Token};

use super::plan;
use super::world::{End, MS, Plan, RankPlan, SECOND, World, greeting};

/// Four ranks and one more, that comes when the others are there.
fn with_another(plan: impl FnOnce(&mut Plan), another: RankPlan) -> (End, String) {
    let mut whole = super::plan(4, 1);
    whole.ranks.push(another);
    plan(&mut whole);
    let end = World::new(whole, 4).run(60 * SECOND);
    let refused: Vec<String> = end
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Refused { why } => Some(why.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert_eq!(end.gathered.as_ref().unwrap().refused, refused);
    // It harms nobody.
    for rank in 0..4 {
        assert_eq!(end.ranks[rank].ended, Some(Ok(())));
    }
    let why = end.ranks[4].refused.clone().unwrap();
    assert_eq!(refused[0], format!("process 4: {why}"));
    (end, why)
}

fn another(change: impl FnOnce(&mut RankPlan)) -> RankPlan {
    let mut rank = RankPlan { comes: 45 * MS, ..RankPlan::plain(3, 4, 1) };
    change(&mut rank);
    rank
}

#[test]
fn who_has_the_rank_of_another_is_refused_and_told_whose_it_is() {
    let (_, why) = with_another(|_| (), another(|_| ()));
    assert_eq!(why, "rank 3 has already joined, as process 1003 on db3: two processes have the same rank");
}

#[test]
fn who_waits_for_another_number_of_ranks_is_refused() {
    let (_, why) = with_another(|_| (), another(|rank| rank.greeting = greeting(7, 8, 1)));
    assert_eq!(why, "it is rank 7 of 8, but the coordinator expects ranks 0 to 3");
}

#[test]
fn who_has_another_workload_or_another_version_is_refused() {
    let late = |plan: &mut Plan| plan.ranks[3].comes = SECOND;
    let (_, why) = with_another(late, another(|rank| rank.greeting.hello.fingerprint = "other".into()));
    assert_eq!(
        why,
        "the workload of rank 3 differs from that of rank 0: start all ranks with the same options"
    );
    let (_, why) = with_another(late, another(|rank| rank.greeting.hello.version = "0.9.0".into()));
    assert_eq!(why, "rank 3 has version 0.9.0, and rank 0 has 1.0.0: use one version on all hosts");
    let (_, why) = with_another(late, another(|rank| rank.greeting.hello.stages = 2));
    assert!(why.starts_with("the workload of rank 3"), "{why}");
}

#[test]
fn who_has_not_the_token_is_refused_and_learns_nothing_else() {
    let give = |plan: &mut Plan| {
        plan.token = Some(Token::new("0123456789abcdef").unwrap());
        plan.ranks[..4].iter_mut().for_each(|rank| rank.greeting.token = "0123456789abcdef".into());
    };
    for token in ["", "0123456789abcdeF", "0123456789abcde", "0123456789abcdef0"] {
        // It would be refused for more than that.
        let stranger = another(|rank| {
            rank.greeting = greeting(7, 8, 2);
            rank.greeting.token = token.into();
        });
        let (_, why) = with_another(give, stranger);
        assert!(why.starts_with("its token differs from the coordinator's"), "{why}");
    }
}

#[test]
fn who_comes_when_it_has_begun_is_refused() {
    let (_, why) = with_another(|_| (), another(|rank| rank.comes = SECOND));
    assert!(why.starts_with("rank 3 has already joined"), "{why}");
    // In the place of one that was lost, as well.
    let mut whole = plan(4, 1);
    whole.ranks.push(another(|rank| rank.comes = 2 * SECOND));
    whole.faults = vec![(SECOND, super::world::Fault::Kill(3))];
    let end = World::new(whole, 4).run(60 * SECOND);
    let why = end.ranks[4].refused.clone().unwrap();
    assert!(why.starts_with("rank 3 was dropped (its connection ended"), "{why}");
}

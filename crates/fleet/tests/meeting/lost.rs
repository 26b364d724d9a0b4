//! Ranks and coordinators that are lost.

use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use iobound_fleet::{Coordinator, Ended, Event, Gathered, Rules};

use super::proxy::Proxy;
use super::{Comer, LONG, all, loopback, nothing, rules, token};

/// Seconds of silence that a busy machine does not come to by itself.
const SILENT: Duration = Duration::from_secs(3);

/// Three ranks, the last behind a proxy that `fails` it once the load of all runs.
fn with_a_rank_that_fails(fails: fn(&Proxy)) -> (Gathered, Vec<Event>, Result<(), Ended>) {
    let rules = Rules { silent: SILENT, ..rules() };
    let coordinator = Coordinator::open(&loopback(), 3, Some(token()), None, rules).unwrap();
    let proxy = Proxy::to(&coordinator.address());
    let (tells, told) = mpsc::channel();
    let comers: Vec<_> = (0..3)
        .map(|n| {
            let mut comer = Comer::new(&coordinator, n, 3);
            comer.rules = rules;
            if n == 2 {
                comer.meet = proxy.meet.clone();
            }
            let tells = tells.clone();
            std::thread::spawn(move || {
                let rank = comer.join().unwrap();
                rank.ready(0).unwrap();
                tells.send(()).unwrap();
                if n == 2 {
                    let until = Instant::now() + LONG;
                    while !rank.stop().load(Ordering::Relaxed) {
                        assert!(Instant::now() < until, "it never knew");
                        std::thread::yield_now();
                    }
                    assert!(rank.lost().is_some() || rank.stopped().is_some());
                }
                rank.report(0, nothing())
            })
        })
        .collect();
    (0..3).for_each(|_| told.recv().unwrap());
    fails(&proxy);
    let events = all(&coordinator);
    let ends: Vec<_> = comers.into_iter().map(|comer| comer.join().unwrap()).collect();
    assert_eq!(ends[..2], [Ok(()), Ok(())]);
    (coordinator.gathered(), events, ends[2].clone())
}

#[test]
fn a_rank_whose_connection_breaks_is_named_and_the_others_finish() {
    let (gathered, events, end) = with_a_rank_that_fails(Proxy::cut);
    let lost: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::Lost { rank, host, .. } => Some((*rank, host.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(lost, [(2, "db2")]);
    assert!(gathered.ranks[2].missing.as_ref().unwrap().contains("its connection ended"));
    assert!(gathered.ranks[2].reports[0].is_none());
    assert!(gathered.ranks[..2].iter().all(|rank| rank.missing.is_none() && rank.reports[0].is_some()));
    let Err(Ended::Lost(why)) = end else { panic!("{end:?}") };
    assert!(why.contains("the connection to the coordinator ended"), "{why}");
}

#[test]
fn a_rank_behind_a_partition_is_named_and_ends_by_itself() {
    let (gathered, _, end) = with_a_rank_that_fails(Proxy::swallow);
    assert!(gathered.ranks[2].missing.as_ref().unwrap().contains("it sent nothing for 3 s"));
    let Err(Ended::Lost(why)) = end else { panic!("{end:?}") };
    assert!(why.contains("the coordinator sent nothing for 3 s"), "{why}");
}

#[test]
fn a_rank_that_gives_up_is_named_with_its_reason() {
    let coordinator = Coordinator::open(&loopback(), 2, Some(token()), None, rules()).unwrap();
    let one = Comer::new(&coordinator, 0, 2);
    let one = std::thread::spawn(move || one.takes_part(nothing()));
    let other = Comer::new(&coordinator, 1, 2).join().unwrap();
    other.all_there().unwrap();
    other.give_up("/data is read-only");
    drop(other);
    all(&coordinator);
    let why = one.join().unwrap().unwrap_err();
    assert_eq!(why, "rank 1 (db1) was lost before the start: /data is read-only");
    let gathered = coordinator.gathered();
    assert_eq!(gathered.ranks[1].missing.as_deref(), Some("/data is read-only"));
    assert_eq!(gathered.stopped, Some(why));
}

#[test]
fn a_rank_that_is_dropped_before_its_work_is_done_is_named() {
    let coordinator = Coordinator::open(&loopback(), 1, Some(token()), None, rules()).unwrap();
    let rank = Comer::new(&coordinator, 0, 1).join().unwrap();
    rank.ready(0).unwrap();
    drop(rank);
    all(&coordinator);
    let missing = coordinator.gathered().ranks[0].missing.clone();
    assert_eq!(missing.as_deref(), Some("it ended before its work was done"));
}

#[test]
fn a_coordinator_that_is_closed_ends_its_ranks_and_each_knows() {
    let coordinator = Coordinator::open(&loopback(), 2, Some(token()), None, rules()).unwrap();
    let (tells, told) = mpsc::channel();
    let comers: Vec<_> = (0..2)
        .map(|rank| {
            let (comer, tells) = (Comer::new(&coordinator, rank, 2), tells.clone());
            std::thread::spawn(move || {
                let rank = comer.join().unwrap();
                rank.ready(0).unwrap();
                tells.send(()).unwrap();
                let until = Instant::now() + LONG;
                while !rank.stop().load(Ordering::Relaxed) {
                    assert!(Instant::now() < until, "it never knew");
                    std::thread::yield_now();
                }
                rank.report(0, nothing())
            })
        })
        .collect();
    (0..2).for_each(|_| told.recv().unwrap());
    drop(coordinator);
    for comer in comers {
        assert!(matches!(comer.join().unwrap(), Err(Ended::Lost(_))));
    }
}

#[test]
fn a_coordinator_behind_a_partition_is_lost_within_seconds() {
    let coordinator = Coordinator::open(&loopback(), 1, Some(token()), None, rules()).unwrap();
    let proxy = Proxy::to(&coordinator.address());
    let comer = Comer {
        meet: proxy.meet.clone(),
        rules: Rules { silent: SILENT, ..rules() },
        ..Comer::new(&coordinator, 0, 1)
    };
    let rank = comer.join().unwrap();
    rank.ready(0).unwrap();
    proxy.swallow();
    let before = Instant::now();
    let Err(Ended::Lost(why)) = rank.ready(1) else { panic!("there is no second stage") };
    assert!(why.contains("the coordinator sent nothing for 3 s"), "{why}");
    assert!(before.elapsed() >= SILENT - Duration::from_millis(200));
}

//! All goes well.

use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Barrier};

use iobound_fleet::{Coordinator, Event, JoinError, Meet};
use iobound_measure::Measured;

use super::run::{recorded, report};
use super::{Comer, LONG, all, fleet, loopback, nothing, rules, token};

#[test]
fn ranks_meet_over_tcp_begin_at_one_moment_and_hand_in_every_bin() {
    let (measured, _) = recorded(3, 500, 5);
    let coordinator = Coordinator::open(&loopback(), 4, Some(token()), None, rules()).unwrap();
    let (gathered, ends) = fleet(coordinator, 4, &report(&measured));
    let begins: Vec<_> = ends.into_iter().map(Result::unwrap).collect();
    for (of, begin) in gathered.ranks.iter().zip(&begins) {
        assert_eq!(of.missing, None);
        // The same process has the same clock: the named moments differ by no more than the coordinator says.
        let apart = begin.max(&begins[0]).duration_since(*begin.min(&begins[0]));
        let most = of.offset.unwrap().uncertainty + gathered.ranks[0].offset.unwrap().uncertainty;
        assert!(apart.as_nanos() <= u128::from(most.ns()), "{apart:?} of {most}");
    }
    let hosts: Vec<(&str, &Measured)> = gathered
        .ranks
        .iter()
        .map(|rank| ("host", rank.reports[0].as_ref().unwrap().measured.as_ref().unwrap()))
        .collect();
    let together = Measured::beside(&hosts).unwrap();
    for (own, all) in measured.jobs[0].by_op.iter().zip(&together.jobs[0].by_op) {
        let sum: Vec<_> = own.response.bins().map(|(bin, count)| (bin, 4 * count)).collect();
        assert_eq!(all.response.bins().collect::<Vec<_>>(), sum);
    }
    assert!(gathered.stages[0].skew.unwrap() <= gathered.stages[0].skew_uncertainty);
}

#[test]
fn ranks_of_one_machine_meet_at_a_socket_that_nobody_else_gets_at_without_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own").join("meet.sock");
    let meet = Meet::Socket(path.clone());
    let coordinator = Coordinator::open(&meet, 3, None, None, rules()).unwrap();
    assert_eq!(coordinator.address(), meet);
    let mode = path.parent().unwrap().metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o700);
    let (gathered, ends) = fleet(coordinator, 3, &nothing());
    assert!(ends.iter().all(Result::is_ok), "{ends:?}");
    assert!(gathered.ranks.iter().all(|rank| rank.missing.is_none()));
    assert!(!path.exists(), "the socket goes with its coordinator");
}

#[test]
fn a_socket_in_a_folder_that_others_can_enter_is_refused_on_both_sides() {
    let folder = tempfile::tempdir().unwrap();
    let open = folder.path().join("open");
    std::fs::create_dir(&open).unwrap();
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o755)).unwrap();
    let meet = Meet::Socket(open.join("meet.sock"));
    let refused = Coordinator::open(&meet, 1, None, None, rules()).unwrap_err();
    assert!(refused.what.contains("mode 755"), "{}", refused.what);
    assert!(refused.help.starts_with("chmod 700"));
    let comer = Comer { meet, token: None, tls: None, rules: rules(), rank: 0, of: 1 };
    assert!(matches!(comer.join().unwrap_err(), JoinError::Given(_)));
}

#[test]
fn a_socket_that_a_killed_coordinator_left_is_taken_and_one_that_is_in_use_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own");
    std::fs::create_dir(&own).unwrap();
    std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o700)).unwrap();
    let path = own.join("meet.sock");
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    assert!(path.exists());
    let meet = Meet::Socket(path);
    let coordinator = Coordinator::open(&meet, 1, None, None, rules()).unwrap();
    let refused = Coordinator::open(&meet, 1, None, None, rules()).unwrap_err();
    assert!(refused.what.contains("a running program uses it"), "{}", refused.what);
    drop(coordinator);
}

#[test]
fn a_rank_that_comes_before_its_coordinator_waits_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let meet = Meet::Socket(folder.path().join("own").join("meet.sock"));
    let comer = Comer { meet: meet.clone(), token: None, tls: None, rules: rules(), rank: 0, of: 1 };
    let early = std::thread::spawn(move || comer.takes_part(nothing()));
    let coordinator = Coordinator::open(&meet, 1, None, None, rules()).unwrap();
    all(&coordinator);
    assert!(early.join().unwrap().is_ok());
}

#[test]
fn intervals_of_all_ranks_are_put_together_as_they_run() {
    let (measured, told) = recorded(3, 500, 5);
    let coordinator = Coordinator::open(&loopback(), 2, Some(token()), None, rules()).unwrap();
    // Neither reports before both have told: a rank that has ended its load is waited for no more.
    let both = Arc::new(Barrier::new(2));
    let comers: Vec<_> = (0..2)
        .map(|rank| {
            let (comer, told, report) = (Comer::new(&coordinator, rank, 2), told.clone(), report(&measured));
            let both = Arc::clone(&both);
            std::thread::spawn(move || {
                let rank = comer.join().unwrap();
                rank.all_there().unwrap();
                rank.ready(0).unwrap();
                told.iter().for_each(|interval| rank.tell(0, interval));
                both.wait();
                rank.report(0, report).unwrap();
            })
        })
        .collect();
    let events = all(&coordinator);
    let together: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::Interval { together, ranks, .. } => Some((together.interval().count(), *ranks)),
            _ => None,
        })
        .collect();
    let expected: Vec<_> = told.iter().map(|interval| (2 * interval.interval().count(), 2)).collect();
    assert_eq!(together, expected);
    comers.into_iter().for_each(|comer| comer.join().unwrap());
}

#[test]
fn a_hundred_and_more_ranks_meet_in_one_process() {
    let (measured, _) = recorded(2, 500, 5);
    let coordinator = Coordinator::open(&loopback(), 128, Some(token()), None, rules()).unwrap();
    let (gathered, ends) = fleet(coordinator, 128, &report(&measured));
    assert!(ends.iter().all(Result::is_ok), "{ends:?}");
    assert!(gathered.ranks.iter().all(|rank| rank.missing.is_none() && rank.reports[0].is_some()));
}

#[test]
fn a_report_of_many_megabytes_comes_in_fragments_and_whole() {
    let coordinator = Coordinator::open(&loopback(), 1, Some(token()), None, rules()).unwrap();
    let long = format!("\"{}\"", "x".repeat(20 << 20));
    let large = iobound_fleet::RankReport { document: long.clone(), ..nothing() };
    let (gathered, ends) = fleet(coordinator, 1, &large);
    assert!(ends[0].is_ok());
    assert!(gathered.ranks[0].reports[0].as_ref().unwrap().document == long);
}

#[test]
fn stopped_by_its_person_a_coordinator_ends_the_load_of_all_and_takes_what_they_have() {
    let coordinator = Coordinator::open(&loopback(), 2, Some(token()), None, rules()).unwrap();
    let comers: Vec<_> = (0..2)
        .map(|rank| {
            let comer = Comer::new(&coordinator, rank, 2);
            std::thread::spawn(move || {
                let rank = comer.join().unwrap();
                rank.ready(0).unwrap();
                let until = std::time::Instant::now() + LONG;
                while !rank.stop().load(std::sync::atomic::Ordering::Relaxed) {
                    assert!(std::time::Instant::now() < until, "nobody said stop");
                    std::thread::yield_now();
                }
                let why = rank.stopped();
                rank.report(0, nothing()).unwrap();
                why
            })
        })
        .collect();
    loop {
        if matches!(coordinator.next(LONG), Some(Event::Starts { .. })) {
            break;
        }
    }
    coordinator.stop("Ctrl-C at rank 0");
    all(&coordinator);
    for comer in comers {
        assert_eq!(comer.join().unwrap().as_deref(), Some("Ctrl-C at rank 0"));
    }
    let gathered = coordinator.gathered();
    assert_eq!(gathered.stopped.as_deref(), Some("Ctrl-C at rank 0"));
    assert!(gathered.ranks.iter().all(|rank| rank.reports[0].is_some()));
}

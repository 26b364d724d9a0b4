//! Words and reports as bytes: what goes in comes out, and nothing that comes is believed unseen.

use iobound_fleet::protocol::{Greeting, ToCoordinator, ToRank};
use iobound_fleet::wire::{
    report_bytes, report_of, to_coordinator_bytes, to_coordinator_of, to_rank_bytes, to_rank_of,
};
use iobound_fleet::{Hello, Host, RankReport};
use iobound_measure::{Cell, CellId, Completion, JobLayout, Layout, Loop, Measured, Recorder, Together};
use iobound_units::{Instant, Op, Span, TargetId};
use proptest::prelude::*;

/// A run of a closed and an open job on two targets, of these I/Os: operation, cell, latency, length, success.
fn measured(ios: &[(usize, u32, u64, u32, bool)]) -> (Measured, Vec<Together>) {
    let job = |name: &str, kind, requested_iops: Option<f64>| JobLayout {
        name: name.into(),
        kind,
        requested_depth: requested_iops.is_none().then_some(32),
        requested_iops,
    };
    let second = Instant::from_ns(1_000_000_000);
    let layout = Layout {
        jobs: vec![job("scan", Loop::Closed, None), job("log", Loop::Open, Some(123.5))],
        threads: 1,
        targets: vec!["a".into(), "b".into()],
        cells: (0..4).map(|n| Cell { job: n / 2, thread: 0, target: TargetId(n % 2) }).collect(),
        begin: Instant::ZERO,
        start: second,
        end: Instant::MAX,
        interval: Span::from_ms(500),
    };
    let mut recorder = Recorder::new(layout);
    let mut told = Vec::new();
    for (n, (op, cell, latency, len, ok)) in (0_u64..).zip(ios) {
        let completed = Instant::from_ns((n + 1) * 3_000_000_000 / (ios.len() as u64 + 1));
        let issued = Instant::from_ns(completed.ns().saturating_sub(*latency));
        let intended = Instant::from_ns(issued.ns().saturating_sub(latency / 2));
        let completion = Completion {
            issued,
            completed,
            intended,
            cell: CellId(*cell),
            len: *len,
            op: Op::ALL[*op],
            ok: *ok,
        };
        recorder.record_alike(completion, 1 + latency % 5);
        while let Some(tick) = recorder.advance(completed) {
            told.push(Together::from(tick));
        }
    }
    (recorder.finish(Instant::from_ns(3_000_000_000), &[]), told)
}

fn ios() -> impl Strategy<Value = Vec<(usize, u32, u64, u32, bool)>> {
    let latency = prop_oneof![0..5_000_u64, 0..50_000_000_u64, 0..u64::MAX >> 20];
    prop::collection::vec((0..4_usize, 0..4_u32, latency, 1..1_u32 << 22, prop::bool::weighted(0.9)), 0..300)
}

fn report(measured: Measured) -> RankReport {
    RankReport { measured: Some(measured), document: "{\"iops\":1}".into(), failed: None }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_report_comes_out_as_it_went_in_to_the_last_bin(ios in ios()) {
        let (measured, _) = measured(&ios);
        let whole = report(measured.clone());
        prop_assert_eq!(&report_of(&report_bytes(&whole)).unwrap(), &whole);
        let host = report(measured.of_host("db1"));
        prop_assert_eq!(report_of(&report_bytes(&host)).unwrap(), host);
    }

    #[test]
    fn an_interval_comes_out_as_it_went_in(ios in ios()) {
        for together in measured(&ios).1 {
            let bytes = to_coordinator_bytes(&ToCoordinator::Tick { stage: 2, together: Box::new(together.clone()) });
            let Ok(ToCoordinator::Tick { stage: 2, together: again }) = to_coordinator_of(&bytes) else {
                panic!("it is another word");
            };
            prop_assert_eq!(again.interval(), together.interval());
            prop_assert_eq!(again.latencies(), together.latencies());
        }
    }

    /// Bytes that were changed on the way, or made up: an error or figures that hold together, never a panic.
    #[test]
    fn changed_bytes_are_refused_or_hold_together(
        ios in ios(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let (own, told) = measured(&ios);
        let mut bytes = report_bytes(&report(own));
        for (at, byte) in &changes {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
        }
        if let Ok(RankReport { measured: Some(changed), .. }) = report_of(&bytes) {
            prop_assert_eq!(changed.check(), Ok(()));
            // Beside itself it adds up, or is refused.
            let _ = Measured::beside(&[("a", &changed), ("b", &changed)]);
        }
        for together in told {
            let mut bytes = to_coordinator_bytes(&ToCoordinator::Tick { stage: 0, together: Box::new(together) });
            for (at, byte) in &changes {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            if let Ok(ToCoordinator::Tick { together: mut one, .. }) = to_coordinator_of(&bytes) {
                let other = one.clone();
                one.merge(&other);
            }
        }
    }

    #[test]
    fn any_bytes_are_refused_or_a_word(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = (to_coordinator_of(&bytes), to_rank_of(&bytes), report_of(&bytes));
    }
}

#[test]
fn every_word_comes_out_as_it_went_in() {
    let host = Host { name: "db1".into(), pid: 4711, facts: "{\"cpus\":8}".into() };
    let hello = Hello { host, fingerprint: "f00".into(), stages: 3, version: "1.0.0".into() };
    let greeting = Greeting { rank: 1, of: 4, token: "secret".into(), hello };
    let at = Instant::from_ns(u64::MAX - 1);
    let why = || "a disk hangs".to_string();
    let words = [
        ToCoordinator::Hello(Box::new(greeting)),
        ToCoordinator::Pong { number: 7, at },
        ToCoordinator::Ready { stage: 1 },
        ToCoordinator::Began { stage: 1, at },
        ToCoordinator::Beat { work: 7 },
        ToCoordinator::Fragment { stage: 1, bytes: vec![0, 255], last: true },
        ToCoordinator::GiveUp { why: why() },
        ToCoordinator::Bye,
    ];
    for word in words {
        let again = to_coordinator_of(&to_coordinator_bytes(&word)).unwrap();
        assert_eq!(format!("{again:?}"), format!("{word:?}"));
        assert!(!format!("{word:?}").contains("secret"), "a token prints as nothing");
    }
    let words = [
        ToRank::Welcome,
        ToRank::AllThere,
        ToRank::Refused { why: why() },
        ToRank::Ping { number: 7 },
        ToRank::Start { stage: 2, at },
        ToRank::Stop { why: why() },
        ToRank::Got { stage: 0 },
        ToRank::Beat,
    ];
    for word in words {
        assert_eq!(to_rank_of(&to_rank_bytes(&word)), Ok(word));
    }
}

#[test]
fn what_a_peer_says_moves_nobodys_cursor_and_fills_nobodys_screen() {
    let says = |why: String| to_coordinator_of(&to_coordinator_bytes(&ToCoordinator::GiveUp { why }));
    let Ok(ToCoordinator::GiveUp { why }) = says("\u{1b}[2Jgone\r\n".into()) else {
        panic!("it is another word")
    };
    assert_eq!(why, " [2Jgone  ");
    assert!(says("x".repeat(5_000)).unwrap_err().0.contains("more than 4096 characters"));
}

//! An emulator that becomes another while it runs, and what it counts.
#![cfg(target_os = "linux")]

use iobound_emulate::store::{Backing, Pool};
use iobound_emulate::{Action, Batch, Emulator, ExportKind, FrontId, Owner, Request};
use iobound_model::{Blueprint, DiskId, DiskSpec, Latency, Start, StartCredits, VolumeSpec};
use iobound_units::{Bytes, Instant, Span};

/// A volume `data` of one disk of 1 MiB, and as many more as there are names, each of two; media of so many milliseconds.
fn blueprint(others: &[&str], ms: u64) -> Blueprint {
    let latency = Latency::constant(Span::from_ms(ms));
    let mut blueprint = Blueprint::default();
    for (name, count) in [("data", 1u16)].into_iter().chain(others.iter().map(|name| (*name, 2))) {
        let first = blueprint.disks.len() as u16;
        for n in 0..count {
            let name = if count == 1 { name.into() } else { format!("{name}.{n}") };
            blueprint.disks.push(DiskSpec::plain(name, Bytes::mib(1), latency));
        }
        blueprint.volumes.push(VolumeSpec::striped(name, first..first + count, Bytes::mib(1)));
    }
    blueprint
}

fn backing(pool: &Pool) -> Box<dyn Backing> {
    Box::new(pool.disk())
}

/// Does one request of a whole page, and says how long it took.
fn done(emulator: &mut Emulator, now: Instant, name: &str, action: Action, page: &[u8]) -> Span {
    let export = emulator.export(name).expect("it is there");
    let owner = Owner { front: FrontId(0), connection: 0, cookie: 0 };
    let request = Request { owner, export, action, offset: 0, len: 4096 };
    emulator.submit(now, request, page).expect("it is taken");
    let due = emulator.next_event().expect("it is under way");
    let mut batch = Batch::default();
    emulator.poll(due, &mut batch);
    assert!(batch.completed[0].result.is_ok());
    due.since(now)
}

#[test]
fn what_is_there_is_changed_what_is_new_is_added_and_all_of_it_is_counted() {
    let pool = Pool::new(Bytes::mib(1)).expect("memory");
    let start = Start { seed: 1, credits: StartCredits::Full };
    let mut emulator =
        Emulator::new(&blueprint(&[], 1), &start, 8, vec![backing(&pool)]).expect("a valid blueprint");
    let (write, page) = (Action::Write { fua: false }, [7; 4096]);
    let at = |ms| Instant::ZERO + Span::from_ms(ms);
    assert_eq!(done(&mut emulator, at(0), "data", write, &page), Span::from_ms(1));
    let wanted = blueprint(&["log"], 3);
    let kept = emulator.become_wanted(at(10), &wanted, |_| Ok(backing(&pool))).expect("it can");
    assert_eq!(kept, Vec::<String>::new());
    let exports: Vec<_> =
        emulator.exports().iter().map(|export| (export.name.as_str(), export.kind)).collect();
    let (volume, disk) = (ExportKind::Volume, ExportKind::Disk);
    assert_eq!(exports, [("data", volume), ("log", volume), ("log.0", disk), ("log.1", disk)]);
    // The old one at its new latency, with its old data; the new one through its disks.
    assert_eq!(done(&mut emulator, at(20), "data", Action::Read, &[]), Span::from_ms(3));
    assert_eq!(done(&mut emulator, at(30), "log", write, &page), Span::from_ms(3));
    assert_eq!(done(&mut emulator, at(40), "log.0", Action::Read, &[]), Span::from_ms(3));
    let look = emulator.look(at(50));
    // Two pages, and the tables that find them.
    assert!(look.under_way == 0 && look.held >= Bytes(2 * 4096), "{look:?}");
    let counts = |n: usize| (look.exports[n].reads.ios, look.exports[n].writes.ios);
    assert_eq!([counts(0), counts(1), counts(2), counts(3)], [(1, 1), (0, 1), (1, 0), (0, 0)]);
    assert_eq!(look.exports[0].reads.latency_ns, 3_000_000);
    // Of both I/Os since the last look; of none since this one.
    assert_eq!(look.exports[0].latencies.count(), 2);
    assert!(emulator.look(at(51)).exports[0].latencies.is_empty());
}

#[test]
fn what_cannot_become_so_changes_nothing() {
    let pool = Pool::new(Bytes::mib(1)).expect("memory");
    let start = Start { seed: 1, credits: StartCredits::Full };
    let mut emulator =
        Emulator::new(&blueprint(&[], 1), &start, 8, vec![backing(&pool)]).expect("a valid blueprint");
    // A stripe is not widened in place.
    let mut wider = blueprint(&["log"], 1);
    wider.volumes[0].disks = vec![DiskId(0), DiskId(1)];
    wider.volumes[0].columns = 2;
    let refused =
        emulator.become_wanted(Instant::ZERO, &wider, |_| Ok(backing(&pool))).expect_err("it can't");
    assert!(refused.to_string().contains("volume data"), "{refused}");
    assert_eq!(emulator.exports().len(), 1);
}

//! A running stack becomes the wanted one, part by part, by their names.

mod common;

use common::arbitrary::{any_start, blueprint, cases, limiter_spec, sketches, trace};
use common::build::*;
use common::play::play;
use iobound_model::{
    Blueprint, CacheId, CacheMode, CacheUse, Change, DiskId, LimiterId, LimiterName, LimiterSpec, Reconciled,
    Stack, reconcile,
};
use iobound_units::{Bytes, Instant, Io};
use proptest::prelude::*;

fn reconciled(running: &Blueprint, wanted: &Blueprint) -> Reconciled {
    reconcile(running, wanted).unwrap_or_else(|why| panic!("{why}"))
}

fn refused(running: &Blueprint, wanted: &Blueprint) -> String {
    reconcile(running, wanted).expect_err("it cannot be").to_string()
}

fn make(stack: &mut Stack, at: u64, changes: &[Change]) {
    for change in changes {
        stack.change(Instant::from_ns(at), change.clone()).unwrap_or_else(|why| panic!("{why}"));
    }
}

/// The same with names of its own for every part.
fn with_names(mut blueprint: Blueprint) -> Blueprint {
    for (n, limiter) in blueprint.limiters.iter_mut().enumerate() {
        limiter.name = LimiterName::only(&format!("g{n}"));
    }
    for (n, disk) in blueprint.disks.iter_mut().enumerate() {
        disk.name = format!("d{n}");
    }
    for (n, volume) in blueprint.volumes.iter_mut().enumerate() {
        volume.name = format!("v{n}");
    }
    blueprint
}

/// The limiters of every route of a disk, by name.
fn ways(blueprint: &Blueprint, disk: &str) -> Vec<Vec<LimiterSpec>> {
    let disk = blueprint.disks.iter().find(|spec| spec.name == disk).expect("a disk of that name");
    let limiter = |id: &LimiterId| blueprint.limiters[usize::from(id.0)].clone();
    disk.routes.all().map(|route| route.iter().map(limiter).collect()).to_vec()
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn whatever_runs_and_whatever_is_wanted_is_what_runs_then_or_is_refused(
        running in blueprint(), wanted in blueprint(), start in any_start(), new_volumes in any::<bool>(),
    ) {
        let (running, mut wanted) = (with_names(running), with_names(wanted));
        for volume in wanted.volumes.iter_mut().filter(|_| new_volumes) {
            // As small as to fit whatever disks there are.
            (volume.name, volume.size) = (format!("new {}", volume.name), Bytes(512));
        }
        let Ok(to) = reconcile(&running, &wanted) else {
            prop_assert!(!new_volumes, "only volumes that are there can be refused");
            return Ok(());
        };
        let mut stack = Stack::new(&running, &start, 1).expect("sound");
        make(&mut stack, S, &to.changes);
        prop_assert_eq!(to.blueprint.check(), Ok(()));
        for disk in &wanted.disks {
            prop_assert_eq!(ways(&to.blueprint, &disk.name), ways(&wanted, &disk.name));
            let is = to.blueprint.disks.iter().find(|is| is.name == disk.name).expect("it is there");
            prop_assert_eq!((is.media, is.cache), (disk.media, disk.cache));
        }
        prop_assert_eq!(&to.blueprint.caches[..wanted.caches.len()], &wanted.caches[..]);
        for volume in &wanted.volumes {
            prop_assert!(to.blueprint.volume(&volume.name).is_some());
        }
        prop_assert_eq!(reconciled(&to.blueprint, &wanted).changes.len(), 0, "what is wanted runs already");
    }

    #[test]
    fn a_stack_that_is_reconciled_at_time_zero_says_what_one_says_that_was_built_as_wanted(
        wanted in blueprint(), start in any_start(), sketches in sketches(60), keep in any::<u16>(),
        limiters in prop::collection::vec(prop::option::of(limiter_spec()), 8), swapped in any::<bool>(),
    ) {
        let wanted = with_names(wanted);
        let mut running = wanted.clone();
        running.volumes.truncate(usize::from(keep) % (wanted.volumes.len() + 1));
        for (limiter, other) in running.limiters.iter_mut().zip(limiters) {
            *limiter = other.map_or(limiter.clone(), |other| LimiterSpec { name: limiter.name.clone(), ..other });
        }
        for disk in running.disks.iter_mut().filter(|_| swapped) {
            std::mem::swap(&mut disk.media.read, &mut disk.media.write);
            std::mem::swap(&mut disk.routes.read, &mut disk.routes.read_hit);
        }
        let trace = trace(&wanted, &sketches);
        let to = reconciled(&running, &wanted);
        prop_assert_eq!(&to.blueprint, &wanted);
        let mut changed = Stack::new(&running, &start, trace.len()).expect("sound");
        make(&mut changed, 0, &to.changes);
        let mut built = Stack::new(&wanted, &start, trace.len()).expect("sound");
        prop_assert_eq!(play(&mut built, &trace), play(&mut changed, &trace));
    }
}

/// A VM whose disks have host caches as given, as a catalogue builds it: limiters in the order in which they are needed.
fn vm(disks: &[(&str, Option<CacheMode>)]) -> Blueprint {
    let modes = disks.iter().map(|(_, mode)| (iops(5_000), constant(2 * MS), *mode)).collect();
    let mut blueprint = azure(wide("vm.cached"), wide("vm.uncached"), cache(Bytes::gib(4)), modes);
    for (n, (name, _)) in disks.iter().enumerate() {
        blueprint.disks[n].name = name.to_string();
        blueprint.volumes[n].name = name.to_string();
        blueprint.limiters[2 + n].name = LimiterName::of("disk", name);
    }
    blueprint
}

/// The same without the VM's cached limiter and without the cache, where no disk uses them.
fn uncached(disks: &[&str]) -> Blueprint {
    let mut blueprint = vm(&disks.iter().map(|name| (*name, None)).collect::<Vec<_>>());
    blueprint.limiters.remove(0);
    blueprint.caches.clear();
    for disk in &mut blueprint.disks {
        for limiter in disk.routes.read.iter_mut().chain(&mut disk.routes.write) {
            limiter.0 -= 1;
        }
    }
    blueprint
}

#[test]
fn what_is_the_same_needs_no_change() {
    let to = reconciled(&vm(&[("a", Some(CacheMode::ReadOnly))]), &vm(&[("a", Some(CacheMode::ReadOnly))]));
    assert!(to.changes.is_empty() && to.kept.is_empty(), "{to:?}");
}

#[test]
fn a_disk_that_is_given_a_cache_gets_the_limiter_and_the_cache_that_it_needs_and_ids_stay() {
    let (running, wanted) = (uncached(&["a", "b"]), vm(&[("a", Some(CacheMode::ReadOnly)), ("b", None)]));
    let to = reconciled(&running, &wanted);
    let said: Vec<String> = to.changes.iter().map(|change| format!("{change:?}")).collect();
    assert_eq!(to.changes.len(), 3, "{said:?}");
    assert!(
        matches!(&to.changes[0], Change::AddLimiter(limiter) if limiter.name == LimiterName::only("vm.cached"))
    );
    assert!(matches!(&to.changes[1], Change::AddCache(_)));
    let Change::Disk(DiskId(0), disk) = &to.changes[2] else { panic!("{said:?}") };
    // vm.uncached is limiter 0 and stays so, disk:a is 1, vm.cached has come last.
    assert_eq!(disk.routes.read, [LimiterId(3), LimiterId(0), LimiterId(1)]);
    // Back again the limiter and the cache stay, unused, and forth again they are there.
    let back = reconciled(&to.blueprint, &running);
    assert!(matches!(&back.changes[..], [Change::Disk(DiskId(0), _)]), "{:?}", back.changes);
    assert_eq!((back.blueprint.limiters.len(), back.blueprint.caches.len()), (4, 1));
    let forth = reconciled(&back.blueprint, &wanted);
    assert!(matches!(&forth.changes[..], [Change::Disk(DiskId(0), _)]), "{:?}", forth.changes);
    assert_eq!(forth.blueprint, to.blueprint);
}

#[test]
fn exports_of_single_disks_stay_and_come_for_new_disks_where_they_are_wanted() {
    let with_exports = |mut blueprint: Blueprint| {
        blueprint.volumes.truncate(1);
        blueprint.volumes[0].name = "data".into();
        for (n, disk) in blueprint.disks.iter().enumerate() {
            let export = volume(&[n as u16], disk.size, 1);
            blueprint.volumes.push(iobound_model::VolumeSpec { name: disk.name.clone(), ..export });
        }
        blueprint
    };
    let running = with_exports(uncached(&["a", "b"]));
    let mut plain = uncached(&["a", "b"]);
    plain.volumes.truncate(1);
    plain.volumes[0].name = "data".into();
    let to = reconciled(&running, &plain);
    assert!(to.changes.is_empty() && to.kept.is_empty(), "{to:?}");
    let to = reconciled(&running, &with_exports(uncached(&["a", "b", "c"])));
    assert!(matches!(&to.changes[..], [Change::AddLimiter(_), Change::AddDisk(_), Change::AddVolume(_)]));
    assert_eq!(to.blueprint.volume("c"), Some(3));
    let mut stack = Stack::new(&running, &SPENT, 1).expect("sound");
    make(&mut stack, S, &to.changes);
    assert_eq!(play(&mut stack, &[(S, Io::read(target(3), 0, 4096))]).times(), [S + 2 * MS]);
}

#[test]
fn sizes_stay_and_disks_stay_and_both_are_said() {
    let mut wanted = uncached(&["a", "b", "c"]);
    for n in 0..2 {
        (wanted.disks[n].size, wanted.volumes[n].size) = (Bytes::gib(256), Bytes::gib(256));
        wanted.limiters[1 + n] = LimiterSpec { name: wanted.limiters[1 + n].name.clone(), ..iops(7_500) };
    }
    let running = uncached(&["a", "b", "c", "d"]);
    let to = reconciled(&running, &wanted);
    assert!(matches!(&to.changes[..], [Change::Limiter(LimiterId(1), _), Change::Limiter(LimiterId(2), _)]));
    assert_eq!(to.blueprint.disks, running.disks);
    assert_eq!(
        to.kept,
        [
            "disks a, b: the size stays 64 GiB, and cannot become 256 GiB",
            "disk d stays: a disk cannot be removed from a running emulator",
            "volumes a, b: the size stays 64 GiB, and cannot become 256 GiB",
        ]
    );
}

#[test]
fn what_a_stack_cannot_become_is_refused_with_its_reason() {
    let two = |disks: &[u16]| {
        let mut blueprint = uncached(&["a", "b", "c"]);
        blueprint.volumes = vec![volume(disks, Bytes::gib(64), disks.len() as u16)];
        blueprint.volumes[0].name = "data".into();
        blueprint
    };
    let why = refused(&two(&[0, 1]), &two(&[0, 1, 2]));
    assert!(
        why.contains("disks a, b, and the change asks for disks a, b, c") && why.contains("add a volume"),
        "{why}"
    );
    let mut other = two(&[0, 1]);
    other.volumes[0].interleave = Bytes::kib(256);
    let why = refused(&two(&[0, 1]), &other);
    assert!(why.contains("at 64 KiB") && why.contains("at 256 KiB"), "{why}");
    let mut twice = two(&[0]);
    twice.limiters[1].name = twice.limiters[2].name.clone();
    assert!(refused(&two(&[0]), &twice).contains("two limiters are named disk:b"));
    assert!(refused(&twice, &two(&[0])).contains("two limiters are named disk:b"));
    let mut nowhere = two(&[0]);
    nowhere.disks[0].cache = Some(CacheUse { cache: CacheId(7), mode: CacheMode::ReadOnly });
    assert!(refused(&two(&[0]), &nowhere).contains("no cache 7"));
    // A new volume may be wanted larger than the disks that it would lie on, since these keep their size.
    let mut larger = two(&[0]);
    larger.disks[1].size = Bytes::gib(128);
    larger.volumes.push(iobound_model::VolumeSpec { name: "b".into(), ..volume(&[1], Bytes::gib(128), 1) });
    let why = refused(&two(&[0]), &larger);
    assert!(why.contains("volume b") && why.contains("exceed the size of its disks: 64 GiB"), "{why}");
}

//! What a lost host leaves behind: what the media has, and every promise kept.

mod common;

use std::collections::BTreeMap;

use common::player::{Player, Random, SECTOR, blueprint, cache, disk, emulator, said, sectors, versions};
use iobound_emulate::store::{Backing, Pool, SparseFile};
use iobound_emulate::{Action, Completed, Emulator, Errno, ExportId, Request};
use iobound_machine::open::Directory;
use iobound_model::{Blueprint, CacheMode, CacheSpec, Change, DiskId, Start, StartCredits};
use iobound_units::{Bytes, Instant};

const MS: u64 = 1_000_000;
const SIZE: Bytes = Bytes::mib(1);

/// What is known of one sector. Numbers ascend in the order in which the requests came.
#[derive(Clone, Default)]
struct Sector {
    /// The numbers of what wrote it, and what it says then: that number, or nothing after a discard.
    written: Vec<(u64, u64)>,
    /// The last that was acknowledged.
    acknowledged: u64,
    /// The last that was promised to be on the media: a crash may leave it, or anything newer.
    durable: u64,
}

impl Sector {
    fn newest(&self) -> u64 {
        self.written.last().map_or(0, |(_, says)| *says)
    }
}

struct Oracle {
    blueprint: Blueprint,
    /// By disk, which may change.
    modes: Vec<Option<CacheMode>>,
    disks: Vec<Vec<Sector>>,
    /// By cookie of the requests under way: its number, and what a flush promises, by disk and sector.
    under_way: BTreeMap<u64, (u64, Promise)>,
    numbers: u64,
    /// Sectors that a crash took back to older data.
    lost: usize,
}

type Promise = Vec<(usize, usize, u64)>;

impl Oracle {
    fn places(&self, request: &Request) -> Vec<(usize, usize)> {
        sectors(&self.blueprint, request.export, request.offset, u64::from(request.len))
    }

    fn submitted(&mut self, cookie: u64, export: ExportId, action: Action, offset: u64, len: u32) {
        self.numbers += 1;
        let number = self.numbers;
        let mut promise = Promise::new();
        match action {
            Action::Flush => {
                for disk in &self.blueprint.volumes[usize::from(export.0)].disks {
                    let disk = usize::from(disk.0);
                    let kept = self.disks[disk].iter().enumerate();
                    promise.extend(kept.map(|(sector, kept)| (disk, sector, kept.acknowledged)));
                }
            }
            Action::Read => {}
            _ => {
                let says = if matches!(action, Action::Write { .. }) { number } else { 0 };
                let at_once = matches!(
                    action,
                    Action::Write { fua: true }
                        | Action::Zero { fua: true, .. }
                        | Action::Trim
                        | Action::Zero { allocate: false, .. }
                );
                for (disk, sector) in sectors(&self.blueprint, export, offset, u64::from(len)) {
                    self.disks[disk][sector].written.push((number, says));
                    if at_once || self.modes[disk] != Some(CacheMode::ReadWrite) {
                        promise.push((disk, sector, number));
                    }
                }
            }
        }
        self.under_way.insert(cookie, (number, promise));
    }

    fn completed(&mut self, completed: &Completed, data: &[u8]) {
        let request = &completed.request;
        let (number, promise) = self.under_way.remove(&request.owner.cookie).expect("it was submitted");
        if completed.result.is_err() {
            return;
        }
        for (disk, sector, number) in promise {
            let kept = &mut self.disks[disk][sector];
            kept.durable = kept.durable.max(number);
        }
        let places = self.places(request);
        match request.action {
            Action::Read => {
                for ((disk, sector), says) in places.into_iter().zip(said(data)) {
                    assert_eq!(says, self.disks[disk][sector].newest(), "{disk}, {sector}");
                }
            }
            _ => {
                for (disk, sector) in places {
                    let kept = &mut self.disks[disk][sector];
                    kept.acknowledged = kept.acknowledged.max(number);
                }
            }
        }
    }

    /// What is read after a crash is what was durable or newer, and from then on it is all there is.
    fn crashed(&mut self, disk: usize, data: &[u8]) {
        for (n, (sector, says)) in self.disks[disk].iter_mut().zip(said(data)).enumerate() {
            let none = (sector.durable == 0).then_some((0, 0));
            let mut may_be =
                sector.written.iter().filter(|(number, _)| *number >= sector.durable).chain(&none);
            assert!(
                may_be.any(|(_, may_say)| *may_say == says),
                "disk {disk}, sector {n} says {says}, {} was durable of {:?}",
                sector.durable,
                sector.written
            );
            self.lost += usize::from(says != sector.newest());
            *sector = Sector { written: vec![(1, says)], acknowledged: 1, durable: 1 };
        }
    }
}

fn crash_and_compare(player: &mut Player, oracle: &mut Oracle) {
    let mut failed = 0;
    player.crash(|completed, data| {
        oracle.completed(completed, data);
        failed += usize::from(completed.result == Err(Errno::Io));
    });
    assert!(oracle.under_way.is_empty(), "everything has an answer");
    assert_eq!(player.emulator.next_event(), None, "and nothing happens any more");
    for n in 0..oracle.disks.len() {
        let export = player.emulator.export(&format!("d{n}")).expect("it is there");
        player.submit(export, Action::Read, 0, SIZE.get() as u32, &[]).expect("there is room");
        player.go_to(player.now + 60_000 * MS, |_, data| oracle.crashed(n, data));
    }
}

/// The stripe and the disks apart, all behind whatever mode they have, one of which changes now and then.
#[test]
fn what_was_flushed_survives_and_nothing_goes_back_to_before_it() {
    let (mut lost, mut crashes) = (0, 0);
    for seed in 0..12 {
        let mut random = Random(seed);
        let pool = Pool::new(Bytes::mib(64)).expect("so much");
        let mut blueprint = blueprint(SIZE, 400);
        for n in [0, 1] {
            blueprint.disks[n] = disk(&format!("d{n}"), SIZE, 1 + n as u16, Some(CacheMode::ReadWrite));
        }
        let mut player = Player::new(emulator(&blueprint, seed, &pool));
        let blueprint = player.emulator.blueprint().clone();
        let count = blueprint.disks.len();
        let mut oracle = Oracle {
            modes: blueprint.disks.iter().map(|disk| disk.cache.map(|of| of.mode)).collect(),
            disks: vec![vec![Sector::default(); (SIZE.get() / SECTOR) as usize]; count],
            blueprint,
            under_way: BTreeMap::new(),
            numbers: 1,
            lost: 0,
        };
        let exports = player.emulator.exports().to_vec();
        for _ in 0..2_000 {
            player.go_to(player.now + random.below(4 * MS), |completed, data| {
                oracle.completed(completed, data)
            });
            if random.below(100) == 0 {
                let n = random.below(count as u64) as usize;
                let mode =
                    [None, Some(CacheMode::ReadOnly), Some(CacheMode::ReadWrite)][random.below(3) as usize];
                let spec = disk(&format!("d{n}"), SIZE, 1 + n as u16, mode);
                oracle.modes[n] = mode;
                let change = Change::Disk(DiskId(n as u16), spec);
                player.emulator.change(Instant::from_ns(player.now), change).expect("it can be");
            }
            if random.below(300) == 0 {
                crash_and_compare(&mut player, &mut oracle);
                crashes += 1;
            }
            // Written over and over: 48 KiB of each, in one to sixteen sectors.
            let export = ExportId(random.below(exports.len() as u64) as u16);
            let sectors = 1 + random.below(16);
            let (offset, len) = (random.below(96 - sectors) * SECTOR, (sectors * SECTOR) as u32);
            let fua = random.below(12) == 0;
            let (action, data) = match random.below(24) {
                0 => (Action::Trim, Vec::new()),
                1 => (Action::Zero { fua, allocate: random.below(2) == 0 }, Vec::new()),
                2 | 3 => (Action::Flush, Vec::new()),
                4..8 => (Action::Read, Vec::new()),
                _ => (Action::Write { fua }, versions(oracle.numbers + 1, len)),
            };
            let (offset, len) = if action == Action::Flush { (0, 0) } else { (offset, len) };
            if let Some(cookie) = player.submit(export, action, offset, len, &data) {
                oracle.submitted(cookie, export, action, offset, len);
            }
        }
        crash_and_compare(&mut player, &mut oracle);
        crashes += 1;
        lost += oracle.lost;
    }
    assert!(crashes > 60 && lost > 1_000, "{crashes}, {lost}: the case that matters does not occur");
}

/// One disk behind a ReadWrite cache that flushes 20 times a second.
fn one_disk(pool: &Pool, backing: Box<dyn Backing>, dirty: CacheSpec) -> Player {
    let mut blueprint = blueprint(SIZE, 20);
    blueprint.disks = vec![disk("d0", SIZE, 1, Some(CacheMode::ReadWrite))];
    blueprint.volumes.clear();
    blueprint.caches = vec![dirty];
    let start = Start { seed: 1, credits: StartCredits::Full };
    let emulator = Emulator::new(&blueprint, &start, 64, vec![backing]).expect("a valid blueprint");
    assert_eq!(pool.held(), Bytes::ZERO);
    Player::new(emulator)
}

#[test]
fn without_a_crash_all_is_settled_and_the_file_has_it_and_with_one_it_has_what_was_flushed() {
    for is_settled in [true, false] {
        let folder = tempfile::tempdir().expect("a folder");
        let pool = Pool::new(Bytes::mib(4)).expect("so much");
        let file = || {
            SparseFile::open(&Directory::open(folder.path()).expect("it is there"), "d0", SIZE, &[], &pool)
                .expect("ours")
        };
        let mut player = one_disk(&pool, Box::new(file()), cache());
        // The first is flushed, the second is acknowledged, and a disk of 20 ms and 20 IOPS has not got it 60 µs later.
        for (version, at) in [(1, 0), (2, 65_536)] {
            player.submit(ExportId(0), Action::Write { fua: false }, at, 4096, &versions(version, 4096));
            player.go_to(player.now + MS, |completed, _| assert!(completed.result.is_ok()));
            if version == 1 {
                player.submit(ExportId(0), Action::Flush, 0, 0, &[]);
                player.go_to(player.now + 1_000 * MS, |completed, _| assert!(completed.result.is_ok()));
                assert_eq!(player.emulator.unsettled(DiskId(0)), Bytes::ZERO);
                assert_eq!(
                    pool.held(),
                    Bytes(8192),
                    "the bits of what was acknowledged and on its way, no data"
                );
            }
        }
        assert_eq!(player.emulator.unsettled(DiskId(0)), Bytes(4096));
        if is_settled {
            player.emulator.settle().expect("there is room");
        }
        // The process ends.
        drop(player);
        assert_eq!(pool.held(), Bytes::ZERO);
        let mut read = vec![0; 4096];
        for (version, at) in [(1, 0), (if is_settled { 2 } else { 0 }, 65_536)] {
            file().read(at, &mut read).expect("it can be read");
            assert!(read == versions(version, 4096), "{at}");
        }
    }
}

/// Zeroes that keep their place are a write as any other: in the cache until the flusher has them on the media, where they take
/// the place that was promised; a crash before that leaves what was there.
#[test]
fn zeroes_in_a_cache_are_lost_with_it_until_they_are_flushed_and_take_their_place_in_the_file() {
    const LEN: u32 = 512 << 10;
    for (is_flushed, is_crashed) in [(false, true), (true, true), (false, false)] {
        let folder = tempfile::tempdir().expect("a folder");
        let pool = Pool::new(Bytes::mib(4)).expect("so much");
        let file = || {
            SparseFile::open(&Directory::open(folder.path()).expect("it is there"), "d0", SIZE, &[], &pool)
                .expect("ours")
        };
        let mut player = one_disk(&pool, Box::new(file()), cache());
        // Data in a half of the range, on the media.
        player.submit(ExportId(0), Action::Write { fua: true }, 0, LEN / 2, &versions(1, LEN / 2));
        player.go_to(1_000 * MS, |completed, _| assert!(completed.result.is_ok()));
        player.submit(ExportId(0), Action::Zero { fua: false, allocate: true }, 0, LEN, &[]);
        player.go_to(player.now + MS, |completed, _| assert!(completed.result.is_ok()));
        assert_eq!(
            player.emulator.unsettled(DiskId(0)),
            Bytes(u64::from(LEN)),
            "acknowledged, and in the cache"
        );
        if is_flushed {
            player.submit(ExportId(0), Action::Flush, 0, 0, &[]);
            player.go_to(player.now + 60_000 * MS, |completed, _| assert!(completed.result.is_ok()));
            assert_eq!(player.emulator.unsettled(DiskId(0)), Bytes::ZERO);
        }
        if is_crashed {
            player.crash(|completed, _| panic!("{completed:?} was outstanding"));
        } else {
            player.emulator.settle().expect("there is room");
        }
        drop(player);
        let mut read = vec![7; LEN as usize];
        let mut disk = file();
        disk.read(0, &mut read).expect("it can be read");
        let is_lost = is_crashed && !is_flushed;
        let expected = versions(if is_lost { 1 } else { 0 }, LEN / 2);
        assert!(read[..LEN as usize / 2] == expected, "flushed {is_flushed}, crashed {is_crashed}");
        assert!(read[LEN as usize / 2..].iter().all(|byte| *byte == 0));
        // Promised before it was acknowledged, and kept whatever came after.
        assert!(disk.held() >= Bytes(u64::from(LEN)), "{:?}", disk.held());
    }
}

/// Without a cache they are on the media at once, and keep their place as well.
#[test]
fn zeroes_without_a_cache_take_their_place_in_the_file_and_a_trim_gives_it_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let pool = Pool::new(Bytes::mib(4)).expect("so much");
    let mut blueprint = blueprint(SIZE, 400);
    blueprint.disks = vec![disk("d0", SIZE, 1, None)];
    blueprint.volumes.clear();
    let file =
        SparseFile::open(&Directory::open(folder.path()).expect("it is there"), "d0", SIZE, &[], &pool)
            .expect("a new file");
    let start = Start { seed: 1, credits: StartCredits::Full };
    let emulator = Emulator::new(&blueprint, &start, 64, vec![Box::new(file)]).expect("a valid blueprint");
    let mut player = Player::new(emulator);
    let held = |player: &mut Player| player.emulator.look(Instant::from_ns(player.now)).held;
    let half = SIZE.get() as u32 / 2;
    for (action, least, most) in [
        (Action::Zero { fua: false, allocate: true }, u64::from(half), SIZE.get() - 1),
        (Action::Zero { fua: false, allocate: false }, 0, 0),
        (Action::Write { fua: false }, u64::from(half), SIZE.get() - 1),
        (Action::Zero { fua: true, allocate: true }, u64::from(half), SIZE.get() - 1),
        (Action::Trim, 0, 0),
    ] {
        let data = if matches!(action, Action::Write { .. }) { versions(1, half) } else { Vec::new() };
        player.submit(ExportId(0), action, 0, half, &data);
        player.go_to(player.now + 1_000 * MS, |completed, _| assert!(completed.result.is_ok()));
        let held = held(&mut player).get();
        assert!((least..=most).contains(&held), "{action:?}: {held}");
    }
}

/// The media is full, and what the cache has acknowledged is more than fits: reads get it, flushes fail until there is room.
#[test]
fn what_finds_no_room_on_the_media_is_not_lost_and_fails_flushes_until_it_does() {
    let pool = Pool::new(Bytes::mib(4)).expect("so much");
    let mut player = one_disk(&pool, Box::new(Narrow(Vec::new(), 4096, pool.clone())), cache());
    player.submit(ExportId(0), Action::Write { fua: false }, 0, 8192, &versions(7, 8192));
    player.go_to(1_000 * MS, |completed, _| assert!(completed.result.is_ok()));
    let flush = |player: &mut Player, expected: Result<(), Errno>| {
        player.submit(ExportId(0), Action::Flush, 0, 0, &[]);
        player.submit(ExportId(0), Action::Read, 0, 8192, &[]);
        player.go_to(player.now + 1_000 * MS, |completed, data| match completed.request.action {
            Action::Flush => assert_eq!(completed.result.clone().map(drop), expected),
            _ => assert!(data == versions(7, 8192)),
        });
    };
    flush(&mut player, Err(Errno::NoSpace));
    flush(&mut player, Err(Errno::NoSpace));
    assert_eq!(player.emulator.unsettled(DiskId(0)), Bytes(4096));
    // Discarding the first half makes room; it is written again as zeroes that take none.
    player.submit(ExportId(0), Action::Trim, 0, 4096, &[]);
    player.go_to(player.now + 1_000 * MS, |_, _| ());
    player.submit(ExportId(0), Action::Flush, 0, 0, &[]);
    player.go_to(player.now + 1_000 * MS, |completed, _| assert!(completed.result.is_ok()));
    assert_eq!(player.emulator.unsettled(DiskId(0)), Bytes::ZERO);
}

/// Media with room for so many bytes, wherever they are.
struct Narrow(Vec<(u64, Vec<u8>)>, usize, Pool);

impl Backing for Narrow {
    fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<(), Errno> {
        into.fill(0);
        for (at, data) in &self.0 {
            for (n, byte) in data.iter().enumerate() {
                let index = (at + n as u64).checked_sub(offset).map(|index| index as usize);
                if let Some(place) = index.and_then(|index| into.get_mut(index)) {
                    *place = *byte;
                }
            }
        }
        Ok(())
    }

    fn write(&mut self, offset: u64, data: &[u8]) -> Result<(), Errno> {
        if self.held().get() as usize + data.len() > self.1 {
            return Err(Errno::NoSpace);
        }
        self.0.push((offset, data.to_vec()));
        Ok(())
    }

    fn discard(&mut self, offset: u64, len: u64) -> Result<(), Errno> {
        self.0.retain(|(at, _)| !(offset..offset + len).contains(at));
        Ok(())
    }

    fn held(&self) -> Bytes {
        Bytes(self.0.iter().map(|(_, data)| data.len() as u64).sum())
    }

    fn volatile(&self) -> iobound_emulate::store::Memory {
        self.2.disk()
    }
}

/// A pool that has no room for a copy beside the media: what is written over is written through.
#[test]
fn a_full_pool_still_takes_what_is_written_over() {
    // A table and eight pages, and the bits of what is acknowledged.
    let pool = Pool::new(Bytes(10 * 4096)).expect("so much");
    let mut player = one_disk(&pool, Box::new(pool.disk()), cache());
    for version in 1..20 {
        player.submit(ExportId(0), Action::Write { fua: false }, 0, 32_768, &versions(version, 32_768));
        player.submit(ExportId(0), Action::Read, 0, 32_768, &[]);
        player.go_to(player.now + MS, |completed, data| {
            assert!(completed.result.is_ok(), "{completed:?}");
            assert!(data.is_empty() || data == versions(version, 32_768));
        });
    }
}

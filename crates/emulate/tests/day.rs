//! A day of random requests beside plain bytes.

mod common;

use common::player::{Player, Random, SECTOR, blueprint, disk, emulator, limiter, said, sectors, versions};
use iobound_emulate::store::{Allocation, Pool};
use iobound_emulate::{Action, Completed, ExportId};
use iobound_model::{BadHost, Blueprint, CacheId, CacheMode, Change, DiskId, Fault, LimiterId};
use iobound_units::{Bytes, Instant, Ppm};

const S: u64 = 1_000_000_000;
const DAY: u64 = 24 * 3600 * S;
const SIZE: Bytes = Bytes::mib(4);

/// The number of what wrote each sector of each disk; zero is nothing, and zeroes.
struct Reference {
    blueprint: Blueprint,
    disks: Vec<Vec<u64>>,
    compared: u64,
    failed: u64,
    /// Runs without data that were looked at.
    holes: u64,
}

impl Reference {
    fn keep(&mut self, export: ExportId, offset: u64, len: u32, version: u64) {
        for (disk, sector) in sectors(&self.blueprint, export, offset, u64::from(len)) {
            self.disks[disk][sector] = version;
        }
    }

    /// What is said to read as zeroes does, wherever the newest data lies.
    fn compare_allocation(&mut self, player: &mut Player, export: ExportId) {
        let size = self.blueprint.volumes[usize::from(export.0)].size.get() / SECTOR * SECTOR;
        let (mut runs, mut at) = (Vec::new(), 0);
        while at < size {
            runs.clear();
            player.emulator.allocation(export, at, size - at, 64, &mut runs).expect("it is there");
            for run in &runs {
                let places = sectors(&self.blueprint, export, at, run.len);
                let is_zero = places.iter().all(|place| self.disks[place.0][place.1] == 0);
                assert!(is_zero || run.allocation == Allocation::Data, "{export:?}, {at}: {run:?}");
                self.holes += u64::from(run.allocation != Allocation::Data);
                at += run.len;
            }
        }
        assert_eq!(at, size);
    }

    fn compare(&mut self, completed: &Completed, data: &[u8]) {
        let request = &completed.request;
        match &completed.result {
            Err(_) => self.failed += 1,
            Ok(_) if request.action == Action::Read => {
                let (at, len) = (request.offset, u64::from(request.len));
                let places = sectors(&self.blueprint, request.export, at, len);
                for (place, version) in places.into_iter().zip(said(data)) {
                    let kept = self.disks[place.0][place.1];
                    assert_eq!(version, kept, "{place:?}, read by {request:?}");
                }
                self.compared += len;
            }
            Ok(_) => {}
        }
    }
}

/// What the cloud and its customer do to a VM while it runs.
fn change(random: &mut Random, now: u64) -> Change {
    let n = random.below(6) as u16;
    let soon = Instant::from_ns(now + random.below(20 * S));
    match random.below(8) {
        0 => Change::Limiter(LimiterId(1 + n), limiter("disk", 50 + random.below(5_000))),
        1 => Change::DropCache(CacheId(0)),
        2 => {
            let errors = Ppm(random.below(300_000) as u32);
            let until = Instant::from_ns(now + 1_200 * S);
            Change::Fault(DiskId(n), Fault { latency: Ppm(5_000_000), errors, stalled_until: soon, until })
        }
        3 => Change::Fault(DiskId(n), Fault::NONE),
        4 => Change::Host(BadHost { latency: Ppm(3_000_000), until: soon }),
        _ => {
            let modes =
                [None, Some(CacheMode::ReadOnly), Some(CacheMode::ReadWrite), Some(CacheMode::ReadWrite)];
            let mode = modes[random.below(4) as usize];
            Change::Disk(DiskId(n), disk(&format!("d{n}"), SIZE, 1 + n, mode))
        }
    }
}

#[test]
fn after_a_day_of_random_requests_and_changes_no_byte_differs() {
    let mut random = Random(4);
    let pool = Pool::new(Bytes::mib(128)).expect("so much");
    let mut player = Player::new(emulator(&blueprint(SIZE, 500), 4, &pool));
    let blueprint = player.emulator.blueprint().clone();
    let exports = player.emulator.exports().to_vec();
    let disks = blueprint.disks.iter().map(|disk| vec![0; (disk.size.get() / SECTOR) as usize]).collect();
    let mut kept = Reference { blueprint, disks, compared: 0, failed: 0, holes: 0 };
    let (mut submitted, mut unsettled) = (0u64, 0);
    while player.now < DAY {
        // Most come in bursts, so that they meet; between them the flushers get to rest, or don't.
        let gap = if random.below(8) == 0 { random.below(40 * S) } else { random.below(S / 100) };
        player.go_to(player.now + gap, |completed, data| kept.compare(completed, data));
        if random.below(100) == 0 {
            let change = change(&mut random, player.now);
            player.emulator.change(Instant::from_ns(player.now), change).expect("it can be");
        }
        if random.below(50) == 0 {
            kept.compare_allocation(&mut player, ExportId(random.below(exports.len() as u64) as u16));
        }
        let export = ExportId(random.below(exports.len() as u64) as u16);
        let size = exports[usize::from(export.0)].size.get() / SECTOR;
        let len = if random.below(10) == 0 { 1 + random.below(1_024) } else { 1 + random.below(16) };
        // Half of them near each other.
        let places = if random.below(2) == 0 { 256 } else { size - len };
        let offset = random.below(places);
        let (offset, len) = (offset * SECTOR, (len * SECTOR) as u32);
        let (fua, version) = (random.below(10) == 0, submitted + 1);
        let zero = Action::Zero { fua, allocate: random.below(2) == 0 };
        let (action, data) = match random.below(20) {
            0..9 => (Action::Write { fua }, versions(version, len)),
            9..16 => (Action::Read, Vec::new()),
            16 => (Action::Trim, Vec::new()),
            17 => (zero, Vec::new()),
            _ => (Action::Flush, Vec::new()),
        };
        let (offset, len) = if action == Action::Flush { (0, 0) } else { (offset, len) };
        if player.submit(export, action, offset, len, &data).is_none() {
            continue;
        }
        submitted += 1;
        match action {
            Action::Write { .. } => kept.keep(export, offset, len, version),
            Action::Trim | Action::Zero { .. } => kept.keep(export, offset, len, 0),
            Action::Read | Action::Flush => {}
        }
        let of = (0..6).map(|n| player.emulator.unsettled(DiskId(n)).get());
        unsettled += u64::from(of.sum::<u64>() > 0);
    }
    // All of it, when all is settled; and then there is nothing that a crash could take.
    player.go_to(DAY + 3600 * S, |completed, data| kept.compare(completed, data));
    player.emulator.settle().expect("there is room");
    player.crash(|completed, _| panic!("{completed:?} is still outstanding"));
    for n in 0..6 {
        player
            .emulator
            .change(Instant::from_ns(player.now), Change::Fault(DiskId(n), Fault::NONE))
            .expect("it can be");
        let export = player.emulator.export(&format!("d{n}")).expect("it is there");
        player.submit(export, Action::Read, 0, SIZE.get() as u32, &[]).expect("there is room");
    }
    let before = kept.compared;
    player.go_to(player.now + 3600 * S, |completed, data| kept.compare(completed, data));
    assert_eq!(kept.compared - before, 6 * SIZE.get());
    // That the cases that matter occur.
    let (failed, compared) = (kept.failed, kept.compared);
    assert!(submitted > 20_000 && failed > 50 && compared > 200 << 20, "{submitted}, {failed}, {compared}");
    assert!(kept.holes > 1_000, "{} runs without data", kept.holes);
    assert!(unsettled > submitted / 20 && unsettled < submitted, "{unsettled} of {submitted}");
}

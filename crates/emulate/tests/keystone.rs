//! The server on a virtual clock with connections in memory is the simulator, byte for byte: what a client of the emulator
//! feels is what `predict` and `lab` say, but for what the machine's own time adds.
#![cfg(target_os = "linux")]

#[path = "keystone/over_nbd.rs"]
mod over_nbd;
#[path = "keystone/scenes.rs"]
mod scenes;

use iobound_drive::{End, Engine, Flow, Modelled, VirtualClock, Window, Worker, layout_of, run};
use iobound_emulate::store::Pool;
use iobound_emulate::{Emulator, with_single_disks};
use iobound_measure::Recorder;
use iobound_measure::result::{RunResult, Source};
use iobound_model::{Blueprint, Stack, Start, StartCredits, VolumeSpec};
use iobound_units::{Bytes, Instant, Op, Span, TargetId};
use iobound_workload::{Target, Workload};

use over_nbd::{Grouped, OverNbd, Wiring};
use scenes::{Scene, scenes};

/// Every volume and every single disk.
fn targets(blueprint: &Blueprint) -> Vec<Target> {
    let target = |(n, volume): (usize, &VolumeSpec)| Target {
        name: volume.name.clone(),
        id: TargetId(n as u16),
        size: volume.size,
        members_of: None,
    };
    blueprint.volumes.iter().enumerate().map(target).collect()
}

fn drive<E: Engine>(workload: &Workload, targets: &[Target], engine: impl FnOnce(usize) -> E) -> End {
    let window = Window::of(workload, Instant::ZERO);
    let mut worker = Worker::new(workload, targets, window).expect("the workload fits");
    let queues: Vec<_> = worker.queues().cloned().collect();
    let recorder = Recorder::new(layout_of(workload, &queues, targets, window, Span::from_ms(50)));
    let mut engine = engine(worker.capacity());
    run(&mut worker, &mut engine, recorder, &mut |_| Flow::Continue).expect("no engine fails here")
}

fn emulator(blueprint: &Blueprint, start: &Start, capacity: usize) -> Emulator {
    let disks = blueprint.disks.len();
    let backings = Pool::new(Bytes::gib(1)).expect("memory").disks(disks);
    Emulator::new(blueprint, start, capacity, backings).expect("a valid blueprint")
}

const START: Start = Start { seed: 11, credits: StartCredits::Spent };

fn simulated(scene: &Scene, wiring: Wiring) -> End {
    let blueprint = with_single_disks(&scene.blueprint);
    drive(&scene.workload, &targets(&blueprint), |capacity| {
        let stack = Stack::new(&blueprint, &START, capacity).expect("a valid blueprint");
        Grouped::new(Modelled::new(stack, VirtualClock::default()), wiring.connections)
    })
}

fn emulated(scene: &Scene, wiring: Wiring) -> End {
    let blueprint = with_single_disks(&scene.blueprint);
    let targets = targets(&blueprint);
    drive(&scene.workload, &targets, |capacity| {
        // Where places are scarce, connections share them; here each can have as many as the run has.
        let places = capacity * targets.len() * wiring.connections;
        let emulator = emulator(&scene.blueprint, &START, places);
        OverNbd::new(emulator, &targets, wiring)
    })
}

fn document(end: &End) -> String {
    let result = RunResult::from_measured(&end.measured, Source::Simulated);
    serde_json::to_string(&result).expect("a result is JSON")
}

fn same(wiring: Wiring) {
    for scene in scenes() {
        let (simulated, emulated) = (simulated(&scene, wiring), emulated(&scene, wiring));
        let ios: u64 = simulated
            .measured
            .jobs
            .iter()
            .map(|job| job.op(Op::Read).count() + job.op(Op::Write).count())
            .sum();
        assert!(ios >= scene.least_ios, "{}: only {ios} I/Os", scene.name);
        // Every count, every bin of every histogram, every interval.
        assert!(simulated.measured == emulated.measured, "{}: the measurements differ", scene.name);
        assert_eq!(document(&simulated), document(&emulated), "{}", scene.name);
        assert_eq!((simulated.at, simulated.reason), (emulated.at, emulated.reason), "{}", scene.name);
    }
}

#[test]
fn over_one_connection_the_emulator_is_the_simulator() {
    same(Wiring { connections: 1, structured: true, most: 64 << 20 });
}

#[test]
fn so_it_is_over_several_connections_with_simple_replies() {
    same(Wiring { connections: 3, structured: false, most: 64 << 20 });
}

#[test]
fn so_it_is_where_the_connection_takes_less_than_a_message_at_a_time() {
    same(Wiring { connections: 1, structured: false, most: 3_000 });
}

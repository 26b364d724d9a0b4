//! The model in virtual time as a disk to probe.

use iobound_drive::{
    Done, Engine, EngineError, Flow, Modelled, VirtualClock, Window, Worker, layout_of, run,
};
use iobound_measure::Recorder;
use iobound_model::{BadHost, Blueprint, Change, Invalid, Stack, Start, StartCredits};
use iobound_units::{Instant, Io, Ppm, Problem, Span, Tag, TargetId};
use iobound_workload::{Random, Target, Workload};

use crate::step::{Completed, Disk, Recording};

/// The most I/Os that an experiment has outstanding.
const CAPACITY: usize = 4_096;

/// Other tenants of the machine: times in which every latency is a multiple of the usual.
#[derive(Clone, Debug)]
struct Neighbour {
    random: Random,
    next: Instant,
}

/// A stack in virtual time, whose I/Os are recorded.
struct Tapped {
    engine: Modelled<VirtualClock>,
    now: Instant,
    issued: Vec<(Instant, Io)>,
    outstanding: usize,
    ios: Vec<Completed>,
    neighbour: Option<Neighbour>,
}

impl Tapped {
    fn disturb(&mut self) {
        let Some(neighbour) = &mut self.neighbour else { return };
        while self.now >= neighbour.next {
            // A disturbance of 20 to 300 ms, each 0.1 to 2 s, with two to five times the latency.
            let length = Span::from_ms(20 + neighbour.random.below(280));
            let latency = Ppm((2_000_000 + neighbour.random.below(3_000_000)) as u32);
            let host = BadHost { latency, until: self.now + length };
            neighbour.next = self.now + length + Span::from_ms(100 + neighbour.random.below(1_900));
            self.engine.stack().change(self.now, Change::Host(host)).expect("a latency is a valid change");
        }
    }
}

impl Engine for Tapped {
    fn now(&mut self) -> Instant {
        self.now = self.engine.now();
        self.disturb();
        self.now
    }

    fn submit(&mut self, tag: Tag, io: Io) {
        self.issued[tag.0 as usize] = (self.now, io);
        self.outstanding += 1;
        self.engine.submit(tag, io);
    }

    fn wait(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<(), EngineError> {
        let before = done.len();
        self.engine.wait(until, done)?;
        for Done { tag, at, .. } in &done[before..] {
            let (issued, io) = self.issued[tag.0 as usize];
            self.outstanding -= 1;
            self.ios.push(Completed {
                issued,
                end: *at,
                op: io.op,
                len: io.len,
                target: io.target.0,
                offset: io.offset,
            });
        }
        Ok(())
    }
}

/// A blueprint in virtual time. Its volumes are the targets.
pub struct ModelDisk {
    tapped: Tapped,
    targets: Vec<Target>,
    stop_at: Option<Instant>,
}

impl ModelDisk {
    /// A stack as after an idle day, whose draws have this seed.
    ///
    /// # Errors
    /// Returns an error if the blueprint contradicts itself.
    pub fn new(blueprint: &Blueprint, seed: u64) -> Result<ModelDisk, Invalid> {
        let start = Start { seed, credits: StartCredits::Full };
        let stack = Stack::new(blueprint, &start, CAPACITY)?;
        let target = |(at, volume): (usize, &iobound_model::VolumeSpec)| Target {
            name: volume.name.clone(),
            id: TargetId(at as u16),
            size: volume.size,
            members_of: None,
        };
        Ok(ModelDisk {
            tapped: Tapped {
                engine: Modelled::new(stack, VirtualClock::default()),
                now: Instant::ZERO,
                issued: vec![(Instant::ZERO, Io::flush(TargetId(0))); CAPACITY],
                outstanding: 0,
                ios: Vec::new(),
                neighbour: None,
            },
            targets: blueprint.volumes.iter().enumerate().map(target).collect(),
            stop_at: None,
        })
    }

    /// Adds another tenant of the machine, who slows every I/O down now and then.
    pub fn with_neighbour(mut self, seed: u64) -> ModelDisk {
        self.tapped.neighbour = Some(Neighbour { random: Random::keyed(&[seed]), next: Instant::ZERO });
        self
    }

    /// Changes the stack before the first experiment.
    ///
    /// # Errors
    /// Returns an error if the stack does not allow the change.
    pub fn changed(mut self, change: Change) -> Result<ModelDisk, Invalid> {
        self.tapped.engine.stack().change(Instant::ZERO, change)?;
        Ok(self)
    }

    /// Interrupts the probe at this time, as a user does.
    pub fn stopped_at(mut self, at: Instant) -> ModelDisk {
        self.stop_at = Some(at);
        self
    }
}

impl Disk for ModelDisk {
    fn targets(&self) -> &[Target] {
        &self.targets
    }

    fn now(&mut self) -> Instant {
        Engine::now(&mut self.tapped)
    }

    fn rest(&mut self, time: Span) {
        let until = self.now() + time;
        let mut done = Vec::new();
        while Engine::now(&mut self.tapped) < until {
            self.tapped.wait(until, &mut done).expect("the model does not fail");
        }
    }

    fn run(&mut self, workload: &Workload) -> Result<Recording, Problem> {
        let began = self.now();
        let window = Window::of(workload, began);
        let mut worker = Worker::new(workload, &self.targets, window).map_err(Problem::new)?;
        if worker.capacity() > CAPACITY {
            return Err(Problem::new(format!("{} outstanding I/Os: at most {CAPACITY}", worker.capacity())));
        }
        let queues: Vec<_> = worker.queues().cloned().collect();
        let layout = layout_of(workload, &queues, &self.targets, window, Span::from_secs(1));
        self.tapped.ios.clear();
        let end = run(&mut worker, &mut self.tapped, Recorder::new(layout), &mut |_| Flow::Continue)
            .map_err(|error| Problem::new(error.why))?;
        let ios = std::mem::take(&mut self.tapped.ios);
        let mut done = Vec::new();
        while self.tapped.outstanding > 0 {
            let until = Engine::now(&mut self.tapped) + Span::from_secs(1);
            self.tapped.wait(until, &mut done).map_err(|error| Problem::new(error.why))?;
        }
        Ok(Recording { began, ended: end.at, ios, starved: None })
    }

    fn is_stopped(&self) -> bool {
        self.stop_at.is_some_and(|at| self.tapped.now >= at)
    }
}

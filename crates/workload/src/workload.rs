//! The workload as data: a list of jobs, each one access pattern with its mix, depth or rate, threads and
//! targets. DiskSpd, fio and Iometer files become this, and so do the native flags and TOML.

use iobound_units::{Bytes, Op, Percent, Ppm, Rate, Span};

use crate::{CapOf, DEFAULT_BLOCK, RangeSync, ReadBack, Repeated, Written};

/// I/Os to issue, and their duration.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// The jobs; all run at once unless their [`Job::stage`] differs.
    pub jobs: Vec<Job>,
    /// Time that figures are counted, after the warm-up. A stage of jobs each.
    pub duration: Span,
    /// Time that I/O runs before figures are counted.
    pub warmup: Span,
    /// Time that I/O goes on after figures are counted.
    pub cooldown: Span,
    /// Draws every random choice.
    pub seed: u64,
}

/// One access pattern with its mix, depth or rate, threads and targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its name in the result.
    pub name: String,
    /// Its targets.
    pub targets: Targets,
    /// Number of threads.
    pub threads: u32,
    /// Assignment of threads to targets, which defines `depth`.
    pub spread: Spread,
    /// Closed or open loop.
    pub load: Load,
    /// Mix of I/Os: shares of operation and block size. Never empty.
    pub mix: Vec<Share>,
    /// Pattern of their offsets.
    pub access: Access,
    /// The part of each target that is used.
    pub region: Region,
    /// Operations that the cap of a closed loop holds. `None`: all of them together.
    pub cap_of: Option<CapOf>,
    /// Keeps its share of the I/Os of several jobs.
    pub flow: Option<Flow>,
    /// Pauses between bursts of I/O.
    pub think: Option<Think>,
    /// A flush after this many writes of a thread (fio's `fsync=N`).
    pub flush_every: Option<u64>,
    /// The flushes after writes are `sync_file_range(2)` with these steps, on what was written since the last one. `None`: they
    /// empty the device's cache.
    pub flush_range: Option<RangeSync>,
    /// Blocks that it wrote are read back while it goes on (fio's `verify_backlog`).
    pub read_back_after: Option<ReadBack>,
    /// Each thread flushes what it wrote when it has ended (fio's `end_fsync`; real targets only).
    pub flush_at_end: bool,
    /// Writes are durable when they complete (write-through, FUA).
    pub durable: bool,
    /// The operating system's page cache is used (real targets only).
    pub buffered: bool,
    /// Jobs of one stage run together, stages one after the other (fio's `stonewall`).
    pub stage: u16,
    /// Time that after its stage's start the job begins.
    pub start_after: Span,
    /// A bound on the job's own time, where it is shorter than the workload's.
    pub runtime: Option<Span>,
    /// A bound on its bytes moved, per thread (fio's `size` without `time_based`).
    pub stop_after: Option<Bytes>,
    /// Its targets together are so many times the memory of the machine that runs it, and each is gone through once: for
    /// who knows that machine to settle ([`Workload::settle_memory`]). Elsewhere it says nothing.
    pub times_memory: Option<u32>,
    /// Content of written blocks.
    pub content: Content,
    /// The job reads back what an earlier run of the same job wrote: the same places in the same order, with each of its
    /// queues what was not read back before. Its other I/Os are left out. `None`: it runs as described.
    pub reads_back: Option<Vec<Written>>,
}

/// Targets of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Targets {
    /// Every volume of the configuration, every target of the run.
    All,
    /// These, by name. A name with members (`data` of `data.0`, `data.1`) means I/Os dealt round-robin over them.
    Named(Vec<String>),
}

/// Assignment of threads to targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// `threads` threads for each target, each with `depth` outstanding on it (DiskSpd's `-t -o`).
    PerTarget,
    /// `threads` threads in all, each with `depth` outstanding on every target (DiskSpd's `-F -o`, Iometer).
    Every,
    /// `threads` threads in all, each with `depth` outstanding dealt round-robin over the targets (fio,
    /// DiskSpd's `-F -O`).
    Dealt,
}

/// Rule by which the next I/O is issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// As soon as one completes: `depth` are always outstanding.
    Closed {
        /// Outstanding I/Os, counted as [`Spread`] says.
        depth: u32,
        /// No more than this, per thread and target (DiskSpd's `-g`, fio's `rate`): a cap, not a schedule.
        cap: Option<Rate>,
    },
    /// At times of its own, whatever completes; latency counts from the intended time.
    Open {
        /// The rate of the whole job, shared equally by its threads.
        rate: Rate,
        /// Spacing of the arrival times.
        arrivals: Arrivals,
        /// The most outstanding I/Os, counted as [`Spread`] says; arrivals beyond it wait, counted.
        depth: u32,
    },
}

/// Spacing of the intended times of an open loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Evenly.
    Fixed,
    /// Exponential gaps: a Poisson process.
    Poisson,
}

/// One kind of I/O in a mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Weight, relative to the other shares.
    pub weight: u32,
    /// The operation.
    pub op: Op,
    /// Its size in bytes; never zero for reads and writes.
    pub block: u32,
    /// The share of these that are random, where it differs from the job's ([`Access::random`]).
    pub random: Option<Percent>,
    /// The offsets of these are multiples of this; `None`: of their block size.
    pub align: Option<Bytes>,
}

/// Pattern of the offsets.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// The share of I/Os that jump; the others follow on from the last one.
    pub random: Percent,
    /// Distribution of the random offsets.
    pub distribution: Distribution,
    /// Random I/Os touch every block once before any twice (fio's default).
    pub once_each: bool,
    /// The step from one sequential I/O to the next; `None`: the block size.
    pub stride: Option<Bytes>,
    /// One sequential stream for all threads of the job on a target (DiskSpd's `-si`).
    pub shared: bool,
    /// Distance between the starts of the threads' sequential streams (DiskSpd's `-T`), or of the threads' own parts of the region
    /// where `thread_size` is set.
    pub thread_stride: Option<Bytes>,
    /// Each thread uses only this much of the region, from its own start, and less where the region ends (fio's
    /// `offset_increment`, and clones with files of their own). `None`: each thread uses the whole region.
    pub thread_size: Option<Bytes>,
    /// Sequential I/Os go backward by [`Access::stride`]; the first begins this far before the region's end (fio's
    /// `rw=read:-8k`).
    pub backward: Option<Bytes>,
    /// I/Os stay in one zone of the region at a time (fio's `zonemode=strided`).
    pub strided: Option<StridedZones>,
    /// Each write follows a discard of the same block (fio's `rw=trimwrite`). The discards of the mix say how large the
    /// blocks are.
    pub trim_first: bool,
}

/// Zones of equal size that a queue visits one after the other, then from the first again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StridedZones {
    /// The size of a zone.
    pub range: Bytes,
    /// Bytes of I/O in a zone before the next: less than a zone leaves the rest of it out, more goes over it again.
    pub size: Bytes,
    /// The distance from the end of a zone to the next.
    pub skip: Bytes,
}

/// Distribution of a random offset.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// Anywhere, alike.
    Uniform,
    /// Zipf's law with this exponent (millionths), over blocks scattered by a permutation.
    Zipf {
        /// theta × 10^6.
        theta: Ppm,
    },
    /// Pareto's with this power (millionths), scattered likewise (fio's `pareto`).
    Pareto {
        /// h × 10^6.
        power: Ppm,
    },
    /// A normal around the middle with this deviation as a share of the range (fio's `normal`).
    Normal {
        /// Deviation ÷ range, in millionths.
        deviation: Ppm,
    },
    /// Zones in order from the start of the region, each with its share of the I/Os.
    Zones(Vec<HotZone>),
}

/// A zone of [`Distribution::Zones`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HotZone {
    /// The share of the I/Os that land here.
    pub ios: Percent,
    /// The size of the zone.
    pub range: ZoneRange,
}

/// The size of a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZoneRange {
    /// A share of the region.
    Share(Percent),
    /// A size.
    Bytes(Bytes),
    /// All that is left.
    Rest,
}

/// The part of each target that a job uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Region {
    /// Start of the region.
    pub offset: Bytes,
    /// Time that it is; `None`: to the end of the target.
    pub size: Option<Bytes>,
}

/// Pauses: after `burst` I/Os, wait for `time` (per thread and target).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Think {
    /// I/Os between two pauses; at least one.
    pub burst: u64,
    /// Time that the pause is.
    pub time: Span,
    /// True if the pause begins when the burst's last I/O completes (fio) or is issued (DiskSpd, Iometer).
    pub after_completion: bool,
}

/// A share of the I/Os of a group of jobs that run beside each other (fio's `flow`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Group of the job. The jobs of one group keep the ratio of their weights.
    pub group: u32,
    /// The weight of each thread of the job; not zero.
    pub weight: u32,
    /// Time that a thread that is ahead of its share waits before it looks again; not zero.
    pub pause: Span,
}

/// Content of written blocks (real targets only).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Content {
    /// Data that neither compresses nor repeats.
    #[default]
    Incompressible,
    /// Zeros.
    Zeros,
    /// Bytes 0 to 255, again and again (DiskSpd's default).
    Counting,
    /// These bytes, again and again.
    Repeated(Repeated),
    /// Random data of which this share compresses away.
    Compressible(Percent),
}

/// Request of a foreign workload and this one does not carry, or carries otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The switch, option or field as it was written.
    pub about: String,
    /// The outcome of it, in a sentence.
    pub says: String,
}

impl Workload {
    /// Jobs that run together for `duration`, without warm-up.
    pub fn new(jobs: Vec<Job>, duration: Span) -> Workload {
        Workload { jobs, duration, warmup: Span::ZERO, cooldown: Span::ZERO, seed: 0 }
    }
}

impl Workload {
    /// The stages in order, each a workload of its own: jobs that run together.
    pub fn stages(&self) -> Vec<Workload> {
        let mut numbers: Vec<u16> = self.jobs.iter().map(|job| job.stage).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let stage = |number| {
            let mut stage = self.clone();
            stage.jobs.retain(|job| job.stage == number);
            stage.jobs.iter_mut().for_each(|job| job.stage = 0);
            stage
        };
        numbers.into_iter().map(stage).collect()
    }
}

impl Workload {
    /// Sizes the jobs that ask for so many times the memory of a machine, shared by so many targets: each target gets a
    /// whole number of blocks, at least one, unless the job's region has a size already, and is gone through once.
    pub fn settle_memory(&mut self, memory: Bytes, targets: u64) {
        for job in &mut self.jobs {
            let Some(times) = job.times_memory else { continue };
            let block = job.mix.iter().map(|share| u64::from(share.block)).max().unwrap_or(0).max(1);
            let share = memory.get().saturating_mul(u64::from(times)) / targets.max(1);
            let size = *job.region.size.get_or_insert(Bytes((share / block).max(1) * block));
            job.stop_after.get_or_insert(size);
        }
    }
}

impl Job {
    /// The job that reads back what each queue of this one wrote.
    pub fn read_back(&self, written: Vec<Written>) -> Job {
        let (Load::Closed { depth, .. } | Load::Open { depth, .. }) = self.load;
        Job {
            load: Load::Closed { depth, cap: None },
            cap_of: None,
            flow: None,
            think: None,
            flush_every: None,
            flush_range: None,
            read_back_after: None,
            flush_at_end: false,
            start_after: Span::ZERO,
            runtime: None,
            reads_back: Some(written),
            ..self.clone()
        }
    }

    /// A job of random reads of [`DEFAULT_BLOCK`] at depth 1 on every target.
    pub fn new(name: &str) -> Job {
        Job {
            name: name.to_string(),
            targets: Targets::All,
            threads: 1,
            spread: Spread::PerTarget,
            load: Load::Closed { depth: 1, cap: None },
            mix: vec![Share { weight: 1, op: Op::Read, block: DEFAULT_BLOCK, random: None, align: None }],
            access: Access::random(),
            region: Region::default(),
            cap_of: None,
            flow: None,
            think: None,
            flush_every: None,
            flush_range: None,
            read_back_after: None,
            flush_at_end: false,
            durable: false,
            buffered: false,
            stage: 0,
            start_after: Span::ZERO,
            runtime: None,
            stop_after: None,
            times_memory: None,
            content: Content::default(),
            reads_back: None,
        }
    }

    /// Sets the mix to reads and writes of one block size. An alignment that all I/Os had stays.
    pub fn set_mix(&mut self, block: u32, read: Percent) {
        let align = self.common_align();
        self.mix = [(Op::Read, read), (Op::Write, read.complement())]
            .into_iter()
            .filter(|(_, share)| share.ppm() > 0)
            .map(|(op, share)| Share { weight: share.ppm(), op, block, random: None, align })
            .collect();
    }

    /// Aligns all its I/Os to multiples of this; `None`: each to its block size.
    pub fn set_align(&mut self, align: Option<Bytes>) {
        self.mix.iter_mut().filter(|share| share.op != Op::Flush).for_each(|share| share.align = align);
    }

    /// The alignment of all its I/Os; `None` where they differ, or where each has its block size.
    pub fn common_align(&self) -> Option<Bytes> {
        let mut aligns = self.mix.iter().filter(|share| share.op != Op::Flush).map(|share| share.align);
        let first = aligns.next()??;
        aligns.all(|align| align == Some(first)).then_some(first)
    }

    /// True if any of its I/Os may be random.
    pub fn any_random(&self) -> bool {
        self.any(|random| random > Percent::ZERO)
    }

    /// True if any of its I/Os may be sequential.
    pub fn any_sequential(&self) -> bool {
        self.any(|random| random < Percent::HUNDRED)
    }

    /// True if any of its I/Os write.
    pub fn writes(&self) -> bool {
        self.mix.iter().any(|share| share.op == Op::Write && share.weight > 0)
    }

    fn any(&self, holds: impl Fn(Percent) -> bool) -> bool {
        let issued = self.mix.iter().filter(|share| share.weight > 0);
        issued.into_iter().any(|share| holds(share.random.unwrap_or(self.access.random)))
    }

    /// The share of the I/Os that read, by count.
    pub fn read_fraction(&self) -> f64 {
        let total: f64 = self.mix.iter().map(|s| f64::from(s.weight)).sum();
        let reads: f64 = self.mix.iter().filter(|s| s.op == Op::Read).map(|s| f64::from(s.weight)).sum();
        reads / total
    }

    /// The mean size of an I/O in bytes.
    pub fn mean_block(&self) -> f64 {
        let total: f64 = self.mix.iter().map(|s| f64::from(s.weight)).sum();
        self.mix.iter().map(|s| f64::from(s.weight) * f64::from(s.block)).sum::<f64>() / total
    }
}

impl Access {
    /// Uniformly random.
    pub fn random() -> Access {
        Access {
            random: Percent::HUNDRED,
            distribution: Distribution::Uniform,
            once_each: false,
            stride: None,
            shared: false,
            thread_stride: None,
            backward: None,
            strided: None,
            trim_first: false,
            thread_size: None,
        }
    }

    /// One stream a thread, from the region's start.
    pub fn sequential() -> Access {
        Access { random: Percent::ZERO, ..Access::random() }
    }
}

//! A configuration and a workload in a few words.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part")]

use iobound_catalog::{Catalog, Configuration, Enforcement, MediaOverride, Resolved, parse_spec, resolve};
use iobound_drive::Flow;
use iobound_predict::{Age, CacheState, Counted, Prediction, Question, predict};
use iobound_units::{Bytes, Percent, Span, parse_rate};
use iobound_workload::{Access, Arrivals, Job, Load, Spread, Targets, Workload};

pub struct Case {
    pub configuration: Configuration,
    pub jobs: Vec<Job>,
    pub cache: CacheState,
    pub age: Age,
    pub seconds: u64,
    pub seed: u64,
}

impl Case {
    pub fn new(vm: &str, disks: &[&str]) -> Case {
        let mut configuration = Configuration::of(vm);
        configuration.volumes = disks.iter().map(|disk| parse_spec(disk).expect("a disk")).collect();
        Case {
            configuration,
            jobs: Vec::new(),
            cache: CacheState::Warm,
            age: Age::Sustained,
            seconds: 60,
            seed: 1,
        }
    }

    pub fn era(mut self, era: &str) -> Case {
        self.configuration.era = Some(era.to_string());
        self
    }

    pub fn published(mut self) -> Case {
        self.configuration.enforcement = Enforcement::Published;
        self
    }

    pub fn seed(mut self, seed: u64) -> Case {
        self.seed = seed;
        self
    }

    pub fn separate(mut self) -> Case {
        self.configuration.separate = true;
        self
    }

    pub fn os(mut self, disk: &str) -> Case {
        self.configuration.os_disk = Some(parse_spec(disk).expect("a disk"));
        self
    }

    pub fn media(mut self, read: Span, write: Span) -> Case {
        self.configuration.media = MediaOverride { read: Some(read), write: Some(write) };
        self
    }

    pub fn cache(mut self, cache: CacheState) -> Case {
        self.cache = cache;
        self
    }

    pub fn age(mut self, age: Age) -> Case {
        self.age = age;
        self
    }

    /// Random reads of a block with so many outstanding, in a closed loop.
    pub fn reads(self, block: u64, outstanding: u32) -> Case {
        self.job(block, 100, outstanding, |_| {})
    }

    pub fn writes(self, block: u64, outstanding: u32) -> Case {
        self.job(block, 0, outstanding, |_| {})
    }

    pub fn job(mut self, block: u64, read: u32, outstanding: u32, change: impl FnOnce(&mut Job)) -> Case {
        let mut job = Job::new(&format!("job{}", self.jobs.len()));
        job.set_mix(block as u32, Percent::whole(read).expect("a percentage"));
        job.load = Load::Closed { depth: outstanding, cap: None };
        job.spread = Spread::Dealt;
        change(&mut job);
        self.jobs.push(job);
        self
    }

    /// Random reads at a rate, in an open loop.
    pub fn asked(self, rate: &str, block: u64, read: u32, target: &str) -> Case {
        let rate = parse_rate(rate).expect("a rate");
        let target = target.to_string();
        self.job(block, read, 1, |job| {
            job.load = Load::Open { rate, arrivals: Arrivals::Fixed, depth: 1_024 };
            job.targets = Targets::Named(vec![target]);
        })
    }

    pub fn resolved(&self) -> Resolved {
        resolve(&self.configuration, &Catalog::shipped()).expect("a configuration that can be bought")
    }

    pub fn workload(&self) -> Workload {
        let mut workload = Workload::new(self.jobs.clone(), Span::from_secs(self.seconds));
        workload.warmup = Span::from_secs(5);
        workload.seed = self.seed;
        workload
    }

    pub fn predict(&self) -> Prediction {
        let (resolved, workload) = (self.resolved(), self.workload());
        let question = Question {
            resolved: &resolved,
            workload: &workload,
            cache: self.cache,
            age: self.age,
            counted: Counted::Lasting,
        };
        predict(&question, &mut |_| Flow::Continue).expect("a prediction")
    }
}

/// DiskSpd's `-si -c50000M`.
pub fn shared_sequential(job: &mut Job) {
    job.access = Access { shared: true, ..Access::sequential() };
    job.region.size = Some(Bytes::mib(50_000));
}

pub fn binding(prediction: &Prediction) -> String {
    prediction.binding[0].to_string()
}

/// Within a share of the oracle's figure.
pub fn near(figure: f64, oracle: f64, share: f64) -> bool {
    (figure - oracle).abs() <= oracle * share
}

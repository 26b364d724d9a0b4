//! Compared results: configurations, and one workload on each.

use iobound_catalog::{Catalog, Configuration, Resolved, parse_spec, resolve};
use iobound_units::{Bytes, Percent, Span};
use iobound_workload::{Job, Load, Workload};

/// Enforcement of the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    /// As the catalogue has it of Azure's premium disks.
    Slice,
    /// The same limits as token buckets.
    Bucket,
}

/// Content of host caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// All that the workload reads.
    All,
    /// Nothing.
    Nothing,
}

/// One run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) vm: &'static str,
    pub(crate) disk: &'static str,
    pub(crate) algorithm: Algorithm,
    pub(crate) held: Held,
    pub(crate) block: u32,
    pub(crate) read: u32,
    pub(crate) depth: u32,
}

/// A catalogue file that makes every limiter of these VMs and disks a bucket.
pub(crate) const BUCKETS: &str = r#"
[[rule]]
scope = "premium"
parameter = "algorithm"
value = "bucket"
source = "a comparison of algorithms"
[[rule]]
scope = "premium"
parameter = "algorithm_ms"
value = 1000
source = "a comparison of algorithms"
[[rule]]
scope = "azure-vm"
parameter = "algorithm"
value = "bucket"
source = "a comparison of algorithms"
[[rule]]
scope = "azure-vm"
parameter = "algorithm_ms"
value = 1000
source = "a comparison of algorithms"
"#;

/// The seed of every draw.
pub(crate) const SEED: u64 = 7;
/// The part of the volume that is used: small enough for a cache to hold, and for memory where it is written.
const REGION: Bytes = Bytes::gib(4);
/// Start of the run that is not compared.
pub(crate) const WARMUP: Span = Span::from_secs(2);

impl Case {
    const fn uncached(name: &'static str, disk: &'static str, depth: u32) -> Case {
        let (algorithm, held) = (Algorithm::Slice, Held::Nothing);
        Case { name, vm: "DS14", disk, algorithm, held, block: 4096, read: 100, depth }
    }

    const fn bucket(self) -> Case {
        Case { algorithm: Algorithm::Bucket, ..self }
    }

    const fn hits(self) -> Case {
        Case { held: Held::All, ..self }
    }

    const fn reads(self, read: u32) -> Case {
        Case { read, ..self }
    }

    const fn block(self, block: u32) -> Case {
        Case { block, ..self }
    }

    /// True if a host cache is before its disks.
    pub(crate) fn is_cached(&self) -> bool {
        self.disk.contains(':')
    }

    /// Configuration on sale, with its blueprint.
    pub(crate) fn resolved(&self) -> Resolved {
        let mut configuration = Configuration::of(self.vm);
        configuration.volumes = vec![parse_spec(self.disk).expect("a disk")];
        let mut catalog = Catalog::shipped();
        if self.algorithm == Algorithm::Bucket {
            catalog = catalog.with_user("buckets.toml", BUCKETS).expect("rules");
        }
        resolve(&configuration, &catalog).expect("a configuration that can be bought")
    }

    /// Random I/Os in a closed loop.
    pub(crate) fn workload(&self, counted: Span) -> Workload {
        let mut job = Job::new("fidelity");
        job.set_mix(self.block, Percent::whole(self.read).expect("a percentage"));
        job.load = Load::Closed { depth: self.depth, cap: None };
        job.region.size = Some(REGION);
        let mut workload = Workload::new(vec![job], counted);
        (workload.warmup, workload.seed) = (WARMUP, SEED);
        workload
    }
}

/// Slice and bucket limiters, cached and uncached, 1 to 11 disks, 1 to 256 outstanding.
pub(crate) const CASES: [Case; 24] = [
    Case::uncached("P30-1", "P30", 1),
    Case::uncached("P30-4", "P30", 4),
    Case::uncached("P30-32", "P30", 32),
    Case::uncached("P30-256", "P30", 256),
    Case::uncached("P30-bucket-1", "P30", 1).bucket(),
    Case::uncached("P30-bucket-32", "P30", 32).bucket(),
    Case::uncached("P30-bucket-256", "P30", 256).bucket(),
    Case::uncached("P30-256KiB-16", "P30", 16).block(256 << 10),
    Case::uncached("P30-write-1", "P30", 1).reads(0),
    Case::uncached("P30-write-64", "P30", 64).reads(0),
    Case::uncached("P30-mixed-bucket-64", "P30", 64).reads(70).bucket(),
    Case::uncached("4xP30-8", "4xP30", 8),
    Case::uncached("4xP30-256", "4xP30", 256),
    Case::uncached("4xP30-bucket-256", "4xP30", 256).bucket(),
    Case::uncached("11xP30-16", "11xP30", 16),
    Case::uncached("11xP30-256", "11xP30", 256),
    Case::uncached("11xP30-bucket-256", "11xP30", 256).bucket(),
    Case::uncached("misses-8", "P30:readonly", 8),
    Case::uncached("misses-64", "P30:readonly", 64),
    Case::uncached("readwrite-1", "P10:readwrite", 1).reads(50).hits(),
    Case::uncached("hits-1", "P10:readonly", 1).hits(),
    Case::uncached("hits-2", "P10:readonly", 2).hits(),
    Case::uncached("hits-64", "P10:readonly", 64).hits(),
    Case::uncached("11-hits-1", "11xP4:readonly", 1).hits(),
];

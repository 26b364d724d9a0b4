//! The answer of `predict`.

pub(crate) mod band;
mod bound;
mod cluster;
pub(crate) mod disks;
mod document;
mod text;

use iobound_catalog::{Assumption, Configuration, Price, Property, PropertyKind, Resolved};
use iobound_predict::{Age, CacheState, Cluster, Prediction, Published, WhySlow};
use iobound_workload::Workload;

pub use document::predict_document;
pub(crate) use document::{limiter_part, predict_keys, prediction_part, workload_part};
pub use text::predict_text;

/// Everything that is shown of a prediction.
#[derive(Clone, Debug)]
pub struct Predicted<'a> {
    /// The request.
    pub configuration: &'a Configuration,
    /// Its meaning.
    pub resolved: &'a Resolved,
    /// Content of host caches.
    pub cache: CacheState,
    /// The rest of burst credits.
    pub age: Age,
    /// The stages of the workload, each predicted by itself; never empty.
    pub stages: &'a [Stage],
    /// Further notes.
    pub notes: &'a [String],
    /// Tool in whose syntax the workload was written.
    pub wording: Wording,
    /// A figure to put beside the band; of a workload of one stage.
    pub published: Option<Published>,
    /// Its price, if a region was given.
    pub price: Option<&'a Price>,
}

/// Jobs that run together, and what to expect of them.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The jobs.
    pub workload: Workload,
    /// Their expected figures.
    pub prediction: Prediction,
    /// Expected figures of several hosts, if requested.
    pub cluster: Option<Cluster>,
}

/// Tool in whose words depth and threads are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wording {
    /// `--depth 27 --threads 4`.
    Native,
    /// `-o27 -t4`.
    DiskSpd,
    /// `--iodepth=27 --numjobs=4`.
    Fio,
    /// In plain words.
    Plain,
}

impl Predicted<'_> {
    /// The assumptions: the catalogue's assumptions and the state that was asked about.
    fn assumed(&self) -> Vec<Assumption> {
        let mut assumed = self.resolved.assumed.clone();
        let mut add = |property: Property, value: String, why: &str| {
            assumed.push(Assumption { property, value, why: why.into(), is_guess: false });
        };
        if self.has_cache() {
            add("cache state".into(), self.cache.name().into(), "--cache-state changes this");
        }
        if self.resolved.blueprint.has_credits() {
            let (value, why) = match self.age {
                Age::Sustained => ("spent".to_string(), "sustained figures; --at 0 is with full credits"),
                Age::At(span) if span.is_zero() => {
                    ("full at the start".to_string(), "--at sustained is with spent credits")
                }
                Age::At(span) => (format!("as {span} after full credits"), "asked for with --at"),
            };
            add("burst credits".into(), value, why);
        }
        let clusters: Vec<&Cluster> = self.stages.iter().filter_map(|stage| stage.cluster.as_ref()).collect();
        if !clusters.is_empty() {
            add(
                "hosts".into(),
                "the same except for media and enforcement".into(),
                "each drawn at random: half are slower than typical, with few near the slowest and the fastest measured",
            );
        }
        if clusters.iter().any(|cluster| cluster.scan.slow.why != WhySlow::Asked) {
            let value = match clusters[0].scan.slow.why {
                WhySlow::Credits => "one whose credits are spent",
                _ => "one at the low end of the band",
            };
            add("slow host".into(), value.into(), "--slow-host changes this");
        }
        if self.stages.iter().any(|stage| reads(&stage.workload)) {
            add(
                PropertyKind::Files.of("files"),
                "written before they are read".into(),
                "reads of unwritten blocks may not reach a disk",
            );
        }
        assumed
    }

    fn has_cache(&self) -> bool {
        self.resolved.disks.iter().any(|disk| disk.cache != iobound_catalog::CacheSetting::None)
    }
}

fn reads(workload: &Workload) -> bool {
    workload.jobs.iter().any(|job| job.mix.iter().any(|share| share.op == iobound_units::Op::Read))
}

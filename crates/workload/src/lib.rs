//! The request, and when: one workload type for every front end and every engine.

mod alias;
mod arrivals;
mod backlog;
mod block_pattern;
mod cap;
mod check;
mod describe;
mod error;
mod flow;
mod followers;
mod generator;
mod law;
mod map;
mod math;
mod native;
mod nearest;
mod offsets;
mod pacer;
mod pass;
mod permutation;
mod popularity;
mod presets;
mod queue;
mod random;
mod range_sync;
mod repeated;
mod shell;
mod slots;
mod stream;
mod tour;
mod workload;
mod zipf;
mod zones;

pub use backlog::{ReadBack, Written};
pub use block_pattern::{BlockPattern, Difference};
pub use cap::{CapOf, HeldBack};
pub use describe::{describe, describe_trace};
pub use error::QueueError;
pub use flow::FlowMember;
pub use generator::{Cursors, Generator};
pub use math::pow;
pub use native::{
    DEFAULT_BLOCK, DEFAULT_DEPTH, DEFAULT_DURATION, JobKey, NativeError, Place, TIME_KEYS, job_keys,
};
pub use nearest::nearest;
pub use pacer::Pacer;
pub use popularity::Popularity;
pub use presets::{Confidence, Preset, UnknownPreset, preset, preset_names, presets};
pub use queue::{Extent, Queue, QueueLoad, Target};
pub use random::{Random, seed_of_rank};
pub use range_sync::RangeSync;
pub use repeated::Repeated;
pub use shell::{shell_line, shell_path, shell_word, split_here};
pub use workload::{
    Access, Arrivals, Content, Distribution, Flow, HotZone, Job, Load, Note, Region, Share, Spread,
    StridedZones, Targets, Think, Workload, ZoneRange,
};
pub use zones::{ZoneExtent, lay_zones};

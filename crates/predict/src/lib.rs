//! Prediction of a configuration: ceiling, expected, band, binding, knee, burst.
//!
//! The ceiling is arithmetic on the enforced limits; the expected figure is a simulation of the same blueprint;
//! the band is the same simulation with the slowest and the fastest media and enforcement that were seen, times the factors by
//! which published measurements of the same regime differ from it.

mod alone;
mod answer;
mod arithmetic;
mod band;
mod binding;
mod burst;
mod ceiling;
mod cluster;
mod conditions;
mod demand;
mod ends;
mod error;
mod fluid;
mod idle;
mod knee;
mod left;
mod levels;
mod merging;
mod page_cache;
mod prediction;
mod published;
mod question;
mod replay;
mod scatter;
mod scene;
mod second_run;
mod settling;
mod similar;
mod simulate;
mod staged;
mod stalls;
mod targets;
mod uses;
mod warm;

pub use answer::{Expected, Prediction, latency_of};
pub use arithmetic::{BurstCredits, asks_of, ceiling_of, fullest_of};
pub use band::{BandBasis, BandRule, Coverage, Ends, LatencyBand, LatencyBands};
pub use binding::Binding;
pub use burst::{Burst, on_demand_transactions};
pub use ceiling::{Ceiling, Share};
pub use cluster::{BurstSum, Cluster, Hosts, Scan, SlowHost, Slowest, Sum, WhySlow};
pub use error::PredictError;
pub use knee::{Knee, find_knee};
pub use left::{Left, left_by};
pub use page_cache::behind_the_page_cache;
pub use prediction::{full_run, predict, predict_cluster, prediction_of_run, simulated_run};
pub use published::{Place, Published};
pub use question::{Age, CacheState, Counted, MOST_SIMULATED, Question};
pub use replay::{
    LatencySummary, ReplayFailure, ReplayGoal, ReplayLimit, ReplayPoint, ReplayQuestion, ReplayStop,
    Replayed, SpentCredits, replay_on_model,
};
pub use scatter::Host;
pub use simulate::{Effort, ROUGHLY, Simulated};
pub use staged::{Staged, simulate, staged};
pub use targets::{name_targets, targets_of};
pub use uses::{LimiterUse, PartUse};

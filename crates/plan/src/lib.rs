//! Planning: the cheapest VM size and disks that meet a need, and the reason against each cheaper one.
//!
//! The search is in whole numbers over compact rows ([`Market`]) and exact: what it leaves out is beaten by what it keeps.
//! The shown candidates are then confirmed by the same model that predicts.

mod answer;
mod below;
mod build;
mod confirm;
mod exact;
mod goal;
mod ideas;
mod kept;
mod local;
mod market;
mod menu;
mod need;
mod offer;
mod on_local;
mod pair;
mod prove;
mod refusal;
mod region;
mod regret;
mod room;
mod runs;
mod search;
mod split;
mod terms;
mod verdict;
mod volume;

pub use answer::{Asked, Frontier, Miss, Plan, Shown, Stock, cheapest, plan, plan_judged};
pub use below::next_cheaper;
pub use build::{Bought, Build, Disks, OnLocal, Volume};
pub use confirm::{
    AtRate, Candidate, Delivers, Unconfirmed, configuration_of, confirm, disk_specs, disk_text, figure_of,
    local_text, tier_text, workload_of,
};
pub use goal::GoalBand;
pub use ideas::{Idea, IdeaKind};
pub use local::{Local, LocalFit};
pub use market::{HostCache, Look, Market, Rank, Vm};
pub use menu::STEPS;
pub use need::{LatencyTarget, Need, Shape, Statistic, VolumeNeed};
pub use offer::{Billing, Fit, Law, Offer, Provision, Rates};
pub use on_local::on_local;
pub use pair::Pair;
pub use prove::{Judge, MOST_SIMULATED};
pub use refusal::{Because, Limit};
pub use region::{PartialRegion, UnpricedRegion};
pub use regret::{Design, least_regret};
pub use search::{Found, Refused, search};
pub use split::{OnHosts, Split};
pub use terms::Terms;

//! A page for each kind of document.

mod cluster;
mod compare;
mod distribution;
mod explain;
mod families;
mod fleet_probe;
mod hosts;
mod knee;
mod lab;
mod lab_replay;
mod plan;
mod predict;
mod probe;
mod run;
mod run_charts;
mod tail;
mod trace;

pub(super) use compare::compare;
pub(super) use explain::explain;
pub(super) use fleet_probe::fleet_probe;
pub(super) use knee::knee;
pub(super) use lab::lab;
pub(super) use lab_replay::lab_replay;
pub(super) use plan::plan;
pub(super) use predict::predict;
pub(super) use probe::probe;
pub(super) use run::run;
pub(super) use trace::{replay, trace};

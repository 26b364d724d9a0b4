//! Simulations that serve several builds: a limiter at which no I/O waited may as well be a larger one.

use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_model::{Blueprint, Dimension, Limit, LimiterSpec};
use iobound_predict::PredictError;

use crate::confirm::{AtRate, Candidate};
use crate::need::Need;

/// A simulation of a need.
struct Run {
    need: Need,
    blueprint: Blueprint,
    /// By limiter: true if an I/O waited there.
    waited: Vec<bool>,
    at_rate: AtRate,
}

/// The simulations of one seed and one state of burst credits.
#[derive(Default)]
pub(crate) struct Runs(Vec<Run>);

impl Runs {
    /// Rate and latency of a need on a candidate, from an earlier simulation if that is the same I/O for I/O.
    ///
    /// # Errors
    /// Returns an error if the caller's callback ends the work.
    pub(crate) fn at_rate(
        &mut self,
        candidate: &Candidate,
        need: &Need,
        seed: u64,
        watch: &mut dyn FnMut(&Interval) -> Flow,
    ) -> Result<AtRate, PredictError> {
        let blueprint = &candidate.resolved.blueprint;
        if let Some(run) = self.0.iter().find(|run| run.need == *need && run.is_of(blueprint)) {
            return Ok(run.at_rate.clone());
        }
        let (at_rate, waited) = candidate.run(need, seed, watch)?;
        self.0.push(Run { need: *need, blueprint: blueprint.clone(), waited, at_rate: at_rate.clone() });
        Ok(at_rate)
    }
}

impl Run {
    /// True if a simulation of another stack is this one: it has the same parts, and limits that differ are larger and let every I/O
    /// through at once here already.
    fn is_of(&self, other: &Blueprint) -> bool {
        let own = &self.blueprint;
        let mut limiters = own.limiters.iter().zip(&other.limiters).zip(&self.waited);
        own.limiters.len() == other.limiters.len()
            && limiters.all(|((one, other), waited)| one == other || !waited && is_larger(other, one))
            && (&own.volumes, &own.disks, &own.caches) == (&other.volumes, &other.disks, &other.caches)
    }
}

/// True if a limiter lets at least the I/Os through at once that another one does: it differs from it in its limits alone, and each of
/// these is the same or larger by one a second, so that it grants more in every slice. Credits are another matter: a larger limit
/// leaves less to burst.
fn is_larger(one: &LimiterSpec, other: &LimiterSpec) -> bool {
    let is_at_least = |dimension| match (one.limit(dimension), other.limit(dimension)) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(limit), Some(least)) => {
            let enforced = |limit: Limit, of: &LimiterSpec| limit.enforced_micro(of.factor);
            let (limit, least) = (enforced(limit, one), enforced(least, other));
            limit == least || limit >= least.saturating_add(1_000_000)
        }
    };
    let is_alike = (one.charge, one.algorithm) == (other.charge, other.algorithm);
    let has_credits = one.credits.is_some() || other.credits.is_some();
    is_alike && !has_credits && Dimension::ALL.into_iter().all(is_at_least)
}

//! A program that can't run on real targets says so.

use iobound_lab::{PlannedRun, RealRun};

use super::LabRequest;
use crate::process::LiveStyle;
use crate::results::Place;
use crate::settings::Settings;
use crate::{Env, Failure};

/// Runs on real targets; not available on this platform.
pub(crate) struct RunOptions {
    /// Nothing is surveyed either.
    pub(crate) dry_run: bool,
}

/// There is nothing to keep.
pub(crate) struct Shelf;

/// Nothing is measured here.
pub(crate) fn shelf_at(_: Place, _: &Env) -> Shelf {
    Shelf
}

/// No real target.
pub(crate) struct Real;

/// Reads nothing: flags about real targets are errors on this platform.
pub(crate) fn how_of(_: &LabRequest, _: &mut Settings) -> Result<RunOptions, Failure> {
    Ok(RunOptions { dry_run: false })
}

impl Real {
    /// Refuses runs that name a target.
    pub(crate) fn ready(
        runs: &[PlannedRun],
        _: &RunOptions,
        _: &Shelf,
        _: &Env,
    ) -> Result<Result<Real, String>, Failure> {
        match runs.iter().find(|run| !run.targets.is_empty()) {
            None => Ok(Ok(Real)),
            Some(run) => {
                let why = format!("{}: this build cannot run on real targets", run.name);
                Err(Failure::input(why).help(
                    "leave `target` and --target out, or build for Linux with the feature `load`, which is a default",
                ))
            }
        }
    }

    /// No run comes here: those with a target were refused.
    pub(crate) fn measure(&self, _: &PlannedRun, _: LiveStyle) -> Result<Option<RealRun>, Failure> {
        Ok(None)
    }

    /// Nothing was made.
    pub(crate) fn remove(&self) -> Result<(), Failure> {
        Ok(())
    }
}

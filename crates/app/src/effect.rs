//! Options without effect: an error if they concern a part that does not exist, a note if they state a fact. They are
//! never ignored silently.
//!
//! An option on the command line is meant for this request, so it is an error. A variable or a file is meant for
//! several requests, so it is a note.

use iobound_catalog::{
    Accounts, CacheSetting, Catalog, Configuration, Enforcement, Era, MediaOverride, Resolved, resolve,
};
use iobound_model::{Algorithm, LimiterSpec};
use iobound_predict::{Age, CacheState};
use iobound_units::{Bytes, Op};
use iobound_workload::Workload;

use crate::failure::Failure;
use crate::settings::{ConfigurationRequest, Origin, Settings};

/// An option that changes nothing here.
struct Idle {
    /// Its name, without dashes.
    option: &'static str,
    /// Reason why it changes nothing.
    why: String,
    /// Advice: how to fix it; `None` if the option states a fact.
    help: Option<&'static str>,
}

impl Idle {
    fn refused(option: &'static str, why: impl Into<String>, help: &'static str) -> Idle {
        Idle { option, why: why.into(), help: Some(help) }
    }

    fn harmless(option: &'static str, why: impl Into<String>) -> Idle {
        Idle { option, why: why.into(), help: None }
    }

    /// Refused only where another value than the default asks for something.
    fn unless_default(is_default: bool, option: &'static str, why: &str, help: &'static str) -> Idle {
        Idle { option, why: why.into(), help: (!is_default).then_some(help) }
    }
}

/// Notes about the options that were given and change nothing.
///
/// # Errors
/// Returns an error if an option on the command line concerns a part that the configuration or the workload does not
/// have.
pub fn check(
    asked: &ConfigurationRequest,
    workloads: &[Workload],
    settings: &Settings,
) -> Result<Vec<String>, Failure> {
    say(standing(asked, does(workloads)).chain(times(asked)), settings)
}

/// The same of a workload that runs for its own time.
///
/// # Errors
/// Returns an error if an option on the command line concerns a part that the configuration or the workload does not
/// have.
pub fn check_in_time(
    asked: &ConfigurationRequest,
    workloads: &[Workload],
    settings: &Settings,
) -> Result<Vec<String>, Failure> {
    say(standing(asked, does(workloads)), settings)
}

/// True if these workloads have I/Os of a kind.
fn does(workloads: &[Workload]) -> impl Fn(Op) -> bool {
    move |op: Op| {
        let mut shares = workloads.iter().flat_map(|workload| &workload.jobs).flat_map(|job| &job.mix);
        shares.any(|share| share.op == op && share.weight > 0)
    }
}

/// The same of a configuration that stands for itself, for whatever I/O comes, with limits and latencies or without.
///
/// # Errors
/// Returns an error if an option on the command line concerns a part that the configuration does not have.
pub fn check_standing(
    asked: &ConfigurationRequest,
    limiters: bool,
    settings: &Settings,
) -> Result<Vec<String>, Failure> {
    if limiters {
        return say(standing(asked, |_| true), settings);
    }
    let of_limiters = ["media", "calibrate", "cache-state", "at", "accounts", "on-demand-burst", "published"];
    let idle = |option| {
        let why = "--limits off removes all limits and latencies";
        Idle::refused(option, why, "leave one of the two out")
    };
    say(volumes(asked).into_iter().chain(of_limiters.map(idle)), settings)
}

/// Options without effect on a configuration, for I/O of these kinds.
fn standing(asked: &ConfigurationRequest, does: impl Fn(Op) -> bool) -> impl Iterator<Item = Idle> {
    volumes(asked)
        .into_iter()
        .chain(media(asked, does))
        .chain(states(asked))
        .chain(figures(asked, &asked.catalog))
}

fn say(idle: impl Iterator<Item = Idle>, settings: &Settings) -> Result<Vec<String>, Failure> {
    let mut notes = Vec::new();
    for Idle { option, why, help } in idle {
        let Some(given) = settings.given(option) else { continue };
        match (help, &given.from) {
            (Some(help), Origin::Flag(_)) => {
                return Err(given.refuse(format!("`{}` has no effect here: {why}", given.text)).help(help));
            }
            _ => notes.push(format!("{} {}: it has no effect here, since {why}", given.place(), given.text)),
        }
    }
    Ok(notes)
}

/// Layout of volumes on disks.
fn volumes(asked: &ConfigurationRequest) -> Vec<Idle> {
    let configuration = &asked.configuration;
    let striped = asked.resolved.blueprint.volumes.iter().any(|volume| volume.columns > 1);
    let several = configuration.volumes.iter().any(|volume| volume.count > 1);
    let mut idle = Vec::new();
    if !striped {
        let why = if configuration.separate && several {
            "--separate makes no stripe"
        } else if several {
            "a stripe of one column fills one disk after the other"
        } else {
            "each volume is one disk"
        };
        let is_default = configuration.interleave == Bytes::kib(64);
        idle.push(Idle::unless_default(
            is_default,
            "stripe",
            why,
            "leave it out, or stripe several disks: --disk 4xP30",
        ));
        if !cached(&asked.resolved) {
            // It still takes its bytes from the volume.
            idle.push(Idle::harmless(
                "partition-offset",
                "without a stripe or a host cache, the start offset splits no I/O",
            ));
        }
    }
    if !several {
        idle.push(Idle::harmless("columns", "each volume is one disk"));
        idle.push(Idle::harmless("separate", "each volume is already one disk"));
    }
    idle
}

/// Latencies of the media.
fn media(asked: &ConfigurationRequest, does: impl Fn(Op) -> bool) -> Vec<Idle> {
    let of_remote = |option| {
        Idle::refused(
            option,
            "it applies to remote disks, and all disks are local disks of the VM",
            "leave it out, or add a remote disk: --disk P30",
        )
    };
    if asked.resolved.disks.iter().all(|disk| disk.disk.is_none()) {
        return vec![of_remote("media"), of_remote("calibrate")];
    }
    let MediaOverride { read, write } = asked.configuration.media;
    let option = if asked.calibrated { "calibrate" } else { "media" };
    let given = [(read, Op::Read, "nothing is read"), (write, Op::Write, "nothing is written")];
    let given = given.iter().filter(|(latency, ..)| latency.is_some());
    let (used, idle): (Vec<_>, Vec<_>) = given.partition(|(_, op, _)| does(*op));
    idle.into_iter()
        .map(|&(_, _, why)| match used.is_empty() {
            true => Idle::refused(option, why, "leave it out, or give the latency of the other direction"),
            false => Idle::harmless(option, format!("{why}: the other direction's latency is used")),
        })
        .collect()
}

/// The state that caches, credits and accounts are in.
fn states(asked: &ConfigurationRequest) -> Vec<Idle> {
    let mut idle = Vec::new();
    if !cached(&asked.resolved) {
        idle.push(Idle::unless_default(
            asked.cache == CacheState::Warm,
            "cache-state",
            "no disk has a host cache",
            "leave it out, or give a disk one: --disk P30:readonly",
        ));
    }
    if !asked.resolved.blueprint.has_credits() {
        idle.push(Idle::unless_default(
            asked.age == Age::Sustained,
            "at",
            "neither the VM size nor a disk has burst credits",
            "leave it out, or choose a VM size and a disk that burst, such as --vm D2s_v3 with --disk P20",
        ));
    }
    // A shared one without unmanaged disks has been refused by then.
    if asked.configuration.accounts == Accounts::OneEach && !asked.resolved.has_unmanaged() {
        idle.push(Idle::harmless("accounts", "only unmanaged disks of era 2016 are in storage accounts"));
    }
    idle
}

/// Effect of `--era`: the same configuration is built without the option, and both are compared.
fn figures(asked: &ConfigurationRequest, catalog: &Catalog) -> Vec<Idle> {
    let same = |configuration: &Configuration, catalog: &Catalog| {
        // An option that the configuration needs has an effect.
        resolve(configuration, catalog).is_ok_and(|other| other.is_built_as(&asked.resolved))
    };
    let configuration = &asked.configuration;
    let mut idle = Vec::new();
    let measured = Configuration { enforcement: Enforcement::Measured, ..configuration.clone() };
    if configuration.enforcement == Enforcement::Published && same(&measured, catalog) {
        idle.push(Idle::harmless("published", "every limit is enforced at its published value"));
    }
    let current = Configuration { era: None, ..configuration.clone() };
    if asked.resolved.era != Era::current() && same(&current, catalog) {
        idle.push(Idle::harmless(
            "era",
            "the figures and rules of this configuration are the same in both eras",
        ));
    }
    if same(configuration, &Catalog::shipped()) {
        idle.push(Idle::harmless("catalog", "this configuration uses none of its figures"));
    }
    idle
}

/// Time that the workload runs. A prediction is of figures that last.
fn times(asked: &ConfigurationRequest) -> Vec<Idle> {
    if asked.cache == CacheState::SecondRun {
        return Vec::new();
    }
    let why = "a prediction is of figures that last; --cache-state second-run is of a run's own time";
    let mut idle = vec![Idle::harmless("cooldown", why)];
    let saves = |limiter: &LimiterSpec| matches!(limiter.algorithm, Algorithm::Bucket { .. });
    if !asked.resolved.blueprint.limiters.iter().any(saves) {
        // Nothing is saved up before a run, so a short one has the rate of a long one.
        idle.extend(["duration", "warmup"].map(|option| Idle::harmless(option, why)));
    }
    idle
}

fn cached(resolved: &Resolved) -> bool {
    // A probed disk has the cache that was measured, and no setting.
    let has_own = resolved.blueprint.disks.iter().any(|disk| disk.cache.is_some());
    has_own || resolved.disks.iter().any(|disk| disk.cache != CacheSetting::None)
}

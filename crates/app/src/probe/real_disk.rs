//! Experiments on real files and devices: opened once, read-only unless the user consents to lose what is on them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use iobound_drive::{Clock, EndReason, Flow, Window};
use iobound_load::checks::starvation;
use iobound_load::engine::{Kind, Needs, OnError, Targets, choose};
use iobound_load::prepare::{Because, Payload};
use iobound_load::run::{Blocks, Options, Placement, Start, run};
use iobound_machine::block::Device;
use iobound_machine::counters::{Counters, to_count};
use iobound_machine::cpu::{Processors, Topology};
use iobound_machine::{SystemClock, World};
use iobound_measure::Keep;
use iobound_measure::result::DeviceCounters;
use iobound_probe::{Completed, Disk, Mix, Recording, Step};
use iobound_report::DeviceWrites;
use iobound_units::{Bytes, Instant, Problem, Span, TargetId};
use iobound_workload::{Target, Workload, shell_path};

use super::PreparedProbe;
use crate::outfile::OutputClaim;
use crate::run::{Ready, RunOptions, RunTargets, Surveyed, Unready};
use crate::{Env, Failure};

/// The most I/Os that an experiment has outstanding on a target.
const DEEPEST: u64 = 512;
/// A smaller target has too few places to read from.
const SMALLEST: Bytes = Bytes::mib(64);

/// Help for a target that is too small.
const LARGER: &str = "name a larger file, or the device";

/// Targets that are open.
pub(crate) struct RealDisk {
    ready: Ready,
    opened: Arc<Targets>,
    engine: Kind,
    clock: SystemClock,
    stop: Arc<AtomicBool>,
    env: Env,
    world: World,
    /// Block devices below the targets, each counted once, and their counters before the first experiment.
    devices: Vec<Device>,
    before: Option<Counters>,
}

impl RealDisk {
    /// Looks at the targets, asks what must be asked, and opens them. Nothing is written without consent.
    ///
    /// # Errors
    /// Returns an error if a target is missing, busy or too small, or can only be prepared by a write.
    pub(crate) fn open(
        prepared: &PreparedProbe,
        claims: Vec<OutputClaim>,
        env: &Env,
    ) -> Result<RealDisk, Failure> {
        let world = World::real();
        let places = RunTargets::named(&prepared.targets)?;
        let paths: Vec<&Path> =
            places.targets.iter().flat_map(|target| &target.files).map(|file| file.path.as_path()).collect();
        let writes = consent(&paths, &prepared.overwrite)?;
        // Consent to a folder is consent to make a file in it; consent to a file or device is the survey's to check.
        let overwrite = prepared.overwrite.iter().map(PathBuf::from).filter(|path| !path.is_dir()).collect();
        let how = RunOptions {
            overwrite,
            busy_ok: prepared.busy_ok,
            claims,
            env: env.clone(),
            ..RunOptions::default()
        };
        let named: Vec<Target> = places
            .targets
            .iter()
            .map(|target| Target {
                name: target.name.clone(),
                id: TargetId(0),
                size: Bytes::ZERO,
                members_of: None,
            })
            .collect();
        let all: Vec<usize> = (0..named.len()).collect();
        let mix = if writes { Mix::Half } else { Mix::Reads };
        let step = Step { targets: all, mix, ..Step::reads(0, 4_096, 1, Span::from_secs(1)) };
        let workloads = [step.workload(&named, 0)];
        let surveyed = Surveyed::of(&world, &places, &workloads, &how).map_err(without_size)?;
        let unready = surveyed.plan().steps().iter().find(|step| !step.is_ready()).filter(|_| !writes);
        if let Some(step) = unready {
            let given = step.given.display();
            let cost = match step.given.is_dir() {
                true => format!("the probe makes a file of {} in it", step.bytes()),
                false => "its data is lost".into(),
            };
            return Err(Failure::input(format!(
                "{given}: the probe must write {} first, and it writes nothing without --overwrite",
                step.bytes()
            ))
            .help(format!("name an existing file or a block device, or add --overwrite {given}: {cost}")));
        }
        let uses = will_probe(writes, prepared.budget);
        let ready = surveyed.prepare(&world, &uses, &how)?;
        if let Some(small) = ready.names.iter().find(|target| target.size < SMALLEST) {
            return Err(Failure::input(format!(
                "{} has {}, and a probe needs {SMALLEST}",
                small.name, small.size
            ))
            .help(LARGER));
        }
        let opened = Targets::open_each(&ready.to_open(&workloads), true).map_err(Failure::from)?;
        let outstanding = DEEPEST * ready.names.len() as u64;
        let needs = Needs { direct: true, discards: false, range_syncs: false, outstanding };
        let engine = choose(None, needs, opened.files()).map_err(Failure::input)?.kind;
        let opened = Arc::new(opened);
        let below: Vec<Device> = ready.devices(&world).into_iter().map(|(device, _)| device).collect();
        let mut clock = SystemClock::default();
        let before = Counters::look(&world, clock.now_of_run());
        Ok(RealDisk {
            ready,
            opened,
            engine,
            clock,
            stop: env.stop_flag(),
            env: env.clone(),
            devices: to_count(&below),
            before,
            world,
        })
    }

    /// Writes that the kernel counted on the devices since the targets were opened; `None` where it counts none.
    pub(crate) fn device_writes(&mut self) -> Option<DeviceWrites> {
        let (now, before) = (Counters::look(&self.world, self.clock.now_of_run())?, self.before.as_ref()?);
        let counted = self.devices.iter().map(|device| now.since(before, device.number()));
        let counted: Vec<DeviceCounters> = counted.collect::<Option<_>>()?;
        (!counted.is_empty()).then(|| DeviceWrites {
            devices: self.devices.iter().map(|device| device.name().to_string()).collect(),
            bytes: counted.iter().map(|device| device.written_bytes).sum(),
        })
    }

    fn options(&self) -> Options {
        Options {
            engine: self.engine,
            interval: Span::from_secs(1),
            placement: Placement::Anywhere,
            on_error: OnError::Stop,
            apart: None,
            log_ios: true,
            keep_warmup: true,
            nops: false,
            traces: Vec::new(),
            blocks: Blocks::Refreshed(Payload::new(self.ready.filling)),
            start: Start::default(),
            thread_series: Keep::Nothing,
            report_every: None,
        }
    }
}

/// The failure in the words of a probe, which has no --size and makes no file of a given name.
fn without_size(why: Unready) -> Failure {
    match why {
        Unready::Missing(path) => Failure::input(format!("there is no {}", path.display()))
            .help("name an existing folder, file or block device"),
        Unready::Refused(mut refused) => {
            for refusal in &mut refused.0 {
                match refusal.because {
                    Because::NoSize | Because::TooSmall => refusal.help = LARGER.into(),
                    Because::Unwritten => {
                        refusal.help = format!(
                            "name a file that was written, or the device, or add --overwrite {}: its data is lost",
                            shell_path(&refusal.path)
                        );
                    }
                    _ => {}
                }
            }
            refused.into()
        }
        Unready::Other(failure) => failure,
    }
}

/// Expected use of the targets by a probe.
fn will_probe(writes: bool, budget: Span) -> String {
    format!(
        "the probe {} for up to {:.0} s, as fast as the targets allow",
        if writes { "reads and writes" } else { "only reads" },
        budget.secs_f64()
    )
}

/// True if all targets may be overwritten, false if none may be.
///
/// # Errors
/// Returns an error if consent covers only some targets, or something that is not a target.
fn consent(targets: &[&Path], overwrite: &[String]) -> Result<bool, Failure> {
    let is_same = |one: &Path, other: &Path| {
        one == other
            || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
    };
    if let Some(stranger) =
        overwrite.iter().find(|path| !targets.iter().any(|target| is_same(target, Path::new(path))))
    {
        return Err(Failure::input(format!("--overwrite {stranger}: not a target of this probe"))
            .help("name a target, or leave it out"));
    }
    let has_consent = |target: &&&Path| overwrite.iter().any(|path| is_same(target, Path::new(path)));
    match targets.iter().filter(has_consent).count() {
        0 => Ok(false),
        count if count == targets.len() => Ok(true),
        _ => Err(Failure::input(
            "--overwrite names some of the targets: a probe writes to all of them, or to none",
        )
        .help("name each target with --overwrite, or none")),
    }
}

impl Disk for RealDisk {
    fn targets(&self) -> &[Target] {
        &self.ready.names
    }

    fn now(&mut self) -> Instant {
        self.clock.now_of_run()
    }

    fn rest(&mut self, time: Span) {
        let until = self.now() + time;
        while self.now() < until && !self.is_stopped() {
            let next = (self.now() + Span::from_ms(50)).min(until);
            Clock::sleep_until(&mut self.clock, next);
        }
    }

    fn run(&mut self, workload: &Workload) -> Result<Recording, Problem> {
        let processors = Processors::look(&self.world);
        let began = self.now();
        let outcome =
            run(workload, &self.ready.names, &self.opened, &self.options(), &self.stop, &mut |_| {
                Flow::Continue
            })
            .map_err(Problem::new)?;
        let steal = Processors::look(&self.world).since(&processors, &Topology::default()).steal;
        if outcome.hangs {
            self.env.hangs(Arc::clone(&self.opened));
            return Err(Problem::new("the device does not answer"));
        }
        if outcome.reason == EndReason::Failed {
            let why = outcome.error.or_else(|| outcome.fault.map(|fault| fault.to_string()));
            return Err(Problem::new(why.unwrap_or_else(|| "an I/O failed".into())));
        }
        let shift = |at: Instant| Instant::from_ns(began.ns() + at.ns());
        let mut ios: Vec<Completed> = outcome
            .ios
            .iter()
            .flatten()
            .map(|io| Completed {
                issued: Instant::from_ns(shift(io.end).ns().saturating_sub(io.lat.ns())),
                end: shift(io.end),
                op: io.op,
                len: io.len,
                target: io.target.0,
                offset: io.offset,
            })
            .collect();
        ios.sort_unstable_by_key(|io| io.end);
        let planned = shift(Window::of(workload, Instant::ZERO).until);
        let last = ios.last().map_or(began, |io| io.end);
        let ended = if outcome.reason == EndReason::Time { planned } else { last };
        Ok(Recording { began, ended, ios, starved: starvation(&outcome, steal) })
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use iobound_load::prepare::{Refusal, Refused};

    use super::*;

    #[test]
    fn no_error_of_a_probe_names_an_option_that_it_does_not_have() {
        let refusals = [Because::NoSize, Because::TooSmall, Because::Unwritten].map(|because| Refusal {
            path: "data".into(),
            because,
            found: "its size is 0".into(),
            help: "give its size with --size".into(),
        });
        for why in [Unready::Missing("data".into()), Unready::Refused(Refused(refusals.into()))] {
            let failure = without_size(why);
            let help = failure.help_text().unwrap_or_default();
            assert!(!failure.what().contains("--size") && !help.contains("--size"), "{failure:?}");
        }
    }
}

//! Options of a run: the values of its flags.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use iobound_formats::fio::SteadyGoal;
use iobound_load::engine::{Kind, OnError};
use iobound_load::run::{Placement, TraceReplay};
use iobound_measure::Keep;
use iobound_units::{Percent, Span, parse_count, parse_percent, parse_span};
use iobound_workload::BlockPattern;

use super::company::FleetMember;
use super::flags::RunFlags;
use super::load_goal::{LoadGoal, parse_load_goal};
use super::status::StatusReports;
use crate::outfile::OutputClaim;
use crate::settings::Settings;
use crate::{Env, Failure};

/// Options of a run.
#[derive(Clone, Debug)]
pub(crate) struct RunOptions {
    pub(crate) buffered: bool,
    pub(crate) write_through: bool,
    pub(crate) overwrite: Vec<PathBuf>,
    pub(crate) dry_run: bool,
    pub(crate) strict: bool,
    pub(crate) busy_ok: bool,
    pub(crate) max_iops: Option<u64>,
    pub(crate) pressure: MostPressure,
    pub(crate) engine: Option<Kind>,
    pub(crate) placement: Placement,
    pub(crate) interval: Span,
    pub(crate) until: Option<Until>,
    pub(crate) find_knee: bool,
    pub(crate) verify: Option<Verify>,
    pub(crate) on_error: OnError,
    pub(crate) compressible: Percent,
    pub(crate) dedupe: Percent,
    pub(crate) remove: bool,
    /// Times submission and completion apart, for forms that show both, and keeps this of their series.
    pub(crate) apart: Option<Keep>,
    /// Stored data of each thread's own intervals: for forms that show them.
    pub(crate) thread_series: Keep,
    /// Every I/O is recorded: for logs with a line for each.
    pub(crate) log_ios: bool,
    /// A run whose work is done before its warm-up is over counts all of it.
    pub(crate) keep_warmup: bool,
    /// Early end of the stage of a job, by the job's name.
    pub(crate) steady: Vec<(String, SteadyGoal)>,
    /// The latency that the depth is searched for.
    pub(crate) load_goal: Option<LoadGoal>,
    /// An I/O slower than this ends the run with an error.
    pub(crate) max_latency: Option<Span>,
    /// Jobs that replay a trace.
    pub(crate) traces: Vec<Arc<TraceReplay>>,
    /// Reports while the run goes on.
    pub(crate) status: Option<StatusReports>,
    /// Files that answers go to: none of them may be a target.
    pub(crate) claims: Vec<OutputClaim>,
    /// The ranks that it runs among.
    pub(crate) company: Option<Arc<dyn FleetMember>>,
    /// Process that it runs in.
    pub(crate) env: Env,
}

/// Blocks to read back after writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verify {
    /// All of the targets.
    All,
    /// The blocks that each job wrote, by job (fio).
    Jobs(JobsToVerify),
}

/// The jobs of a run that are verified one by one, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct JobsToVerify {
    /// The jobs that read back what they wrote.
    pub(crate) read_back: Vec<String>,
    /// The jobs whose blocks hold a pattern, and nothing else.
    pub(crate) patterns: Vec<(String, BlockPattern)>,
    /// Other jobs are verified too, by stamps in their blocks.
    pub(crate) stamps: bool,
}

/// Condition that ends a run before its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Until {
    /// Every direction is steady by the rule of the SNIA.
    Steady,
    /// The half-width of the confidence interval of the IOPS is this share of them, or less.
    Known(Percent),
}

/// The share of the last ten seconds that some task waited for a resource, above which the run ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MostPressure {
    pub(crate) memory: Option<Percent>,
    pub(crate) cpu: Option<Percent>,
    pub(crate) io: Option<Percent>,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            buffered: false,
            write_through: false,
            overwrite: Vec::new(),
            dry_run: false,
            strict: false,
            busy_ok: false,
            max_iops: None,
            pressure: MostPressure::default(),
            engine: None,
            placement: Placement::Anywhere,
            interval: Span::from_secs(1),
            until: None,
            find_knee: false,
            verify: None,
            on_error: OnError::Stop,
            compressible: Percent::ZERO,
            dedupe: Percent::ZERO,
            remove: false,
            apart: None,
            thread_series: Keep::Nothing,
            log_ios: false,
            keep_warmup: false,
            steady: Vec::new(),
            load_goal: None,
            max_latency: None,
            traces: Vec::new(),
            status: None,
            claims: Vec::new(),
            company: None,
            env: Env::default(),
        }
    }
}

impl Default for MostPressure {
    /// Memory only: the run's own waits are pressure on I/O, and its own work is pressure on processors.
    fn default() -> MostPressure {
        MostPressure { memory: Percent::from_ppm(100_000), cpu: None, io: None }
    }
}

impl RunOptions {
    /// External end of the run: Ctrl-C, and in a fleet the coordinator.
    pub(crate) fn stop(&self) -> Arc<AtomicBool> {
        self.company.as_ref().map_or_else(|| self.env.stop_flag(), |company| company.stop())
    }

    /// Reads the flags, and what the environment has for them.
    pub(crate) fn of(args: &RunFlags, settings: &mut Settings) -> Result<RunOptions, Failure> {
        let switch =
            |settings: &mut Settings, name: &str, on: bool| settings.switch(name, on.then_some("true"));
        let overwrite = settings.texts("overwrite", &args.overwrite);
        Ok(RunOptions {
            buffered: switch(settings, "buffered", args.buffered)?,
            write_through: switch(settings, "write-through", args.write_through)?,
            overwrite: overwrite.iter().map(|given| PathBuf::from(given.path())).collect(),
            dry_run: switch(settings, "dry-run", args.dry_run)?,
            strict: switch(settings, "strict", args.strict)?,
            busy_ok: switch(settings, "busy-ok", args.busy_ok)?,
            max_iops: settings.parse("max-iops", args.max_iops.as_deref(), None, |text| {
                let count = parse_count(text.trim_end_matches("iops")).map_err(|error| error.to_string())?;
                if count == 0 { Err("0 IOPS issue no I/O: write 1 or more".to_string()) } else { Ok(count) }
            })?,
            pressure: settings
                .parse("max-pressure", args.max_pressure.as_deref(), Some("memory=10%"), parse_pressure)?
                .unwrap_or_default(),
            engine: settings.parse("engine", args.engine.as_deref(), None, |text| {
                Kind::of_name(text).ok_or_else(|| {
                    let known: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
                    format!("unknown engine `{text}`: write {}", known.join(", "))
                })
            })?,
            placement: settings
                .parse("cpus", args.cpus.as_deref(), None, parse_cpus)?
                .map_or(Placement::Anywhere, Placement::InTurn),
            interval: settings
                .parse("interval", args.interval.as_deref(), Some("1s"), parse_interval)?
                .unwrap_or(Span::from_secs(1)),
            until: settings.parse("until", args.until.as_deref(), None, parse_until)?,
            find_knee: switch(settings, "find-knee", args.find_knee)?,
            verify: switch(settings, "verify", args.verify)?.then_some(Verify::All),
            on_error: settings
                .parse("on-error", args.on_error.as_deref(), Some("stop"), |text| match text {
                    "stop" => Ok(OnError::Stop),
                    "continue" => Ok(OnError::Continue),
                    other => Err(format!("`{other}` is not known: write stop or continue")),
                })?
                .unwrap_or_default(),
            compressible: share(settings, "compressible", args.compressible.as_deref())?,
            dedupe: share(settings, "dedupe", args.dedupe.as_deref())?,
            remove: switch(settings, "remove", args.remove)?,
            apart: None,
            thread_series: Keep::Nothing,
            log_ios: false,
            keep_warmup: false,
            steady: Vec::new(),
            load_goal: settings.parse("find-load", args.find_load.as_deref(), None, parse_load_goal)?,
            max_latency: None,
            traces: Vec::new(),
            status: None,
            claims: Vec::new(),
            company: None,
            env: settings.env().clone(),
        })
    }
}

fn share(settings: &mut Settings, name: &str, flag: Option<&str>) -> Result<Percent, Failure> {
    Ok(settings.parse(name, flag, Some("0%"), parse_percent)?.unwrap_or(Percent::ZERO))
}

fn parse_interval(text: &str) -> Result<Span, String> {
    let span = parse_span(text).map_err(|error| error.to_string())?;
    if span < Span::from_ms(10) || span > Span::from_secs(3_600) {
        return Err(format!("the interval {span} is out of range: write 10ms to 1h"));
    }
    Ok(span)
}

fn parse_until(text: &str) -> Result<Until, String> {
    let wrong = || format!("`{text}` is not known: write steady, or ci=2% for the IOPS to 2 %");
    match text.split_once('=') {
        None if text == "steady" => Ok(Until::Steady),
        Some(("ci", share)) => {
            let share = parse_percent(share).map_err(|error| error.to_string())?;
            if share == Percent::ZERO { Err(wrong()) } else { Ok(Until::Known(share)) }
        }
        _ => Err(wrong()),
    }
}

fn parse_pressure(text: &str) -> Result<MostPressure, String> {
    let mut most = MostPressure { memory: None, cpu: None, io: None };
    for part in text.split(',') {
        let wrong = || format!("`{part}` is not a limit: write memory=10%, cpu=50% or io=80%");
        let (resource, share) = part.split_once('=').ok_or_else(wrong)?;
        let share = Some(parse_percent(share).map_err(|error| error.to_string())?);
        match resource {
            "memory" => most.memory = share,
            "cpu" => most.cpu = share,
            "io" => most.io = share,
            _ => return Err(wrong()),
        }
    }
    Ok(most)
}

/// `0-3,8`: processors that this process may use.
fn parse_cpus(text: &str) -> Result<Vec<u32>, String> {
    let number = |text: &str| {
        text.trim()
            .parse::<u32>()
            .map_err(|_| format!("`{text}` is not a processor: write a list such as 0-3,8"))
    };
    let mut cpus = Vec::new();
    for part in text.split(',') {
        match part.split_once('-') {
            None => cpus.push(number(part)?),
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last)?);
                if last < first || last - first > 65_536 {
                    return Err(format!(
                        "`{part}` is not a range of processors: write the smaller number first"
                    ));
                }
                cpus.extend(first..=last);
            }
        }
    }
    allowed(cpus)
}

/// Processors that this process may use.
///
/// # Errors
/// Returns an error if a processor does not exist or this process may not use it.
pub(crate) fn allowed(cpus: Vec<u32>) -> Result<Vec<u32>, String> {
    let allowed = iobound_load::run::processors();
    match cpus.iter().find(|cpu| !allowed.contains(cpu)) {
        None => Ok(cpus),
        Some(cpu) => {
            let list: Vec<String> = allowed.iter().map(u32::to_string).collect();
            Err(format!("this process cannot use processor {cpu}: it can use {}", list.join(",")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_steady_or_a_share() {
        assert_eq!(parse_until("steady"), Ok(Until::Steady));
        assert_eq!(parse_until("ci=2%").unwrap(), Until::Known(Percent::from_ppm(20_000).unwrap()));
        for wrong in ["ci", "ci=0%", "ci=x", "soon"] {
            assert!(parse_until(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn pressure_is_bounded_by_resource() {
        let most = parse_pressure("memory=5%,io=80%").unwrap();
        assert_eq!(most.memory, Percent::from_ppm(50_000));
        assert_eq!((most.cpu, most.io), (None, Percent::from_ppm(800_000)));
        assert!(parse_pressure("disk=5%").unwrap_err().contains("memory=10%"));
    }

    #[test]
    fn a_processor_that_is_not_there_is_refused() {
        assert!(parse_cpus("99999").unwrap_err().contains("cannot use"));
        assert!(parse_cpus("3-1").is_err());
        let first = iobound_load::run::processors()[0];
        assert_eq!(parse_cpus(&first.to_string()), Ok(vec![first]));
    }
}

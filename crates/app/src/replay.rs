//! A trace on a configuration, in virtual time.

use iobound_catalog::Resolved;
use iobound_documents::{ReplayDocument, ReplayMap};
use iobound_drive::{Flow, ReplayMode};
use iobound_predict::{
    Age, CacheState, ReplayFailure, ReplayQuestion, ReplayStop, Replayed, replay_on_model, targets_of,
};
use iobound_report::{ReplayScreen, Setting, Style, replay_document, replay_text, trace_read};
use iobound_units::{Ppm, parse_count};

use crate::options::{ConfigurationOptions, Options, PageOptions, WorkloadOptions, options};
use crate::page::PageChoice;
use crate::settings::{ConfigurationRequest, Settings, configuration_of};
use crate::trace::{
    DeviceOrigin, OpenTrace, TraceMap, WriteOptions, factor_of, open_trace, recorded_times, unit_of, unread,
};
use crate::{Common, Env, Exit, Failure};

options! {
    /// A trace in place of a workload.
    pub struct ReplayOptions in "Trace (in place of a workload)" {
        /// Replay this trace; repeat for several files. `iobound trace --help` lists the formats
        trace: Vec<String> = Form::Many, "FILE";
        /// Issue times of the I/Os: timed (as recorded) or dependent (each after the I/Os that completed before it in the recording) [default: timed]
        replay: Option<String> = Form::One, "MODE";
        /// Factor on the recorded speed [default: 1]
        speed: Option<String> = Form::One, "FACTOR";
        /// Unit of the trace's times, if the format's own is wrong: s, ms, us, 100ns, ns
        time_unit: Option<String> = Form::One, "UNIT";
    }
}

options! {
    /// The places of a trace's devices, for verbs whose workloads have no `--map` of their own.
    pub struct TraceMapOptions in "Trace (in place of a workload)" {
        /// Volume of a device of the trace, or of all devices of a trace file; repeat for more
        map: Vec<String> = Form::Many, "FILE|DEVICE=VOLUME";
    }
}

/// Options of a replay.
#[derive(Clone, Debug)]
pub(crate) struct ReplayWish {
    pub(crate) files: Vec<String>,
    pub(crate) mode: ReplayMode,
    pub(crate) speed: Ppm,
    pub(crate) unit: Option<iobound_formats::trace::TimeUnit>,
    pub(crate) maps: Vec<TraceMap>,
}

impl ReplayOptions {
    /// Refuses options of a replay where there is no trace.
    ///
    /// # Errors
    /// One of them is given.
    pub fn refuse_without_trace(&self) -> Result<(), Failure> {
        let mut specs = ReplayOptions::specs().into_iter();
        match specs.find(|spec| !self.values(spec.name).is_empty()) {
            Some(spec) if self.trace.is_empty() => {
                Err(Failure::input(format!("--{} without --trace: it is about a trace", spec.name))
                    .help("leave it out, or add --trace FILE"))
            }
            _ => Ok(()),
        }
    }

    /// Reads the options.
    ///
    /// # Errors
    /// Returns an error if a value cannot be read; it names the value and the fix.
    pub(crate) fn read(&self, maps: &[String]) -> Result<ReplayWish, Failure> {
        let mode = match self.replay.as_deref() {
            None | Some("timed") => ReplayMode::Timed,
            Some("dependent") => ReplayMode::Dependent,
            Some(other) => {
                return Err(Failure::input(format!("--replay {other}: the mode is unknown"))
                    .help("write timed or dependent"));
            }
        };
        let speed = self.speed.as_deref().map_or(Ok(Ppm::ONE), |text| factor_of("speed", text))?;
        let unit = unit_of(self.time_unit.as_deref())?;
        Ok(ReplayWish { files: self.trace.clone(), mode, speed, unit, maps: TraceMap::parse_all(maps)? })
    }
}

impl ReplayWish {
    /// The map as the simulation takes it: from a name to a volume.
    pub(crate) fn map(&self) -> Vec<(String, String)> {
        self.maps.iter().map(|map| (map.from.clone(), map.to.clone())).collect()
    }

    /// Refuses a map to a volume that the configuration lacks.
    ///
    /// # Errors
    /// Returns an error that names the volumes that exist.
    pub(crate) fn refuse_unknown_volumes(&self, resolved: &Resolved) -> Result<(), Failure> {
        let names: Vec<String> = targets_of(resolved).into_iter().map(|target| target.name).collect();
        match self.maps.iter().find(|map| !names.contains(&map.to)) {
            Some(TraceMap { from, to }) => {
                Err(Failure::input(format!("--map {from}={to}: there is no volume {to}"))
                    .help(format!("write one of {}", names.join(", "))))
            }
            None => Ok(()),
        }
    }

    /// Opens the trace.
    ///
    /// # Errors
    /// Returns an error if a value cannot be read; it names the value and the fix.
    pub(crate) fn open(&self, env: &Env) -> Result<OpenTrace, Failure> {
        let clock = recorded_times(&self.files, &self.maps, self.unit, &WriteOptions::default().words());
        open_trace(env, &self.files, self.unit, &self.maps, clock)
    }
}

/// A request that has been read.
pub struct PreparedReplay {
    asked: ConfigurationRequest,
    wish: ReplayWish,
    full_credits: bool,
    seed: u64,
    /// The page that is asked for.
    pub page: PageChoice,
    /// The settings that were read, in order.
    pub settings: Vec<Setting>,
}

/// The answer.
pub struct ReplayAnswer {
    document: ReplayDocument,
}

impl PreparedReplay {
    /// Reads a request. The options of a workload but `--map` have no meaning beside a trace.
    ///
    /// # Errors
    /// Returns an error if an option cannot be read or the configuration cannot be built; it names the fix.
    pub fn read(
        own: &ReplayOptions,
        configuration: &ConfigurationOptions,
        workload: &WorkloadOptions,
        page: &PageOptions,
        common: &Common,
        env: &Env,
    ) -> Result<PreparedReplay, Failure> {
        refuse(workload, &["map"], "describes a workload, and the trace takes its place")?;
        let wish = own.read(&workload.jobs.map)?;
        let mut settings = Settings::load(env, common.config.as_deref())?;
        let asked = configuration_of(configuration, &mut settings)?;
        let full_credits = match (asked.age, settings.given("at")) {
            (_, None) => true,
            (Age::Sustained, _) => false,
            (Age::At(age), _) if age.is_zero() => true,
            (Age::At(_), Some(given)) => {
                return Err(given
                    .refuse("a trace begins with full credits or with none")
                    .help("write --at 0 or --at sustained"));
            }
        };
        if let (CacheState::SecondRun | CacheState::Warm, Some(given)) =
            (asked.cache, settings.given("cache-state"))
        {
            return Err(given
                .refuse("a trace begins with empty host caches")
                .help("leave it out, or write --cache-state cold"));
        }
        let seed = settings.parse("seed", common.seed.as_deref(), Some("0"), |text| {
            parse_count(text).map_err(|error| error.to_string())
        })?;
        let page = PageChoice::of(page, &mut settings)?;
        wish.refuse_unknown_volumes(&asked.resolved)?;
        let settings = settings.finish();
        Ok(PreparedReplay { asked, wish, full_credits, seed: seed.unwrap_or(0), page, settings })
    }

    /// Replays the trace.
    ///
    /// # Errors
    /// Returns an error if the trace cannot be read or replayed; it names the fix.
    pub fn answer(self, env: &Env) -> Result<ReplayAnswer, Failure> {
        let PreparedReplay { asked, wish, full_credits, seed, .. } = self;
        let mut trace = wish.open(env)?;
        let map = wish.map();
        let question = ReplayQuestion {
            resolved: &asked.resolved,
            mode: wish.mode,
            speed: wish.speed,
            full_credits,
            seed,
            map: &map,
            goal: None,
        };
        let reading = trace.reading.clone();
        let mut watch = || {
            let (done, of) = reading.bytes();
            env.progress(done, of);
            if env.is_stopped() { Flow::Stop } else { Flow::Continue }
        };
        let replayed = replay_on_model(&question, &mut *trace.source, &mut watch);
        env.progress_ends();
        let replayed = replayed.map_err(|error| failure_of(&trace.files, error))?;
        if replayed.counts.issued == 0 {
            return Err(Failure::input(format!(
                "{}: the trace has no I/O to replay",
                trace.files.join(", ")
            ))
            .help("check it with `iobound trace info`"));
        }
        let mut notes: Vec<String> = asked.notes.iter().chain(&asked.resolved.notes).cloned().collect();
        notes.extend(notes_of(&replayed, &asked.resolved));
        let screen = ReplayScreen {
            replayed: &replayed,
            map: &places(&replayed, &trace.origins(), &asked.resolved),
            resolved: &asked.resolved,
            configuration: &asked.configuration,
            mode: wish.mode,
            speed: wish.speed,
            notes: &notes,
        };
        let read = trace_read(&trace.files, &trace.source.facts());
        Ok(ReplayAnswer { document: replay_document(&screen, read) })
    }
}

/// A replay that failed.
pub(crate) fn failure_of(files: &[String], error: ReplayFailure) -> Failure {
    use iobound_drive::ReplayError;
    match error {
        ReplayFailure::Predict(error) => error.into(),
        ReplayFailure::Replay(ReplayError::Trace(error)) => unread(files, &error),
        ReplayFailure::Replay(ReplayError::NoLatency(number)) => Failure::input(format!(
            "--replay dependent needs recorded latencies, and I/O {number} of the trace has none"
        ))
        .help("use --replay timed, or a trace with latencies"),
        ReplayFailure::Replay(ReplayError::Engine(error)) => panic!("the simulation broke down: {error}"),
    }
}

fn notes_of(replayed: &Replayed, resolved: &Resolved) -> Vec<String> {
    let mut notes = placing_notes(replayed, resolved);
    if !resolved.blueprint.caches.is_empty() {
        notes.push("host caches are empty at the start".into());
    }
    if replayed.stop == Some(ReplayStop::Interrupted) {
        notes.push("interrupted: the figures are of the I/Os up to then".into());
    }
    notes
}

/// The volumes of a trace's devices. Devices that a map renamed have their names of the trace.
pub(crate) fn places(replayed: &Replayed, origins: &[DeviceOrigin], resolved: &Resolved) -> Vec<ReplayMap> {
    let targets = targets_of(resolved);
    let mut places = Vec::new();
    for (device, at) in &replayed.volumes {
        let place = |device: &str, file: &Option<String>| ReplayMap {
            device: device.into(),
            file: file.clone(),
            volume: targets[*at].name.clone(),
        };
        let renamed = origins.iter().filter(|origin| origin.to == *device);
        let before = places.len();
        places.extend(renamed.map(|origin| place(&origin.device, &origin.file)));
        if places.len() == before {
            places.push(place(device, &None));
        }
    }
    places
}

/// Remarks about the places of a trace's I/Os on the volumes.
pub(crate) fn placing_notes(replayed: &Replayed, resolved: &Resolved) -> Vec<String> {
    let mut notes = Vec::new();
    let first = targets_of(resolved).into_iter().next().map(|target| target.name).unwrap_or_default();
    let on_first = replayed.volumes.iter().filter(|(device, at)| *at == 0 && *device != first).count();
    if on_first > 1 {
        notes.push(format!(
            "{on_first} devices of the trace share the volume {first}, at the same offsets: --map DEVICE=VOLUME separates them"
        ));
    }
    if replayed.counts.wrapped > 0 {
        notes.push(format!(
            "{} I/Os lie beyond the end of their volume, and were wrapped: sequential runs and reuse may differ; larger disks or `trace scale --offsets` avoid it",
            iobound_units::Grouped(replayed.counts.wrapped)
        ));
    }
    notes
}

/// Refuses options that have no meaning beside a trace.
///
/// # Errors
/// Returns an error if one of them is given.
pub fn refuse<O: Options>(given: &O, but: &[&str], why: &str) -> Result<(), Failure> {
    let idle =
        O::specs().into_iter().find(|spec| !but.contains(&spec.name) && !given.values(spec.name).is_empty());
    match idle {
        Some(spec) => Err(Failure::input(format!("--{} beside --trace: it {why}", spec.name))
            .help("leave one of the two out")),
        None => Ok(()),
    }
}

impl ReplayAnswer {
    /// The document.
    pub fn document(&self) -> &ReplayDocument {
        &self.document
    }

    /// The screen.
    pub fn text(&self, style: Style) -> String {
        replay_text(&self.document, style)
    }

    /// The exit code.
    pub fn exit(&self) -> Exit {
        if self.document.interrupted { Exit::Interrupted } else { Exit::Done }
    }
}

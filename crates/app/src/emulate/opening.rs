//! From the start to the end of an emulator.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use iobound_emulate::control::ControlSocket;
use iobound_emulate::metrics::MetricsServer;
use iobound_emulate::store::Backing;
use iobound_emulate::{Emulator, ExportKind, Shared};
use iobound_model::{Blueprint, CacheId, Start, StartCredits};
use iobound_predict::{Age, CacheState, Left};
use iobound_report::{Device, EmulatorEnd, EmulatorState, LiveScreen, Served, Serving, emulate_metrics};
use iobound_units::Span;

use super::backing::Backings;
use super::before::Before;
use super::configured::EmulatedConfiguration;
use super::fronts::{Fronts, ServePlaces};
use super::how::EmulateOptions;
use super::server::Server;
use super::{measure, registry};
use crate::scratch;
use crate::settings::ConfigurationRequest;
use crate::{Env, Failure};

/// Number of requests that an emulator holds at most, of all clients together.
const CAPACITY: usize = 16_384;
/// Number of times that it is seen whether the end is asked for.
const GLANCE: Duration = Duration::from_millis(50);
/// After a signal, seals of disks are waited for this long.
const SEALED_WITHIN: Duration = Duration::from_millis(300);
/// Time that a second is.
const INTERVAL: Duration = Duration::from_secs(1);

/// A difference between fronts that is not spoken of: it is within what the measurement scatters.
const LITTLE: Span = Span::from_us(5);

type Running = Arc<Mutex<Server>>;

/// An emulator that serves, and what is to be said of it.
struct Opened {
    server: Server,
    served: Vec<Served>,
    devices: Vec<Device>,
    backing: String,
    /// Latencies that are smaller than what is subtracted from them.
    short: Vec<(String, Span)>,
    cache: Option<String>,
    credits: Option<String>,
    notes: Vec<String>,
}

/// An event of an emulator, for the one who started it.
pub enum EmulatorEvent<'a> {
    /// Clients can connect.
    Ready(&'a Serving<'a>),
    /// A second has passed.
    Second {
        /// State of the emulator.
        state: &'a EmulatorState,
        /// Makes the live screen of the state.
        screen: &'a mut dyn FnMut() -> LiveScreen,
    },
    /// The end begins: no further second follows.
    Ends,
}

/// Takes the events of an emulator. A failure ends the emulator.
pub type TakeEvent<'a> = &'a mut dyn FnMut(EmulatorEvent<'_>) -> Result<(), Failure>;

/// The result of an emulator that has ended. Dropping it lets the disks go, which seals their files.
pub struct EndedEmulator {
    /// The last state, the reason of the end, and what was lost.
    pub end: EmulatorEnd,
    server: Option<Running>,
    env: Env,
}

impl Drop for EndedEmulator {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            let_go(server, &self.env);
        }
    }
}

/// Serves until the end.
pub(crate) fn serve(
    asked: ConfigurationRequest,
    before: Option<Before>,
    how: &EmulateOptions,
    said: Vec<String>,
    take: TakeEvent<'_>,
    env: &Env,
) -> Result<EndedEmulator, Failure> {
    let opened = open(asked, before, how, said, env)?;
    let (configuration, resolved, blueprint) = opened.server.built();
    let (memory, made_up) = (opened.server.backings.memory(), opened.server.made_up());
    let server: Running = Arc::new(Mutex::new(opened.server));
    let entry = registry::Entry::of_this_process(how.control.as_deref(), env)?;
    let control_path: PathBuf = how.control.clone().unwrap_or_else(|| entry.path().to_path_buf());
    let control = listen(&server, &control_path)?;
    let metrics = how.metrics.map(|at| measured_at(&server, at)).transpose()?;
    let address = metrics.as_ref().map(|metrics| format!("http://{}/metrics", metrics.address()));
    let absolute = std::path::absolute(control.path()).unwrap_or(control_path);
    let serving = Serving {
        configuration: &configuration,
        resolved: &resolved,
        blueprint: &blueprint,
        devices: &opened.devices,
        fronts: &opened.served,
        backing: &opened.backing,
        memory: Some(memory),
        made_up: Some(made_up).filter(|made_up| !made_up.is_zero()),
        short: &opened.short,
        cache: opened.cache,
        credits: opened.credits,
        crash: how.crash,
        control: &absolute.display().to_string(),
        metrics: address.as_deref(),
        notes: &opened.notes,
    };
    take(EmulatorEvent::Ready(&serving))?;
    env.of_process().load_begins();
    let because = run(&server, how, take, env)?;
    // No command and no look once it ends.
    drop((control, metrics, entry));
    let end = summary(&mut lock(&server), because, how.crash, env);
    Ok(EndedEmulator { end, server: Some(server), env: env.clone() })
}

/// Measures what the transport costs, builds the emulator, and lets clients in.
fn open(
    asked: ConfigurationRequest,
    before: Option<Before>,
    how: &EmulateOptions,
    said: Vec<String>,
    env: &Env,
) -> Result<Opened, Failure> {
    let left = before.as_ref().map(|before| before.left(&asked, env)).transpose()?;
    let left = before.as_ref().zip(left.as_ref());
    let (credits, credit_words) = credits(&asked, left);
    let said = said.iter().chain(before.iter().flat_map(|before| &before.notes));
    let mut notes: Vec<String> =
        asked.notes.iter().chain(&asked.resolved.notes).chain(said).cloned().collect();
    notes.extend(scratch::repair(env));
    let mut configured =
        EmulatedConfiguration::new(asked.configuration, asked.resolved, asked.catalog, how.limiters);
    let mut backings = Backings::of(how)?;
    let places = ServePlaces {
        nbd: how.nbd.clone(),
        fuse: how.fuse.clone(),
        allow_other: how.allow_other,
        spin: how.spin,
    };
    let costs = match how.transport_cost {
        None if how.limiters => Some(measure::costs(&configured.resolved.blueprint, &places, env)?),
        _ => None,
    };
    let least = costs.iter().flatten().min().copied();
    configured.made_up = how.transport_cost.or(least).unwrap_or_default();
    let (blueprint, short) = configured.blueprint();
    let has_credits = blueprint.has_credits();
    let cache = (!blueprint.caches.is_empty()).then_some(asked.cache);
    let start = Start { seed: how.seed, credits };
    let (emulator, cache) = build(&blueprint, &start, backings.all(&blueprint, how)?, (cache, left), env)?;
    let shared = Shared::new(emulator).map_err(Failure::io)?;
    let fronts = Fronts::start(&shared, &places, env)?;
    notes.extend(fronts.notes().iter().cloned());
    notes.extend(costs.iter().flat_map(|costs| slower(&fronts, costs, configured.made_up)));
    let cost = |n: usize| costs.as_ref().map(|costs| costs[n]);
    let served = fronts.served().iter().enumerate();
    Ok(Opened {
        served: served.map(|(n, at)| Served { at: at.clone(), cost: cost(n) }).collect(),
        devices: devices(&shared),
        backing: backings.words(how),
        short: short.into_iter().map(|short| (short.of, short.by)).collect(),
        cache,
        credits: has_credits.then_some(credit_words),
        notes,
        server: Server::new(shared, fronts, backings, configured, how.duration),
    })
}

/// The emulator that would serve, with its data in memory. Nothing is opened, and nobody is served.
///
/// # Errors
/// Returns an error if the configuration or the memory limit is not possible for an emulator.
pub(crate) fn model(
    asked: ConfigurationRequest,
    before: Option<Before>,
    how: &EmulateOptions,
    env: &Env,
) -> Result<(), Failure> {
    let left = before.as_ref().map(|before| before.left(&asked, env)).transpose()?;
    let left = before.as_ref().zip(left.as_ref());
    let (credits, _) = credits(&asked, left);
    let mut configured =
        EmulatedConfiguration::new(asked.configuration, asked.resolved, asked.catalog, how.limiters);
    configured.made_up = how.transport_cost.unwrap_or_default();
    let (blueprint, _) = configured.blueprint();
    let cache = (!blueprint.caches.is_empty()).then_some(asked.cache);
    let start = Start { seed: how.seed, credits };
    let in_memory =
        EmulateOptions { backing: super::how::Backing::Memory, images: Vec::new(), ..how.clone() };
    let disks = Backings::of(&in_memory)?.all(&blueprint, &in_memory)?;
    build(&blueprint, &start, disks, (cache, left), env).map(drop)
}

fn lock(server: &Running) -> MutexGuard<'_, Server> {
    server.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Content of burst credits at the start, and the same in words; what a workload has left is set later.
fn credits(asked: &ConfigurationRequest, left: Option<(&Before, &Left)>) -> (StartCredits, String) {
    let of_workload = left.and_then(|(before, left)| before.credit_words(left, &asked.resolved, asked.age));
    match asked.age {
        Age::At(age) if age.is_zero() => (StartCredits::Full, "full".to_string()),
        _ => (StartCredits::Spent, of_workload.unwrap_or_else(|| "spent: full with --at 0".to_string())),
    }
}

/// The emulator, with its caches as asked for, and what they hold in words.
fn build(
    blueprint: &Blueprint,
    start: &Start,
    disks: Vec<Box<dyn Backing>>,
    (cache, left): (Option<CacheState>, Option<(&Before, &Left)>),
    env: &Env,
) -> Result<(Emulator, Option<String>), Failure> {
    let mut emulator = Emulator::new(blueprint, start, CAPACITY, disks).map_err(Failure::input)?;
    if let Some((_, left)) = left {
        left.set_credits(emulator.stack())?;
    }
    let words = cache.map(|cache| match (cache, left.filter(|(before, _)| before.fills(cache))) {
        (CacheState::Warm | CacheState::SecondRun, Some((before, left))) => {
            before.fill(left, emulator.stack(), env);
            before.cache_words(left)
        }
        (CacheState::Warm, None) => warm(&mut emulator, blueprint),
        (CacheState::Cold, _) | (CacheState::SecondRun, None) => "cold: it is empty".to_string(),
    });
    if env.is_stopped() {
        return Err(Failure::interrupted("nothing was served"));
    }
    Ok((emulator, words))
}

/// Fills the caches: with everything where it fits, else with the beginnings of the volumes, in equal shares.
fn warm(emulator: &mut Emulator, blueprint: &Blueprint) -> String {
    let mut holds_all = true;
    for (n, cache) in blueprint.caches.iter().enumerate() {
        let id = CacheId(n as u16);
        let used = |disk: &&iobound_model::DiskSpec| disk.cache.is_some_and(|used| used.cache == id);
        let size: u64 = blueprint.disks.iter().filter(used).map(|disk| disk.size.get()).sum();
        if size <= cache.capacity.get() {
            emulator.stack().complete_cache(id);
            continue;
        }
        holds_all = false;
        for (target, volume) in blueprint.volumes.iter().enumerate() {
            let disks = volume.disks.iter().map(|disk| &blueprint.disks[usize::from(disk.0)]);
            if disks.clone().any(|disk| used(&disk)) {
                let share =
                    u128::from(volume.size.get()) * u128::from(cache.capacity.get()) / u128::from(size);
                emulator.stack().prefill(target, 0, share as u64);
            }
        }
    }
    match holds_all {
        true => "warm: it holds every disk that has one".to_string(),
        false => "warm: it holds the beginning of each volume, up to its size".to_string(),
    }
}

/// Notes about fronts that cost more than is subtracted.
fn slower(fronts: &Fronts, costs: &[Span], made_up: Span) -> Vec<String> {
    let more = fronts.served().iter().zip(costs).filter(|(_, cost)| cost.ns() > made_up.ns() + LITTLE.ns());
    more.map(|(at, cost)| {
        let over = Span::from_ns(cost.ns() - made_up.ns()).us_f64();
        format!("{} {}: clients see latencies {over:.0} us longer than modelled", at.front(), at.place())
    })
    .collect()
}

fn devices(shared: &Shared) -> Vec<Device> {
    let emulator = shared.lock();
    let device = |export: &iobound_emulate::Export| Device {
        name: export.name.clone(),
        size: export.size,
        is_volume: export.kind == ExportKind::Volume,
        disks: export.disks,
    };
    emulator.exports().iter().map(device).collect()
}

fn listen(server: &Running, path: &std::path::Path) -> Result<ControlSocket, Failure> {
    let server = Arc::clone(server);
    let answer =
        move |line: &str| serde_json::to_string(&lock(&server).answer(line)).expect("its keys are strings");
    ControlSocket::listen(path, answer)
        .map_err(|why| Failure::io(why).help("choose another path: --control iobound.ctl"))
}

fn measured_at(server: &Running, at: std::net::SocketAddr) -> Result<MetricsServer, Failure> {
    let server = Arc::clone(server);
    MetricsServer::listen(at, move || emulate_metrics(&lock(&server).now())).map_err(|error| {
        Failure::io(format!("--metrics {at}: {error}")).help("choose another port, or 0 for any free port")
    })
}

/// Looks once a second until the end is requested; returns the reason.
fn run(
    server: &Running,
    how: &EmulateOptions,
    take: TakeEvent<'_>,
    env: &Env,
) -> Result<&'static str, Failure> {
    let start = Instant::now();
    let over = how.duration.map(|duration| start + Duration::from_nanos(duration.ns()));
    let mut next = start + INTERVAL;
    let because = loop {
        if env.is_stopped() {
            break "a signal";
        }
        if let Some(because) = lock(server).stop() {
            break because;
        }
        let now = Instant::now();
        if over.is_some_and(|over| now >= over) {
            break "--duration";
        }
        if now >= next {
            let mut server = lock(server);
            server.look();
            let mut screen = || server.screen(server.state(), "Ctrl-C");
            take(EmulatorEvent::Second { state: server.state(), screen: &mut screen })?;
            drop(server);
            // A second that was missed altogether is not made up: rates of a moment say nothing.
            next += INTERVAL;
            if next <= now {
                next = now + INTERVAL;
            }
        }
        let until = over.map_or(next, |over| over.min(next));
        std::thread::sleep(until.saturating_duration_since(Instant::now()).min(GLANCE));
    };
    take(EmulatorEvent::Ends)?;
    Ok(because)
}

/// Lets the disks go, which seals the marks of their files: samples of each are read. After a signal that is waited for only
/// shortly; without a seal the next start does not compare the content.
fn let_go(server: Running, env: &Env) {
    if !env.is_stopped() {
        return drop(server);
    }
    let (says, done) = mpsc::channel();
    std::thread::spawn(move || {
        drop(server);
        says.send(())
    });
    // Nothing depends on whether it is in time.
    let _ = done.recv_timeout(SEALED_WITHIN);
}

/// Ends the fronts, writes back or loses what is dirty, and sums up.
fn summary(server: &mut Server, because: &'static str, crash: bool, env: &Env) -> EmulatorEnd {
    server.fronts.unmount().iter().for_each(|note| env.note(note));
    server.fronts.close();
    // This follows the last client: nothing more is acknowledged, so the loss is complete.
    let lost = crash.then(|| server.lose());
    if !crash && server.shared.alter(|emulator, _, _| emulator.settle()).is_err() {
        env.note("the backing had no space for all dirty data: the rest is lost");
    }
    server.look();
    EmulatorEnd { state: server.state().clone(), because, lost }
}

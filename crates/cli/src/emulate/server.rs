//! The emulator that runs: asked, changed, looked at.

use std::sync::Arc;

use iobound_emulate::control::{Command, Selection, Trouble};
use iobound_emulate::state::Look;
use iobound_emulate::{NotBuilt, Shared};
use iobound_model::{BadHost, CacheId, Change, Dimension, DiskId, Fault, GateId};
use iobound_report::{EmulatorState, Style, emulate_state_json, emulate_view};
use iobound_units::{Instant, Ppm, Span, TargetId};
use serde_json::{Value, json};

use super::backing::Backings;
use super::configured::Configured;
use super::fronts::Fronts;
use super::states::{Looked, state_between};
use crate::failure::Failure;

/// The version of an answer to a command.
const SCHEMA: &str = "iobound.emulate-ctl/1";

/// All there is of an emulator that runs.
pub(super) struct Server {
    pub(super) shared: Arc<Shared>,
    pub(super) fronts: Fronts,
    pub(super) backings: Backings,
    configured: Configured,
    /// What was asked of the disks that misbehave: whose, how, until when.
    faults: Vec<(String, String, Instant)>,
    last: Look,
    state: EmulatorState,
    /// Why it is to end.
    stop: Option<&'static str>,
}

impl Server {
    pub(super) fn new(
        shared: Arc<Shared>,
        fronts: Fronts,
        backings: Backings,
        configured: Configured,
    ) -> Server {
        let last = shared.alter(|emulator, now, _| emulator.look(now));
        let mut server = Server {
            shared,
            fronts,
            backings,
            configured,
            faults: Vec::new(),
            last,
            state: EmulatorState::default(),
            stop: None,
        };
        server.look();
        server
    }

    /// Why it is to end, if somebody said so.
    pub(super) fn stop(&self) -> Option<&'static str> {
        self.stop
    }

    /// What is subtracted from every latency.
    pub(super) fn made_up(&self) -> Span {
        self.configured.made_up
    }

    /// What happened in the last interval.
    pub(super) fn state(&self) -> &EmulatorState {
        &self.state
    }

    /// Looks, and keeps what happened since the last look.
    pub(super) fn look(&mut self) -> &EmulatorState {
        let (look, blueprint, exports) = self.shared.alter(|emulator, now, _| {
            (emulator.look(now), emulator.blueprint().clone(), emulator.exports().to_vec())
        });
        self.faults.retain(|(.., until)| *until > look.at);
        let looked = Looked {
            blueprint: &blueprint,
            exports: &exports,
            resolved: &self.configured.resolved,
            lateness: self.fronts.lateness(),
            memory: self.backings.memory(),
            faults: self.faults.iter().map(|(of, how, until)| fault_words(of, how, *until, look.at)).collect(),
        };
        let mut state = state_between(&self.last, &look, &looked);
        state.held_bytes = self.backings.held().get();
        self.state = state;
        self.last = look;
        &self.state
    }

    /// The answer to a line of the control socket: `{"words":[...],"width":80}`.
    pub(super) fn answer(&mut self, line: &str) -> String {
        let answered = serde_json::from_str::<Value>(line)
            .map_err(|error| Failure::input(format!("no line of JSON: {error}")).mend(r#"write {"words":["state"]}"#))
            .and_then(|asked| self.do_words(&asked));
        let value = match answered {
            Ok(answer) => answer,
            Err(failure) => json!({ "schema": SCHEMA, "error": failure.what(), "mend": failure.mended() }),
        };
        value.to_string()
    }

    fn do_words(&mut self, asked: &Value) -> Result<Value, Failure> {
        let words: Option<Vec<&str>> =
            asked["words"].as_array().and_then(|words| words.iter().map(Value::as_str).collect());
        let words = words.ok_or_else(|| {
            Failure::input("the line has no `words`").mend(r#"write {"words":["cache","data","readonly"]}"#)
        })?;
        let command =
            Command::parse(&words).map_err(|refused| Failure::input(&refused.what).mend(&refused.mend))?;
        if command == Command::State {
            let state: Value = serde_json::from_str(&emulate_state_json(&self.state)).unwrap_or_default();
            let width = asked["width"].as_u64().map(|width| (width as usize).clamp(20, 1000));
            let color = asked["color"].as_bool().unwrap_or(false);
            let screen = emulate_view(&self.state, Style { width, color, ascii: false });
            return Ok(json!({ "schema": SCHEMA, "said": screen, "state": state }));
        }
        let said = self.carry_out(&command)?;
        Ok(json!({ "schema": SCHEMA, "said": said, "state": Value::Null }))
    }

    /// Does what was asked, and says what was done.
    fn carry_out(&mut self, command: &Command) -> Result<Vec<String>, Failure> {
        match command {
            Command::State => Ok(Vec::new()),
            Command::Cache { of, mode } => self.reconfigure(self.configured.with_cache(of, *mode)?),
            Command::Tier { of, tier } => self.reconfigure(self.configured.with_tier(of, tier)?),
            Command::AddDisk { spec } => self.reconfigure(self.configured.with_disk(spec)?),
            Command::Credits { of, fill } => self.set_credits(of, *fill),
            Command::Warm { volume } => self.warm(volume.as_deref()),
            Command::DropCache => self.drop_caches(),
            Command::Fault { of, fault } => self.set_fault(of, *fault),
            Command::BadHost { slower } => self.set_host(*slower),
            Command::Crash => self.crash(),
            Command::Stop => {
                self.stop = Some("ctl stop");
                Ok(vec!["it ends".to_string()])
            }
        }
    }

    /// Becomes another configuration.
    fn reconfigure(&mut self, wanted: Configured) -> Result<Vec<String>, Failure> {
        if !wanted.gates {
            return Err(Failure::input("with --gates off there is nothing to change")
                .mend("start the emulator without it"));
        }
        let (blueprint, short) = wanted.blueprint();
        let backings = &self.backings;
        let become_wanted = |emulator: &mut iobound_emulate::Emulator, now, _: &mut _| {
            let before = emulator.exports().len();
            let kept = emulator.become_wanted(now, &blueprint, |spec| backings.disk(spec))?;
            let names: Vec<String> =
                emulator.exports()[before..].iter().map(|export| export.name.clone()).collect();
            Ok::<_, NotBuilt>((kept, names))
        };
        let (kept, names) = self.shared.alter(become_wanted).map_err(Failure::input)?;
        let known = self.configured.resolved.notes.clone();
        let notes = wanted.resolved.notes.iter().filter(|note| !known.contains(note)).cloned();
        let mut said = vec!["done".to_string()];
        said.extend((!names.is_empty()).then(|| format!("new devices: {}", names.join(", "))));
        // Single disks are devices that no configuration asks for.
        said.extend(kept);
        said.extend(notes);
        said.extend(short.iter().map(|short| format!("{} are felt {} longer than they are", short.of, short.by)));
        self.configured = wanted;
        Ok(said)
    }

    fn set_credits(&mut self, of: &Selection, fill: bool) -> Result<Vec<String>, Failure> {
        let gates = self.gates_of(of)?;
        let changed = self.shared.alter(|emulator, now, _| {
            let blueprint = emulator.blueprint().clone();
            let mut changed = Vec::new();
            for id in gates {
                let gate = &blueprint.gates[usize::from(id.0)];
                for dimension in Dimension::ALL {
                    let Some(credit) = gate.credit(dimension) else { continue };
                    let credits = if fill { credit.capacity } else { 0 };
                    emulator.change(now, Change::Credits(id, dimension, credits))?;
                    changed.push(format!("{} {}", gate.name, dimension.name()));
                }
            }
            Ok::<_, NotBuilt>(changed)
        });
        let changed = changed.map_err(Failure::input)?;
        if changed.is_empty() {
            return Err(Failure::input("none of these has burst credits")
                .mend("a D2s_v3 and a P20 have some; `state` shows them"));
        }
        let word = if fill { "full" } else { "spent" };
        Ok(vec![format!("credits are {word}: {}", changed.join(", "))])
    }

    /// The gates of a selection: by disk, by volume, by the gate's own group or name.
    fn gates_of(&self, of: &Selection) -> Result<Vec<GateId>, Failure> {
        let emulator = self.shared.lock();
        let gates = &emulator.blueprint().gates;
        let ids = |is: &dyn Fn(&iobound_model::GateSpec) -> bool| -> Vec<GateId> {
            (0..gates.len() as u16).map(GateId).filter(|id| is(&gates[usize::from(id.0)])).collect()
        };
        let Selection::Named(name) = of else { return Ok(ids(&|_| true)) };
        let found = ids(&|gate| gate.name.group == *name || gate.name.to_string() == *name);
        if !found.is_empty() {
            return Ok(found);
        }
        let disks = self.configured.disks_of(name)?;
        Ok(ids(&|gate| gate.name.instance.as_ref().is_some_and(|disk| disks.contains(disk))))
    }

    fn disk_ids(&self, of: &Selection) -> Result<Vec<DiskId>, Failure> {
        let emulator = self.shared.lock();
        let disks = &emulator.blueprint().disks;
        let all = || (0..disks.len() as u16).map(DiskId);
        let Selection::Named(name) = of else { return Ok(all().collect()) };
        let names = self.configured.disks_of(name)?;
        Ok(all().filter(|id| names.contains(&disks[usize::from(id.0)].name)).collect())
    }

    fn warm(&mut self, volume: Option<&str>) -> Result<Vec<String>, Failure> {
        let targets: Option<Vec<usize>> = match volume {
            None => None,
            Some(name) => Some(
                self.configured.resolved.volumes_of(name).ok_or_else(|| self.configured.unknown(name))?,
            ),
        };
        let names: Option<Vec<String>> = targets.map(|targets| {
            let volumes = &self.configured.resolved.blueprint.volumes;
            targets.iter().map(|target| volumes[*target].name.clone()).collect()
        });
        let warmed = self.shared.alter(|emulator, now, _| {
            let blueprint = emulator.blueprint().clone();
            let mut warmed = Vec::new();
            for (n, export) in emulator.exports().to_vec().into_iter().enumerate() {
                let spec = &blueprint.volumes[n];
                let is_cached =
                    spec.disks.iter().any(|disk| blueprint.disks[usize::from(disk.0)].cache.is_some());
                let is_asked = match &names {
                    Some(names) => names.contains(&export.name),
                    None => export.kind == iobound_emulate::ExportKind::Volume,
                };
                if is_cached && is_asked {
                    emulator.change(now, Change::Warm(TargetId(n as u16), 0, spec.size.get()))?;
                    warmed.push(export.name);
                }
            }
            Ok::<_, NotBuilt>(warmed)
        });
        let warmed = warmed.map_err(Failure::input)?;
        if warmed.is_empty() {
            return Err(no_cache());
        }
        Ok(vec![format!("the host cache holds what it can of {}", warmed.join(", "))])
    }

    fn drop_caches(&mut self) -> Result<Vec<String>, Failure> {
        let caches = self.shared.alter(|emulator, now, _| {
            let caches = emulator.blueprint().caches.len() as u16;
            (0..caches).try_for_each(|id| emulator.change(now, Change::DropCache(CacheId(id))))?;
            Ok::<_, NotBuilt>(caches)
        });
        match caches.map_err(Failure::input)? {
            0 => Err(no_cache()),
            _ => Ok(vec!["the host cache holds nothing; what is dirty stays".to_string()]),
        }
    }

    fn set_fault(&mut self, of: &Selection, trouble: Option<Trouble>) -> Result<Vec<String>, Failure> {
        let disks = self.disk_ids(of)?;
        let words = trouble.map_or("no fault".to_string(), trouble_words);
        if let Some(Trouble { stall: Some(stall), lasts: Some(lasts), .. }) = trouble
            && stall > lasts
        {
            return Err(Failure::input(format!("a stall of {stall} in a fault of {lasts}: it would end before"))
                .mend("make for= as long as stall="));
        }
        let until = self.shared.alter(|emulator, now, _| {
            let fault = trouble.map_or(Fault::NONE, |trouble| fault_of(trouble, now));
            disks.iter().try_for_each(|id| emulator.change(now, Change::Fault(*id, fault)))?;
            Ok::<_, NotBuilt>(fault.until)
        });
        let until = until.map_err(Failure::input)?;
        let of = match of {
            Selection::All => "all disks".to_string(),
            Selection::Named(name) => name.clone(),
        };
        self.faults.retain(|(other, ..)| *other != of && (of != "all disks" || other == BAD_HOST));
        if trouble.is_some() {
            self.faults.push((of.clone(), words.clone(), until));
        }
        Ok(vec![format!("{of}: {words}")])
    }

    fn set_host(&mut self, slower: Option<(Ppm, Option<Span>)>) -> Result<Vec<String>, Failure> {
        let until = self.shared.alter(|emulator, now, _| {
            let until = slower.and_then(|(_, lasts)| lasts).map_or(Instant::MAX, |lasts| now + lasts);
            let host = match slower {
                Some((latency, _)) => BadHost { latency, until },
                None => BadHost { latency: Ppm::ONE, until: Instant::MAX },
            };
            emulator.change(now, Change::Host(host)).map(|()| until)
        });
        let until = until.map_err(Failure::input)?;
        self.faults.retain(|(of, ..)| of != BAD_HOST);
        let Some((latency, lasts)) = slower else { return Ok(vec!["the host is as it should be".to_string()]) };
        let words = format!("every latency {}{}", factor_words(latency), lasts_words(lasts));
        self.faults.push((BAD_HOST.to_string(), words.clone(), until));
        Ok(vec![format!("{BAD_HOST}: {words}")])
    }

    fn crash(&mut self) -> Result<Vec<String>, Failure> {
        let lost = self.lose();
        let words: Vec<String> = lost
            .iter()
            .filter(|(_, bytes)| *bytes > 0)
            .map(|(disk, bytes)| format!("{disk}: {bytes} bytes that were acknowledged are lost"))
            .collect();
        let first = "the host failed: what was under way failed, its cache is cold".to_string();
        Ok([vec![first], if words.is_empty() { vec!["nothing is lost".to_string()] } else { words }].concat())
    }

    /// Loses the host, and says what that loses, by disk.
    pub(super) fn lose(&mut self) -> Vec<(String, u64)> {
        self.shared.alter(|emulator, now, batch| {
            // Up to now, what was written back is.
            emulator.poll(now, batch);
            let disks = emulator.blueprint().disks.iter().enumerate();
            let lost = disks
                .map(|(n, disk)| (disk.name.clone(), emulator.unsettled(DiskId(n as u16)).get()))
                .collect();
            emulator.crash(now, batch);
            lost
        })
    }
}

const BAD_HOST: &str = "bad host";

fn no_cache() -> Failure {
    Failure::input("no disk of these has a host cache").mend("give one: cache data readonly")
}

fn fault_of(trouble: Trouble, now: Instant) -> Fault {
    let stalled_until = trouble.stall.map_or(Instant::ZERO, |stall| now + stall);
    let only_stalls = trouble.latency == Ppm::ONE && trouble.errors.ppm() == 0;
    let until = match trouble.lasts {
        Some(lasts) => now + lasts,
        None if only_stalls => stalled_until,
        None => Instant::MAX,
    };
    Fault { latency: trouble.latency, errors: Ppm(trouble.errors.ppm()), stalled_until, until }
}

fn factor_words(factor: Ppm) -> String {
    format!("{}x", factor.as_f64())
}

fn lasts_words(lasts: Option<Span>) -> String {
    lasts.map_or(String::new(), |lasts| format!(" for {lasts}"))
}

fn trouble_words(trouble: Trouble) -> String {
    let mut words = Vec::new();
    if trouble.latency != Ppm::ONE {
        words.push(format!("latency {}", factor_words(trouble.latency)));
    }
    if trouble.errors.ppm() > 0 {
        words.push(format!("{} % of I/Os fail", trouble.errors.fraction() * 100.0));
    }
    if let Some(stall) = trouble.stall {
        words.push(format!("nothing completes for {stall}"));
    }
    format!("{}{}", words.join(", "), lasts_words(trouble.lasts))
}

/// A fault as the state says it: with what is left of it.
fn fault_words(of: &str, how: &str, until: Instant, now: Instant) -> String {
    if until == Instant::MAX {
        return format!("{of}: {how}");
    }
    format!("{of}: {how} ({} s left)", until.since(now).ns() / 1_000_000_000)
}

//! The emulator that runs: asked, changed, looked at.

use std::sync::Arc;
use std::time::Duration;

use iobound_catalog::{Configuration, Resolved};
use iobound_documents::{ControlDocument, ControlDone, ControlLine, ControlRefused, Version};
use iobound_emulate::control::{Command, Selection};
use iobound_emulate::state::Look;
use iobound_emulate::{Export, NotBuilt, Shared};
use iobound_measure::Histogram;
use iobound_model::{Blueprint, Change, DiskId};
use iobound_report::{EmulatorState, LiveScreen, Recent, Style, emulate_screen, emulate_state_document};
use iobound_units::{Problem, Span};

use super::backing::Backings;
use super::configured::EmulatedConfiguration;
use super::faults::Faults;
use super::fronts::Fronts;
use super::states::{Looked, state_between};
use crate::Failure;

/// All there is of an emulator that runs.
pub(super) struct Server {
    pub(super) shared: Arc<Shared>,
    pub(super) fronts: Fronts,
    pub(super) backings: Backings,
    configured: EmulatedConfiguration,
    faults: Faults,
    /// Constant facts are written once.
    kept: Vec<String>,
    /// The looks at the ends of the last two intervals, with the lateness of the last one by front.
    looks: [Look; 2],
    late: Vec<Histogram>,
    state: EmulatorState,
    /// The IOPS of the last seconds, by device.
    recent: Recent,
    /// Reason why it is to end.
    stop: Option<&'static str>,
    /// Time after which it ends by itself.
    lasts: Option<Span>,
}

impl Server {
    pub(super) fn new(
        shared: Arc<Shared>,
        fronts: Fronts,
        backings: Backings,
        configured: EmulatedConfiguration,
        lasts: Option<Span>,
    ) -> Server {
        let last = shared.alter(|emulator, now, _| emulator.look(now));
        let mut server = Server {
            shared,
            fronts,
            backings,
            configured,
            faults: Faults::default(),
            kept: Vec::new(),
            looks: [last.clone(), last],
            late: Vec::new(),
            state: EmulatorState::default(),
            recent: Recent::default(),
            stop: None,
            lasts,
        };
        server.look();
        server
    }

    /// Reason of the requested end, if there is one.
    pub(super) fn stop(&self) -> Option<&'static str> {
        self.stop
    }

    /// The request, what that is, and what is emulated of it.
    pub(super) fn built(&self) -> (Configuration, Resolved, Blueprint) {
        let EmulatedConfiguration { configuration, resolved, .. } = &self.configured;
        (configuration.clone(), resolved.clone(), self.configured.blueprint().0)
    }

    /// Time subtracted from every latency.
    pub(super) fn made_up(&self) -> Span {
        self.configured.made_up
    }

    /// The events in the last interval.
    pub(super) fn state(&self) -> &EmulatorState {
        &self.state
    }

    /// Looks, and keeps what happened since the last look.
    pub(super) fn look(&mut self) -> &EmulatorState {
        let (look, blueprint, exports) = self.shared.alter(|emulator, now, _| {
            (emulator.look(now), emulator.blueprint().clone(), emulator.exports().to_vec())
        });
        self.late = self.fronts.lateness().iter().map(|(_, lateness)| lateness.interval()).collect();
        let [_, last] = &self.looks;
        self.state = self.between(last, &look, &self.late, &blueprint, &exports);
        // The first look is at no time at all.
        if self.state.interval_s > 0.0 {
            let at = Span::from_ns(look.at.ns());
            for device in &self.state.devices {
                self.recent.take(&device.name, at, device.iops());
            }
        }
        self.looks.swap(0, 1);
        self.looks[1] = look;
        &self.state
    }

    /// A state as a screen, with the last seconds.
    pub(super) fn screen(&self, state: &EmulatorState, ended_by: &str) -> LiveScreen {
        match self.lasts {
            Some(lasts) => {
                emulate_screen(state, &self.recent, &format!("--duration {lasts} is over, or {ended_by}"))
            }
            None => emulate_screen(state, &self.recent, ended_by),
        }
    }

    /// The events now: in the second before the last look, and since. Nobody's interval is cut short by it.
    pub(super) fn now(&self) -> EmulatorState {
        let (mut look, blueprint, exports) = self.shared.alter(|emulator, now, _| {
            (emulator.glance(now), emulator.blueprint().clone(), emulator.exports().to_vec())
        });
        let [before, last] = &self.looks;
        for (now, last) in look.exports.iter_mut().zip(&last.exports) {
            now.latencies.merge(&last.latencies);
        }
        let late = self.fronts.lateness().iter().enumerate().map(|(n, (_, lateness))| {
            let mut late = lateness.so_far();
            self.late.get(n).iter().for_each(|last| late.merge(last));
            late
        });
        self.between(before, &look, &late.collect::<Vec<_>>(), &blueprint, &exports)
    }

    fn between(
        &self,
        before: &Look,
        after: &Look,
        late: &[Histogram],
        blueprint: &Blueprint,
        exports: &[Export],
    ) -> EmulatorState {
        let fronts = self.fronts.lateness().iter().zip(late);
        let late: Vec<_> = fronts.map(|((name, total), late)| (*name, late, total.total())).collect();
        let looked = Looked {
            blueprint,
            exports,
            resolved: &self.configured.resolved,
            late: &late,
            memory: Some(self.backings.memory()),
            faults: self.faults.words(after.at),
        };
        let mut state = state_between(before, after, &looked);
        state.held_bytes = self.backings.held().get();
        state
    }

    /// The answer to a line of the control socket: `{"words":["state"],"width":80}`.
    pub(super) fn answer(&mut self, line: &str) -> ControlDocument {
        let answered = serde_json::from_str(line)
            .map_err(|error| {
                Failure::input(format!("not a command: {error}")).help(r#"write {"words":["state"]}"#)
            })
            .and_then(|asked| self.answer_line(&asked));
        answered.map_or_else(
            |failure| {
                ControlDocument::Refused(ControlRefused {
                    schema: Version::default(),
                    error: failure.what().to_string(),
                    help: failure.help_text().map(String::from),
                })
            },
            ControlDocument::Done,
        )
    }

    fn answer_line(&mut self, asked: &ControlLine) -> Result<ControlDone, Failure> {
        let words: Vec<&str> = asked.words.iter().map(String::as_str).collect();
        let command =
            Command::parse(&words).map_err(|refused| Failure::input(&refused.what).help(&refused.help))?;
        if command == Command::State {
            let now = self.now();
            let width = asked.width.map(|width| width.clamp(20, 1000));
            let style = Style { width, color: asked.color, ascii: asked.ascii };
            let said = self.screen(&now, "`ctl stop`").lines(style, None);
            let state = Some(Box::new(emulate_state_document(&now)));
            return Ok(ControlDone { schema: Version::default(), said, state });
        }
        let said = self.carry_out(&command)?;
        Ok(ControlDone { schema: Version::default(), said, state: None })
    }

    /// Does what was asked, and says what was done.
    fn carry_out(&mut self, command: &Command) -> Result<Vec<String>, Failure> {
        match command {
            Command::State => Ok(Vec::new()),
            Command::Cache { of, mode } => self.reconfigure(self.configured.with_cache(of, *mode)?),
            Command::Tier { of, tier } => self.reconfigure(self.configured.with_tier(of, tier)?),
            Command::AddDisk { spec } => self.reconfigure(self.configured.with_disk(spec)?),
            Command::Credits { .. }
            | Command::Warm { .. }
            | Command::DropCache
            | Command::Fault { .. }
            | Command::BadHost { .. } => self.change(command),
            Command::Crash => self.crash(),
            Command::Stop => {
                self.stop = Some("ctl stop");
                Ok(vec!["it ends".to_string()])
            }
        }
    }

    /// Becomes another configuration.
    fn reconfigure(&mut self, wanted: EmulatedConfiguration) -> Result<Vec<String>, Failure> {
        if !wanted.limiters {
            return Err(Failure::input("--limits off has no settings to change")
                .help("start the emulator without it"));
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
        said.extend(kept.iter().filter(|words| !self.kept.contains(words)).cloned());
        self.kept = kept;
        said.extend(notes);
        said.extend(
            short.iter().map(|short| format!("clients see {} {} longer than modelled", short.of, short.by)),
        );
        self.configured = wanted;
        Ok(said)
    }

    /// Does what the catalogue has no part in.
    fn change(&mut self, command: &Command) -> Result<Vec<String>, Failure> {
        let commands = self.of_volumes(command);
        let changes = self.shared.alter(|emulator, now, _| {
            let mut changes = Vec::new();
            for command in &commands {
                changes.extend(command.changes(emulator.blueprint(), now)?.unwrap_or_default());
            }
            if !matches!(command, Command::Warm { .. }) {
                let mut each = changes.iter().cloned();
                each.try_for_each(|change| emulator.change(now, change)).map_err(refused)?;
            }
            Ok::<_, Problem>(changes)
        })?;
        match command {
            Command::Warm { .. } => self.warm(changes).map_err(refused)?,
            Command::Fault { of, fault } => {
                let of = if let Selection::Named(name) = of { name } else { ALL_DISKS };
                self.faults.of_disks(of, *fault, &changes);
            }
            Command::BadHost { slower } => self.faults.of_host(*slower, &changes),
            _ => {}
        }
        Ok(vec!["done".to_string()])
    }

    /// Part by part, with I/O served between them: a large cache takes a second.
    fn warm(&self, changes: Vec<Change>) -> Result<(), NotBuilt> {
        for change in changes {
            self.shared.alter(|emulator, now, _| emulator.change(now, change))?;
            std::thread::sleep(BREATH);
        }
        Ok(())
    }

    /// The command of each volume that a name stands for: with separate disks, one name is several.
    fn of_volumes(&self, command: &Command) -> Vec<Command> {
        let name = match command {
            Command::Credits { of: Selection::Named(name), .. }
            | Command::Fault { of: Selection::Named(name), .. }
            | Command::Warm { volume: Some(name) } => name,
            _ => return vec![command.clone()],
        };
        let resolved = &self.configured.resolved;
        let Some(named) = resolved.names.iter().find(|named| named.name == *name) else {
            return vec![command.clone()];
        };
        let volumes = named.volumes.iter().map(|volume| resolved.blueprint.volumes[*volume].name.clone());
        let of_volume = |volume: String| match command.clone() {
            Command::Credits { fill, .. } => Command::Credits { of: Selection::Named(volume), fill },
            Command::Fault { fault, .. } => Command::Fault { of: Selection::Named(volume), fault },
            _ => Command::Warm { volume: Some(volume) },
        };
        volumes.map(of_volume).collect()
    }

    fn crash(&mut self) -> Result<Vec<String>, Failure> {
        let lost = self.lose();
        let words: Vec<String> = lost
            .iter()
            .filter(|(_, bytes)| *bytes > 0)
            .map(|(disk, bytes)| format!("{disk}: {bytes} acknowledged bytes are lost"))
            .collect();
        let first = "the host failed: outstanding I/Os failed, and its cache is cold".to_string();
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

const ALL_DISKS: &str = "all disks";

/// Between two parts of a cache that is being warmed, a waiting thread gets the lock instead of the last holder.
const BREATH: Duration = Duration::from_micros(200);

fn refused(not_built: NotBuilt) -> Problem {
    Problem::new(not_built.0).help("`state` shows what there is")
}

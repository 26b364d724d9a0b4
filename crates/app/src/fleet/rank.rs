//! A rank's own work: it looks at its targets, joins the others, makes the targets ready, runs with them, hands in.

use std::sync::Arc;
use std::time::Duration;

use iobound_fleet::{Hello, Host, JoinError, Meet, Rank, Rules};
use iobound_machine::World;
use iobound_machine::kernel::Kernel;
use iobound_workload::{Workload, seed_of_rank};

use super::company::RankCompany;
use super::locks;
use super::own_paths::OwnPaths;
use super::standing::Team;
use crate::outfile::{DocumentKind, OutFile};
use crate::process::LiveStyle;
use crate::run::{
    FleetMember, Outputs, Ready, RunOptions, RunTargets, Stage, Surveyed, engine_for, exit_of_stages,
    own_result, run_each, settle, will_use, writes_to,
};
use crate::{Env, Exit, Failure};

/// Time that a rank tries to reach a coordinator in its own process.
const BESIDE: Duration = Duration::from_secs(1);

/// Work of a rank, the same on all of them.
pub(crate) struct RankWork<'a> {
    /// The targets as given, with `{rank}` and `{host}`.
    pub(crate) places: &'a RunTargets,
    /// The stages with the seed that was given.
    pub(crate) workloads: &'a [Workload],
    pub(crate) how: &'a RunOptions,
}

/// The outcome.
pub(crate) struct RankEnd {
    /// Its own figures so far, and its preparation.
    pub(crate) own: Option<(Vec<Stage>, Ready)>,
    /// True if the coordinator knows of it: of one that has not joined nobody will hear.
    pub(crate) joined: bool,
    /// Reason why it has not done its part.
    pub(crate) failure: Option<Failure>,
    /// The coordinator was lost: no other process has these measurements.
    pub(crate) coordinator_lost: Option<String>,
}

/// Does a rank's part of a run whose coordinator is there.
pub(crate) fn as_rank(team: &Team, coordinator: &Meet, work: &RankWork<'_>, style: LiveStyle) -> RankEnd {
    let world = World::real();
    let host = Kernel::of(&world).host.unwrap_or_else(|| format!("rank{}", team.rank_info.rank));
    let own = OwnPaths::new(&team.rank_info, &host);
    let places = own.places(work.places);
    let mut workloads: Vec<Workload> = work
        .workloads
        .iter()
        .map(|workload| Workload {
            seed: seed_of_rank(workload.seed, team.rank_info.rank),
            ..workload.clone()
        })
        .collect();
    let mut how = RunOptions { overwrite: own.consents(&work.how.overwrite), ..work.how.clone() };
    // Before it joins, so that all have looked before the first writes; what is wrong is said there, to all.
    let surveyed = settle(&world, &mut workloads, &places, own.here())
        .and_then(|()| engine_for(&workloads, &how))
        .and_then(|_| Ok(Surveyed::among(&world, &places, &workloads, &how, own.here())?));
    let hello = Hello {
        host: Host { name: host.clone(), pid: std::process::id(), facts: String::new() },
        fingerprint: fingerprint(work),
        stages: u32::try_from(workloads.len()).unwrap_or(u32::MAX),
        version: env!("CARGO_PKG_VERSION").into(),
    };
    let tls = team.rank_tls.clone();
    // The coordinator beside it is there: where it is not any more, another rank has ended all of them.
    let rules = if team.opens_coordinator { Rules { join: BESIDE, ..team.rules } } else { team.rules };
    let rank = match Rank::join(coordinator, team.token.clone(), tls, &team.rank_info, hello, rules) {
        Ok(rank) => rank,
        Err(error) => {
            let failure = Some(unjoined(&error));
            return RankEnd { own: None, joined: false, failure, coordinator_lost: None };
        }
    };
    let company = Arc::new(RankCompany::new(rank, own.here(), &how.env));
    let shared: Arc<dyn FleetMember> = Arc::<RankCompany>::clone(&company);
    how.company = Some(shared);
    if !team.opens_coordinator {
        company.watch_interrupts();
    }
    // Setup errors are reported only after all ranks have joined. Otherwise later ranks would look for a coordinator
    // that has ended.
    let all_there = company.all_there();
    let is_own = surveyed.is_err();
    let worked = surveyed.and_then(|surveyed| {
        all_there?;
        let ready = surveyed.prepare(&world, &will_use(&workloads, &how), &how)?;
        let held = locks::hold(&ready, |target| writes_to(&workloads, &ready.names[target].name))?;
        let mut outputs = Outputs::default();
        let stages =
            run_each(&world, &ready, &workloads, &how, (&mut outputs, style.silent()), |number, stage| {
                company.hand_in(number, stage, &ready);
            })?;
        drop(held);
        if let Some(given) = &team.own_result {
            let file = OutFile::named(&own.settle(&given.path()), DocumentKind::Result, &how.env)?;
            own_result(&file, &stages, &ready.prepared)?;
        }
        if how.remove {
            ready.remove_made()?;
        }
        Ok((stages, ready))
    });
    match worked {
        Ok((stages, ready)) => {
            let coordinator_lost = company.lost();
            let failure = exit_of_stages(&stages).filter(|_| coordinator_lost.is_none());
            if stages.len() < workloads.len() && coordinator_lost.is_none() && !company.is_over() {
                let why = failure.as_ref().map_or("", |failure| failure.what());
                company.give_up(&Failure::io(format!("its later stages do not run: {why}")));
            }
            RankEnd { own: Some((stages, ready)), joined: true, failure, coordinator_lost }
        }
        Err(failure) => {
            let failure = company.ended_by_others().filter(|_| !is_own).unwrap_or(failure);
            company.give_up(&failure);
            RankEnd { own: None, joined: true, failure: Some(failure), coordinator_lost: None }
        }
    }
}

impl RankEnd {
    /// Ends a rank that has no coordinator: one line, or, where the coordinator was lost, its own answer.
    ///
    /// # Errors
    /// Returns an error if the rank has not done its part.
    pub(crate) fn finish(
        self,
        team: &Team,
        env: &Env,
        answer: impl FnOnce(&mut Vec<Stage>, &Ready) -> Result<(), Failure>,
    ) -> Result<Exit, Failure> {
        let (rank, of) = (team.rank_info.rank, team.rank_info.of);
        if let (Some(why), Some((mut stages, ready))) = (&self.coordinator_lost, self.own) {
            for stage in &mut stages {
                stage.result.notes.push(format!("only rank {rank} of {of}: the coordinator was lost, {why}"));
            }
            if !stages.is_empty() {
                answer(&mut stages, &ready)?;
            }
            return Err(Failure::io(format!(
                "the coordinator is lost: {why}; the result of rank {rank} alone is printed and kept here"
            )));
        }
        match self.failure {
            Some(failure) => Err(failure.of(&format!("rank {rank} of {of}"))),
            None => {
                env.of_process()
                    .aside(&format!("rank {rank} of {of}: reported to the coordinator at {}\n", team.meet));
                Ok(Exit::Done)
            }
        }
    }
}

impl RankWork<'_> {
    /// Text that says what would be written on this rank.
    ///
    /// # Errors
    /// Returns an error if a target cannot be used or needs consent.
    pub(crate) fn plan(&self, team: &Team) -> Result<String, Failure> {
        let world = World::real();
        let host = Kernel::of(&world).host.unwrap_or_default();
        let own = OwnPaths::new(&team.rank_info, &host);
        let how = RunOptions { overwrite: own.consents(&self.how.overwrite), ..self.how.clone() };
        let places = own.places(self.places);
        let mut workloads = self.workloads.to_vec();
        settle(&world, &mut workloads, &places, own.here())?;
        let surveyed = Surveyed::among(&world, &places, &workloads, &how, own.here())?;
        // One write, so that no other rank writes to the same terminal in between.
        let head = format!("rank {} of {} ({host}):", team.rank_info.rank, team.rank_info.of);
        Ok(format!("{head}\n{}\n{}\n", surveyed.plan(), will_use(&workloads, &how)))
    }
}

fn unjoined(error: &JoinError) -> Failure {
    match error {
        JoinError::Unreachable(why) => Failure::io(why)
            .help("check that rank 0 runs and that this host can reach its port; --join-within waits longer"),
        JoinError::Refused(why) => Failure::input(why),
        JoinError::Given(problem) => problem.clone().into(),
    }
}

/// Fingerprint that all ranks must share, as 64 bits of FNV-1a (Fowler, Noll, Vo): it finds mistakes, and is not a protection.
fn fingerprint(work: &RankWork<'_>) -> String {
    let mut text = format!("{:?}\n", work.how.interval);
    for target in &work.places.targets {
        text.push_str(&format!("{}\n", target.name));
    }
    for workload in work.workloads {
        text.push_str(&workload.to_toml());
    }
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}

//! Workload that ran on the disks before they are served, and the credits and caches that it leaves.

use iobound_catalog::Resolved;
use iobound_drive::Flow;
use iobound_model::{Dimension, Stack};
use iobound_predict::{Age, CacheState, Left, left_by};
use iobound_report::{limit_title, number::percent_text};
use iobound_units::{Counted, Grouped, Span};
use iobound_workload::{Workload, describe};

use super::how::parse_duration;
use super::options::BeforeOptions;
use crate::options::{FOREIGN, Options, native};
use crate::settings::{ConfigFile, ConfigurationRequest, Origin, Settings};
use crate::workload::{describes_a_job, jobs_of};
use crate::{Env, Failure};

/// More I/Os than these take more than a second or two to draw.
const MANY: u64 = 5_000_000;

/// A workload that is over when the emulator starts.
pub(crate) struct Before {
    workload: Workload,
    /// True if it was described by the user, or is the default.
    is_given: bool,
    /// Notes about how it was read.
    pub(crate) notes: Vec<String>,
}

impl Before {
    /// The workload whose traces credits or caches are to show; `None` where they show none.
    ///
    /// # Errors
    /// Returns an error if the given workload leaves no state behind or does not fit the configuration.
    pub(crate) fn of(
        args: &BeforeOptions,
        asked: &ConfigurationRequest,
        limiters: bool,
        seed: u64,
        settings: &mut Settings,
    ) -> Result<Option<Before>, Failure> {
        let blueprint = &asked.resolved.blueprint;
        let ages = matches!(asked.age, Age::At(age) if !age.is_zero());
        let in_credits = limiters && ages && blueprint.has_credits();
        let runs_again = limiters && asked.cache == CacheState::SecondRun && !blueprint.caches.is_empty();
        let names = || native().into_iter().chain(FOREIGN);
        let typed = names().find(|name| args.jobs.get(name).is_some());
        let typed = typed.or((!args.jobs.map.is_empty()).then_some("map"));
        let in_caches = limiters && !blueprint.caches.is_empty() && asked.cache != CacheState::Cold;
        let ran_for = settings.parse("ran-for", args.ran_for.as_deref(), None, parse_duration)?;
        if let Some(given) = settings.given("ran-for").filter(|_| !runs_again) {
            let why = "the duration of the previous workload matters only for caches after a first run";
            match given.from {
                Origin::Flag(_) => {
                    return Err(given.refuse(why).help("leave it out, or add --cache-state second-run"));
                }
                // What stands there is for several questions.
                _ => settings.env().note(&format!(
                    "{} {}: it has no effect here: {why}",
                    given.place(),
                    given.text
                )),
            }
        }
        if let Some(name) = typed.filter(|_| !in_credits && !in_caches) {
            let why = "it describes the previous workload, which leaves no trace here: no burst credits and no host cache";
            // A recorded workload is meant for every verb; flags are meant for this one.
            if name == "workload" {
                jobs_of(&args.jobs, settings)?;
                settings.env().note(&format!("--workload: {why}; the devices are still served"));
                return Ok(None);
            }
            return Err(Failure::input(format!("--{name}: {why}")).help(
                "leave it out, or add --at 20min or --cache-state second-run if disks burst or have a host cache",
            ));
        }
        if !(in_credits || runs_again || typed.is_some()) {
            return Ok(None);
        }
        let read = jobs_of(&args.jobs, settings)?;
        let is_given = typed.is_some()
            || names().any(|name| describes_a_job(name) && settings.in_environment(name).is_some())
            || settings.file().and_then(ConfigFile::workload).is_some();
        let (mut stages, notes) = read.stages(&asked.resolved);
        if stages.len() > 1 {
            return Err(Failure::input(format!("the previous workload has {} stages", stages.len()))
                .help("use only the last one, which leaves the state"));
        }
        let mut workload = stages.remove(0);
        workload.seed = seed;
        if let Some(ran_for) = ran_for {
            (workload.duration, workload.warmup, workload.cooldown) = (ran_for, Span::ZERO, Span::ZERO);
        }
        let notes = notes.into_iter().map(|note| format!("{}: {}", note.about, note.says)).collect();
        Ok(Some(Before { workload, is_given, notes }))
    }

    /// State that it leaves.
    ///
    /// # Errors
    /// Returns an error if the jobs do not fit the configuration.
    pub(super) fn left(&self, asked: &ConfigurationRequest, env: &Env) -> Result<Left, Failure> {
        let question = asked.question(&self.workload);
        let mut watch = |_: &_| if env.is_stopped() { Flow::Stop } else { Flow::Continue };
        left_by(&question, &mut watch).map_err(Failure::from)
    }

    /// True if the caches have the content that the workload left. Without a workload of the user, warm caches are as
    /// full as possible.
    pub(super) fn fills(&self, cache: CacheState) -> bool {
        self.is_given || cache == CacheState::SecondRun
    }

    /// Fills the caches with it.
    pub(super) fn fill(&self, left: &Left, stack: &mut Stack, env: &Env) {
        if let Some(ios) = left.first_run_ios().filter(|ios| *ios > MANY) {
            env.note(&format!("{} I/Os of the first run are simulated to fill the caches", Grouped(ios)));
        }
        left.fill(stack, &mut || !env.is_stopped());
    }

    /// State of its credits, in words.
    pub(super) fn credit_words(&self, left: &Left, resolved: &Resolved, age: Age) -> Option<String> {
        let Age::At(age) = age else { return None };
        let words: Vec<String> = of_groups(left, resolved)
            .into_iter()
            .map(|(title, left, most)| format!("{title} {}", percent_text(left as f64 / most.max(1) as f64)))
            .collect();
        Some(format!("left after {age} of {}, from full: {}", self.words(), words.join(", ")))
    }

    /// Content of the caches, in words.
    pub(super) fn cache_words(&self, left: &Left) -> String {
        match left.first_run_ios() {
            Some(ios) => format!(
                "as a first run left it: {} in {} of {}",
                Counted(ios, "I/O"),
                self.length(),
                self.words()
            ),
            None => format!("warm: as after a long run of {}", self.words()),
        }
    }

    fn length(&self) -> Span {
        self.workload.warmup + self.workload.duration + self.workload.cooldown
    }

    fn words(&self) -> String {
        let jobs: Vec<String> = self.workload.jobs.iter().map(describe).collect();
        let jobs = jobs.join("; ");
        if self.is_given { jobs } else { format!("{jobs} (if no other workload is given)") }
    }
}

/// Credits by kind of limit, ten disks together: title, credits left, capacity.
fn of_groups(left: &Left, resolved: &Resolved) -> Vec<(String, u64, u64)> {
    let mut groups: Vec<(String, Dimension, usize, u64, u64)> = Vec::new();
    for (limiter, dimension, left, most) in left.credits() {
        let group = &resolved.blueprint.limiters[usize::from(limiter.0)].name.group;
        match groups.iter_mut().find(|(name, of, ..)| name == group && *of == dimension) {
            Some((.., count, all_left, all)) => {
                (*count, *all_left, *all) = (*count + 1, *all_left + left, *all + most)
            }
            None => groups.push((group.clone(), dimension, 1, left, most)),
        }
    }
    let title = |group: &str, dimension: Dimension, count| {
        let title = limit_title(&format!("{group}.{}", dimension.name()), count);
        if dimension == Dimension::Bytes { format!("{title} MB/s") } else { title }
    };
    groups
        .into_iter()
        .map(|(group, dimension, count, left, most)| (title(&group, dimension, count), left, most))
        .collect()
}

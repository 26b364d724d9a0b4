//! Conditions before the first I/O: consent, space, written data, no other process.

use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant as Wall};

use iobound_load::engine::{FileToOpen, Kind, ToOpen};
use iobound_load::prepare::{
    Doubt, Filling, Handle, Leftover, Pace, Plan, Prepared, Progress, Request, Unsealed, Wanted, carry_out,
    survey,
};
use iobound_machine::block::{Device, beneath};
use iobound_machine::open::names_device;
use iobound_machine::space::space;
use iobound_machine::{Node, World};
use iobound_report as report;
use iobound_units::{Bandwidth, Bytes, Op, TargetId};
use iobound_workload::{Content, Job, Target, Workload};

use super::how::RunOptions;
use super::others::{devices_of_plan, others};
use super::room::check_room;
use super::targets::{AskedTarget, RunTargets, does, uses};
use super::unlink::{may_unlink, remove, unlinked};
use super::unready::Unready;
use super::uses::will_use;
use crate::outfile::OutputClaim;
use crate::{Env, Failure};

/// Default size of a file: larger than the cache of a disk or controller.
const OWN_FILE: Bytes = Bytes::gib(4);
/// And never more than this part of what is free.
const OF_FREE: u64 = 10;
/// Assumed speed of preparation, until it is measured.
const ASSUMED_MB: u64 = 200;

/// After an interrupt, marks are waited for this long.
const COMPLETED_WITHIN: Duration = Duration::from_millis(300);

/// Targets that can be run on.
pub(crate) struct Ready {
    /// The targets by id, as jobs name them.
    pub(crate) names: Vec<Target>,
    /// The files of each.
    pub(crate) files: Vec<Vec<FileToOpen>>,
    /// Preparation of the targets, for the result.
    pub(crate) prepared: Vec<report::Prepared>,
    /// Reason why some of it is memory, where it is.
    pub(crate) in_memory: Option<String>,
    /// Reason why some of it may never have been written, where that is so.
    pub(crate) never_written: Option<String>,
    /// True if some of it is an emulated disk.
    pub(crate) emulated: bool,
    /// Content of the files.
    pub(crate) filling: Filling,
    /// Files that were made for this run.
    pub(crate) made: Vec<(PathBuf, Handle)>,
    /// Files that the words ask to be removed when the run is over.
    pub(crate) unlinked: Vec<(PathBuf, Handle)>,
    /// The marks of files that the run writes to.
    #[expect(dead_code, reason = "kept until the last write: dropping it completes the marks")]
    pub(crate) marks: Marks,
    /// Process that it was made ready in.
    pub(crate) env: Env,
}

/// The marks of files that a run writes to. They are completed when this is dropped: after the last write, however the
/// run ended.
#[derive(Default)]
pub(crate) struct Marks(Vec<Arc<Unsealed>>, Env);

impl Drop for Marks {
    fn drop(&mut self) {
        let marks = std::mem::take(&mut self.0);
        if self.1.is_hanging() {
            // A mark is completed by reading the file, which would wait for the device.
            std::mem::forget(marks);
        } else if self.1.is_stopped() && !marks.is_empty() {
            // The reads may take long on a slow disk. Without its mark the next run looks at the blocks.
            let (says, done) = mpsc::channel();
            std::thread::spawn(move || {
                drop(marks);
                says.send(())
            });
            // Nothing depends on whether it is in time.
            let _ = done.recv_timeout(COMPLETED_WITHIN);
        }
    }
}

/// Targets that are ready, or the plan of a dry run.
pub(crate) enum Readiness {
    /// The targets are ready.
    Ready(Box<Ready>),
    /// Nothing was done: the plan, as text.
    Plan(String),
}

/// Looks at the targets, asks what must be asked, and prepares them.
pub(crate) fn make_ready(
    world: &World,
    places: &RunTargets,
    workloads: &[Workload],
    how: &RunOptions,
) -> Result<Readiness, Failure> {
    // Before anything is written, which may take long.
    super::engine::engine_for(workloads, how)?;
    if how.engine == Some(Kind::Null) {
        if how.dry_run {
            return Ok(Readiness::Plan("the null engine uses no target: no preparation\n".into()));
        }
        return Ready::of_nothing(places, workloads, how).map(|ready| Readiness::Ready(Box::new(ready)));
    }
    let surveyed = Surveyed::of(world, places, workloads, how)?;
    if how.dry_run {
        return Ok(Readiness::Plan(format!("{}\n{}\n", surveyed.plan, will_use(workloads, how))));
    }
    surveyed.prepare(world, &will_use(workloads, how), how).map(|ready| Readiness::Ready(Box::new(ready)))
}

/// Targets that were looked at, and may be prepared.
pub(crate) struct Surveyed<'a> {
    places: &'a RunTargets,
    plan: Plan,
    filling: Filling,
}

impl Surveyed<'_> {
    /// Looks at the targets, and asks what must be asked. Nothing is written.
    ///
    /// # Errors
    /// Returns an error if a target cannot be used or needs consent.
    pub(crate) fn of<'a>(
        world: &World,
        places: &'a RunTargets,
        workloads: &[Workload],
        how: &RunOptions,
    ) -> Result<Surveyed<'a>, Unready> {
        Surveyed::among(world, places, workloads, how, 1)
    }

    /// The same where so many ranks on this machine do it, each with its own.
    ///
    /// # Errors
    /// As above; also if several ranks would write to one file or need more space than there is.
    pub(crate) fn among<'a>(
        world: &World,
        places: &'a RunTargets,
        workloads: &[Workload],
        how: &RunOptions,
        ranks: u32,
    ) -> Result<Surveyed<'a>, Unready> {
        let filling = filling_of(workloads, how)?;
        let mut targets = Vec::new();
        for target in &places.targets {
            for file in &target.files {
                targets.push(wanted(target, file, workloads));
            }
        }
        let asked = || places.targets.iter().flat_map(|target| &target.files);
        let exists = |path: &Path| path.exists() || names_device(path);
        let is_missing = |target: &Wanted| target.size.is_none() && !exists(&target.path);
        let missing = targets.iter().zip(asked()).find(|(target, file)| !file.own && is_missing(target));
        if let Some((missing, _)) = missing {
            // Probably a folder that is not mounted: a file of an unspecified size would be a surprise.
            return Err(Unready::Missing(missing.path.clone()));
        }
        let absent =
            targets.iter().zip(asked()).find(|(target, file)| !file.may_create && !exists(&target.path));
        if let Some((absent, _)) = absent {
            return Err(Failure::input(format!(
                "{} does not exist, and the job does not create files",
                absent.path.display()
            ))
            .help("name a file or device that exists, or leave out allow_file_create=0")
            .into());
        }
        let new_size = own_size(world, &targets, ranks);
        let request = Request {
            targets,
            overwrite: how.overwrite.clone(),
            filling,
            new_size,
            strict: how.strict,
            pace: Pace::Assumed(Bandwidth::mb_per_s(ASSUMED_MB)),
            now: unix_seconds(),
        };
        let plan = survey(&request, world)?;
        same_sizes(places, &plan)?;
        may_unlink(places, &plan, how)?;
        shared(places, &plan, workloads, ranks, &how.env)?;
        check_room(&plan, places, ranks)?;
        refuse_outputs(&plan, &how.claims)?;
        Ok(Surveyed { places, plan, filling })
    }

    /// Planned writes, in words.
    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Prepares the targets. `uses` is the expected use of them, a note for each line.
    ///
    /// # Errors
    /// Returns an error if another process uses a target, or the preparation fails.
    pub(crate) fn prepare(self, world: &World, uses: &str, how: &RunOptions) -> Result<Ready, Failure> {
        let Surveyed { places, plan, filling } = self;
        // Before anything is written, which would disturb them too. Ranks on one machine that prepare at different times
        // would take one another for others.
        let busy_ok = how.busy_ok || how.company.as_ref().is_some_and(|company| company.here() > 1);
        if let Some(busy) = others(world, &devices_of_plan(world, &plan), busy_ok)? {
            how.env.note(&busy);
        }
        let began = Wall::now();
        if !plan.is_ready() {
            how.env.note(&format!("preparation: {plan}"));
        }
        for line in uses.lines() {
            how.env.note(line);
        }
        let stop = how.stop();
        let process = how.env.of_process();
        let mut progress = |now: &Progress| {
            let share = now.done_in_all.get() as f64 * 100.0 / now.of_all.get().max(1) as f64;
            let line = format!("writing {}: {share:.0} % of {}", now.path.display(), now.of_all);
            process.overwrite_line(Some(&line));
            how.company.iter().for_each(|company| company.works());
        };
        let prepared =
            carry_out(&plan, world, Leftover::Keep, &mut progress, &stop).map_err(Failure::from)?;
        process.overwrite_line(None);
        let seconds = began.elapsed().as_secs_f64();
        Ok(ready(places, &plan, &prepared, (filling, seconds), &how.env))
    }
}

fn ready(
    places: &RunTargets,
    plan: &Plan,
    prepared: &[Prepared],
    (filling, seconds): (Filling, f64),
    env: &Env,
) -> Ready {
    let mut files = prepared.iter();
    let (mut names, mut paths) = (Vec::new(), Vec::new());
    for (id, target) in places.targets.iter().enumerate() {
        let own: Vec<&Prepared> = files.by_ref().take(target.files.len()).collect();
        let size = Bytes(own.iter().map(|file| file.size.get()).sum());
        names.push(Target { name: target.name.clone(), id: TargetId(id as u16), size, members_of: None });
        let to_open = |file: &&Prepared| FileToOpen {
            path: file.path.clone(),
            handle: Some(file.handle.clone()),
            size: Some(file.size),
        };
        paths.push(own.iter().map(to_open).collect());
    }
    let written: u64 = prepared.iter().map(|file| file.written.get()).sum();
    let doubts = || plan.steps().iter().flat_map(|step| step.doubts.iter().map(move |doubt| (step, doubt)));
    let in_memory = doubts().find_map(|(step, doubt)| match doubt {
        Doubt::InMemory(name) => Some(format!("{} is in memory ({name})", step.path.display())),
        _ => None,
    });
    let never_written = doubts().find_map(|(step, doubt)| match doubt {
        Doubt::Blank | Doubt::Zeros(_) => Some(format!("{}: {doubt}", step.path.display())),
        Doubt::InMemory(_) => None,
    });
    use iobound_load::prepare::What;
    let new = prepared.iter().filter(|file| file.what == What::New);
    let made = new.map(|file| (file.path.clone(), file.handle.clone()));
    let marks = Marks(prepared.iter().filter_map(|file| file.unsealed.clone()).collect(), env.clone());
    let shown = plan.steps().iter().zip(prepared).map(|(step, file)| report::Prepared {
        target: file.path.display().to_string(),
        did: match (step.what, file.written.get()) {
            (What::New, _) => report::Preparing::Created,
            (What::Made, 0) => report::Preparing::Reused,
            (_, 0) => report::Preparing::Untouched,
            (_, written) if written >= file.size.get() => report::Preparing::Overwritten,
            _ => report::Preparing::Filled,
        },
        size: file.size,
        written: file.written,
        // Time is shared by what was written; nothing written took none.
        seconds: if written == 0 { 0.0 } else { seconds * file.written.get() as f64 / written as f64 },
        content: (file.written > Bytes::ZERO).then(|| content_word(filling).to_string()),
    });
    Ready {
        prepared: shown.collect(),
        names,
        files: paths,
        in_memory,
        never_written,
        emulated: plan.steps().iter().any(|step| step.emulated),
        filling,
        made: made.collect(),
        marks,
        unlinked: unlinked(places, prepared),
        env: env.clone(),
    }
}

impl Drop for Ready {
    fn drop(&mut self) {
        if self.env.is_hanging() {
            // Closing a file waits for its file system.
            std::mem::forget((
                std::mem::take(&mut self.files),
                std::mem::take(&mut self.made),
                std::mem::take(&mut self.unlinked),
            ));
        }
    }
}

impl Ready {
    /// Removes the files that were made for this run, and their marks.
    pub(crate) fn remove_made(&self) -> Result<(), Failure> {
        if self.env.is_hanging() {
            let left: Vec<String> = self.made.iter().map(|(path, _)| path.display().to_string()).collect();
            self.env.note(&format!("not removed, because their device does not answer: {}", left.join(", ")));
            return Ok(());
        }
        remove(&self.made)
    }

    /// Removes the files that the words ask to be removed (fio's `unlink=1`).
    pub(crate) fn unlink(&self) -> Result<(), Failure> {
        if self.env.is_hanging() { Ok(()) } else { remove(&self.unlinked) }
    }

    /// Targets to open for these workloads: those that are only read are opened read-only.
    pub(crate) fn to_open(&self, workloads: &[Workload]) -> Vec<ToOpen> {
        let jobs = || workloads.iter().flat_map(|workload| &workload.jobs);
        let targets = self.names.iter().zip(&self.files).map(|(target, files)| ToOpen {
            files: files.clone(),
            writes: jobs().any(|job| uses(job, &target.name) && does(job, |op| op != Op::Read)),
            buffered: jobs().any(|job| uses(job, &target.name) && job.buffered),
        });
        targets.collect()
    }

    /// The block devices below all targets, each once.
    pub(crate) fn devices(&self, world: &World) -> Vec<(Device, Vec<String>)> {
        let mut all: Vec<(Device, Vec<String>)> = Vec::new();
        for (target, files) in self.names.iter().zip(&self.files) {
            for file in files {
                let Ok(path) = file.path.canonicalize() else { continue };
                let Ok(node) = Node::of(&path) else { continue };
                for device in beneath(world, &path, &node).devices() {
                    match all.iter_mut().find(|(known, _)| known.number() == device.number()) {
                        Some((_, names)) if names.contains(&target.name) => {}
                        Some((_, names)) => names.push(target.name.clone()),
                        None => all.push((device.clone(), vec![target.name.clone()])),
                    }
                }
            }
        }
        all
    }
}

pub(super) fn wanted(
    target: &AskedTarget,
    file: &super::targets::AskedFile,
    workloads: &[Workload],
) -> Wanted {
    let jobs = || workloads.iter().flat_map(|w| &w.jobs).filter(|job| uses(job, &target.name));
    let block = |job: &Job| job.mix.iter().map(|share| u64::from(share.block)).max().unwrap_or(0);
    // The size that the options give for the file; else the part that the jobs use, if all state it.
    let used: Option<u64> = jobs()
        .map(|job| job.region.size.map(|size| job.region.offset.get() + size.get()))
        .try_fold(0, |most, size| Some(most.max(size?)));
    let alone = target.files.len() == 1;
    let size = file.size.or(used.filter(|used| alone && *used > 0).map(Bytes));
    let least = jobs().map(|job| job.region.offset.get() + block(job)).max().unwrap_or(0);
    Wanted {
        path: file.path.clone(),
        size,
        least: Bytes(if alone { least } else { 0 }),
        reads: jobs().any(|job| does(job, |op| op == Op::Read)),
        writes: jobs().any(|job| does(job, |op| matches!(op, Op::Write | Op::Discard))),
        recreate: file.recreate,
    }
}

/// The size of a new file where nobody gave one: by what is free where the first is to be.
fn own_size(world: &World, targets: &[Wanted], ranks: u32) -> Option<Bytes> {
    let first = targets.first()?;
    let folder = if first.path.is_dir() { Some(first.path.as_path()) } else { first.path.parent() };
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let free = space(world, folder).ok()?.available_bytes;
    let part = free / OF_FREE / u64::from(ranks.max(1)) / (1 << 20) * (1 << 20);
    // If there is no space at all, the survey reports it.
    Some(Bytes(part.clamp(1 << 20, OWN_FILE.get())))
}

/// Planned writes of preparation and run: one for all, since jobs may share a file.
///
/// # Errors
/// Returns an error if jobs need different contents.
pub(super) fn filling_of(workloads: &[Workload], how: &RunOptions) -> Result<Filling, Failure> {
    let jobs = || workloads.iter().flat_map(|workload| &workload.jobs);
    let writing = jobs().any(|job| does(job, |op| op == Op::Write));
    let mut asked = jobs().filter(|job| !writing || does(job, |op| op == Op::Write));
    let first = asked.next();
    let content = if how.compressible.ppm() > 0 {
        Content::Compressible(how.compressible)
    } else {
        let content = first.map_or(Content::default(), |job| job.content);
        if let Some((one, other)) = first.zip(asked.find(|job| job.content != content)) {
            return Err(Failure::input(format!(
                "jobs {} and {} write different contents, and a run supports one",
                one.name, other.name
            ))
            .help("give them the same content, or run them separately"));
        }
        content
    };
    let seed = workloads.first().map_or(0, |workload| workload.seed);
    Ok(Filling { seed, content, repeats: how.dedupe })
}

/// The files of one target are used end to end, so that all are of one size.
///
/// # Errors
/// Returns an error if an existing file is longer.
fn same_sizes(places: &RunTargets, plan: &Plan) -> Result<(), Failure> {
    let mut steps = plan.steps().iter();
    for target in &places.targets {
        for step in steps.by_ref().take(target.files.len()).filter(|_| target.files.len() > 1) {
            let there = Bytes(std::fs::metadata(&step.path).map_or(0, |file| file.len()));
            if step.resize.is_none() && there > step.size {
                let path = step.path.display();
                return Err(Failure::input(format!(
                    "{path} exists with {there}, but each of the {} files of {} needs {}",
                    target.files.len(),
                    target.name,
                    step.size
                ))
                .help(format!(
                    "remove it if it is no longer needed, or use another folder than that of {path}"
                )));
            }
        }
    }
    Ok(())
}

/// Refuses an answer that would be written to a target, whether that is there already or is still to be made.
///
/// # Errors
/// Returns an error if an output is a target or the file of its mark.
fn refuse_outputs(plan: &Plan, claims: &[OutputClaim]) -> Result<(), Failure> {
    for step in plan.steps().iter().filter(|_| !claims.is_empty()) {
        // Beside a file there may be one with its mark.
        let mut mark = step.path.as_os_str().to_os_string();
        mark.push(".iobound");
        let taken = [step.path.clone(), mark.into()];
        let taken = taken.iter().filter_map(|path| OutputClaim::of_path(path));
        for taken in taken {
            if let Some(claim) = claims.iter().find(|claim| claim.is_same(&taken)) {
                return Err(Failure::refused(format!(
                    "{claim} is a target of this run (or the mark of one)"
                ))
                .help("name another file for the answer"));
            }
        }
    }
    Ok(())
}

/// Checks that a target shared by several ranks of a machine exists and is only read.
///
/// # Errors
/// Returns an error if each rank would write or create the target.
fn shared(
    places: &RunTargets,
    plan: &Plan,
    workloads: &[Workload],
    ranks: u32,
    env: &Env,
) -> Result<(), Failure> {
    let mut steps = plan.steps().iter();
    let mut read = Vec::new();
    for target in &places.targets {
        for (file, step) in target.files.iter().zip(steps.by_ref().take(target.files.len())) {
            if !file.shared {
                continue;
            }
            let path = file.path.display();
            let would = if writes_to(workloads, &target.name) {
                "write to it"
            } else if step.bytes() > Bytes::ZERO || step.resize.is_some() {
                "prepare it, which writes to it"
            } else {
                read.push(path.to_string());
                continue;
            };
            return Err(Failure::input(format!(
                "{path} is shared by {ranks} ranks on this machine, and each would {would}"
            ))
            .help(format!(
                "put {{rank}} into its path ({path}.{{rank}}), or name a folder, in which each rank has its own file"
            )));
        }
    }
    if !read.is_empty() {
        env.note(&format!(
            "{} ranks of this machine read {} together: a cache may answer blocks that another rank has read",
            ranks,
            read.join(", ")
        ));
    }
    Ok(())
}

/// True if any job writes to the target of that name.
pub(crate) fn writes_to(workloads: &[Workload], name: &str) -> bool {
    let jobs = || workloads.iter().flat_map(|workload| &workload.jobs);
    jobs().any(|job| uses(job, name) && does(job, |op| matches!(op, Op::Write | Op::Discard)))
}

fn content_word(filling: Filling) -> &'static str {
    match filling.content {
        Content::Incompressible => "incompressible",
        Content::Zeros => "zeros",
        Content::Counting => "bytes 0 to 255",
        Content::Repeated(_) => "bytes that repeat",
        Content::Compressible(_) => "compressible",
    }
}

fn unix_seconds() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

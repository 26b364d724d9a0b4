//! Match of a workload and its targets: the target of each job, how targets are opened, the rate of all jobs.

use iobound_units::{Rate, Span};
use iobound_workload::{Job, Load, Note, Spread, Targets, Workload};

use super::engine::is_direct;
use super::how::RunOptions;
use super::memory::until_done;
use super::targets::RunTargets;
use crate::Failure;
use crate::workload::AskedWorkload;

/// The targets of the command line, else the files of another tool's words.
pub(crate) fn places(targets: &[String], asked: &AskedWorkload) -> Result<RunTargets, Failure> {
    if !targets.is_empty() {
        return RunTargets::named(targets);
    }
    if asked.files.is_empty() {
        return Err(Failure::input("no target is given")
            .help("name a folder, a file or a block device: iobound run /mnt/data"));
    }
    // Only DiskSpd makes its files anew (-c): fio uses what exists.
    let recreates = !matches!(asked.wording, iobound_report::Wording::Fio);
    Ok(RunTargets::of_files(&asked.files, recreates))
}

/// The stages as they will run on these targets, and what is to be said of them.
pub(crate) fn fit(
    asked: &AskedWorkload,
    places: &RunTargets,
    how: &RunOptions,
) -> Result<(Vec<Workload>, Vec<String>), Failure> {
    let by_jobs = asked.is_named_by_jobs();
    let asked_by_files = !asked.files.is_empty();
    let mut notes: Vec<String> =
        asked.notes.iter().map(|note| format!("{}: {}", note.about, note.says)).collect();
    let mut workloads = asked.taken_apart();
    if !asked.timed {
        until_done(&mut workloads);
    }
    if by_jobs {
        let names = || places.targets.iter().map(|target| target.name.as_str());
        workloads.iter_mut().for_each(|workload| workload.place_by_name(names()));
    }
    // With one target, the name is clear. With several, an unknown name is an error.
    let may_be_a_slip = !asked_by_files && places.targets.len() > 1;
    if let Some((job, name)) = places.stranger(&workloads).filter(|_| may_be_a_slip) {
        let known: Vec<&str> = places.targets.iter().map(|target| target.name.as_str()).collect();
        return Err(Failure::input(format!("job {job}: no target is named {name}"))
            .help(format!("use {}, or give a target this name: {name}=PATH", known.join(", "))));
    }
    let adopted = fit_to(&mut workloads, places, how)?;
    notes.extend(adopted.iter().map(|note| format!("{}: {}", note.about, note.says)));
    Ok((workloads, notes))
}

/// Makes stages such as run on these targets in this way; the notes say which names stand for which target.
pub(crate) fn fit_to(
    workloads: &mut [Workload],
    places: &RunTargets,
    how: &RunOptions,
) -> Result<Vec<Note>, Failure> {
    let notes = places.adopt(workloads);
    for workload in workloads {
        for job in &mut workload.jobs {
            job.buffered |= how.buffered;
            job.durable |= how.write_through;
        }
        bound_rate(workload, how, places.targets.len())?;
        is_direct(std::slice::from_ref(workload), how)?;
    }
    Ok(notes)
}

/// Holds all jobs together below a number of I/Os a second: open loops must fit, closed ones share what they leave.
fn bound_rate(workload: &mut Workload, how: &RunOptions, targets: usize) -> Result<(), Failure> {
    let Some(most) = how.max_iops else { return Ok(()) };
    let open = |job: &Job| match job.load {
        Load::Open { rate, .. } => rate.iops_f64(job.mean_block()),
        Load::Closed { .. } => 0.0,
    };
    let asked: f64 = workload.jobs.iter().map(open).sum();
    let queues: u64 =
        workload.jobs.iter().filter(|job| is_closed(job)).map(|job| queues_of(job, targets)).sum();
    // What open loops leave, in whole I/Os.
    let left = (most as f64 - asked).floor();
    if asked > most as f64 || queues > 0 && left < 1.0 {
        return Err(Failure::input(format!(
            "the jobs' rates are {asked:.0} IOPS together, and --max-iops allows {most}{}",
            if queues > 0 { " with what the other jobs do" } else { "" }
        ))
        .help("lower the rates, or raise --max-iops"));
    }
    for job in &mut workload.jobs {
        let block = job.mean_block();
        if let Load::Closed { cap, .. } = &mut job.load {
            // So many a second of all queues: each has its share, exactly.
            let share = Rate::Ios { count: left as u64, per: Span::from_secs(queues.max(1)) };
            if cap.is_none_or(|cap| cap.iops_f64(block) > share.iops_f64(block)) {
                *cap = Some(share);
            }
        }
    }
    Ok(())
}

fn is_closed(job: &Job) -> bool {
    matches!(job.load, Load::Closed { .. })
}

/// Number of queues a job that has on its part of so many targets.
fn queues_of(job: &Job, targets: usize) -> u64 {
    let used = match &job.targets {
        Targets::All => targets,
        Targets::Named(names) => names.len(),
    };
    match job.spread {
        Spread::PerTarget | Spread::Every => u64::from(job.threads) * used as u64,
        Spread::Dealt => u64::from(job.threads),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_shared_by_the_queues_there_are() {
        let mut job = Job::new("a");
        job.targets = Targets::Named(vec!["a".into()]);
        let mut workload =
            Workload::new(vec![job.clone(), Job { name: "b".into(), ..job }], Span::from_secs(1));
        let how = RunOptions { max_iops: Some(1_000), ..RunOptions::default() };
        bound_rate(&mut workload, &how, 2).unwrap();
        for job in &workload.jobs {
            let Load::Closed { cap: Some(cap), .. } = job.load else { panic!("no cap") };
            // Two queues, though there are two targets.
            assert!((cap.iops_f64(4096.0) - 500.0).abs() < 1e-6);
        }
    }
}

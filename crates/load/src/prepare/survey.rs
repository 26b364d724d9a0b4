use std::path::{Path, PathBuf};

use iobound_machine::files::allow_descriptors;
use iobound_units::Bytes;
use iobound_workload::shell_path;

use super::guard::Guard;
use super::locate::{Located, Named, locate, named};
use super::plan::{Doubt, Plan, Step};
use super::refusal::{Because, Refusal, Refused};
use super::request::{Request, Wanted};
use super::room::{Claim, rooms};
use super::target::Target;

/// Looks at what there is, and says what has to be written for the run, or all that stands against it. Writes
/// nothing, and reads no more than maps of extents and a few blocks.
///
/// # Errors
/// Returns everything that the user must fix first.
pub fn survey(request: &Request, guard: &dyn Guard) -> Result<Plan, Refused> {
    let mut refusals = Vec::new();
    // Each target stays open twice, for the survey and for the run: the soft limit of descriptors is often 1,024.
    allow_descriptors();
    let located = locate(request);
    let mut consents: Vec<(&Path, Option<Named>)> = Vec::new();
    for path in &request.overwrite {
        match named(path) {
            Ok(named) => consents.push((path, named)),
            Err(refusal) => refusals.push(refusal),
        }
    }
    refusals.extend(misnamed(&consents, &located));
    let firsts: Vec<Option<usize>> = (0..located.len()).map(|n| same_before(&located, n)).collect();
    let mut steps: Vec<Step> = Vec::new();
    let mut claims: Vec<Claim> = Vec::new();
    for (n, found) in located.iter().enumerate() {
        let found = match found {
            Ok(found) => found,
            Err(refusal) => {
                refusals.push(refusal.clone());
                continue;
            }
        };
        if let Some(first) = firsts[n] {
            let same = steps.iter().find(|step| step.path == path_of(&located[first])).cloned();
            steps.extend(same.map(|step| repeated(step, found, first)));
            continue;
        }
        let wanted = together(request, &firsts, n);
        let consent = is_consented(&consents, found);
        match (Target { request, wanted: &wanted, located: found, consent, guard }).planned() {
            Ok((step, claim)) => {
                refusals.extend(doubtful(request, &step));
                claims.extend(claim);
                steps.push(step);
            }
            Err(refusal) => refusals.push(refusal),
        }
    }
    let rooms = match rooms(&claims) {
        Ok(rooms) => rooms,
        Err(full) => {
            refusals.extend(full);
            Vec::new()
        }
    };
    if !refusals.is_empty() {
        return Err(Refused(refusals));
    }
    Ok(Plan { steps, rooms, filling: request.filling, pace: request.pace })
}

fn path_of(located: &Result<Located, Refusal>) -> PathBuf {
    match located {
        Ok(located) => located.path.clone(),
        Err(refusal) => refusal.path.clone(),
    }
}

/// The same target once more: nothing is written twice.
fn repeated(step: Step, located: &Located, first: usize) -> Step {
    Step {
        given: located.given.clone(),
        path: located.path.clone(),
        resize: None,
        ranges: Vec::new(),
        same_as: Some(first),
        doubts: Vec::new(),
        lost: Vec::new(),
        ..step
    }
}

/// The first target before this one that is the same file or device.
fn same_before(located: &[Result<Located, Refusal>], n: usize) -> Option<usize> {
    let Ok(own) = &located[n] else { return None };
    located[..n].iter().position(|other| {
        other.as_ref().is_ok_and(|other| match (&own.found, &other.found) {
            (Some(own), Some(other)) => own.identity() == other.identity(),
            (None, None) => own.place == other.place,
            _ => false,
        })
    })
}

/// Requirements of all jobs on a target.
fn together(request: &Request, firsts: &[Option<usize>], n: usize) -> Wanted {
    let mut wanted = request.targets[n].clone();
    for (other, _) in request.targets.iter().zip(firsts).filter(|(_, first)| **first == Some(n)) {
        wanted.size = wanted.size.max(other.size);
        wanted.least = wanted.least.max(other.least);
        wanted.reads |= other.reads;
        wanted.writes |= other.writes;
        wanted.recreate |= other.recreate;
    }
    wanted
}

/// True if a consent names the very file or device that is there.
fn is_consented(consents: &[(&Path, Option<Named>)], located: &Located) -> bool {
    let Some(found) = &located.found else { return false };
    let named = |named: &Named| named.identity == Some(found.identity());
    consents.iter().any(|(_, consent)| consent.as_ref().is_some_and(named))
}

/// Consents that name no target: more likely a target was named wrongly than a consent given for nothing.
fn misnamed(consents: &[(&Path, Option<Named>)], located: &[Result<Located, Refusal>]) -> Vec<Refusal> {
    let names_one = |named: &Named| {
        located.iter().flatten().any(|located| match (&located.found, named.identity) {
            (Some(found), Some(identity)) => found.identity() == identity,
            // A script consents before the file is there the first time.
            (None, None) => named.place == located.place,
            _ => false,
        })
    };
    let wrong = consents.iter().filter(|(_, named)| !named.as_ref().is_some_and(names_one));
    wrong
        .map(|(path, _)| {
            let targets: Vec<String> =
                located.iter().map(|located| path_of(located).display().to_string()).collect();
            Refusal {
                path: path.to_path_buf(),
                because: Because::Misnamed,
                found: "--overwrite names a path that is not a target of this run".to_string(),
                help: format!("leave it out, or name one of: {}", targets.join(", ")),
            }
        })
        .collect()
}

/// With `strict`, doubts are refusals.
fn doubtful(request: &Request, step: &Step) -> Vec<Refusal> {
    let doubts = step.doubts.iter().filter(|_| request.strict);
    doubts
        .map(|doubt| Refusal {
            path: step.path.clone(),
            because: if matches!(doubt, Doubt::InMemory(_)) {
                Because::Unsuitable
            } else {
                Because::Unwritten
            },
            found: doubt.to_string(),
            help: match doubt {
                Doubt::InMemory(_) => "name a target on a disk, or leave out --strict".to_string(),
                Doubt::Blank | Doubt::Zeros(_) => {
                    format!(
                        "add --overwrite {} to fill it first, or leave out --strict",
                        shell_path(&step.path)
                    )
                }
            },
        })
        .collect()
}

/// A size as the run uses it, or why it can't.
pub(super) fn sized(wanted: &Wanted, path: &Path, used: Bytes) -> Result<(), Refusal> {
    if used == Bytes::ZERO {
        return Err(Refusal::no_size(path, "it is empty"));
    }
    if used < wanted.least {
        return Err(Refusal {
            path: path.to_path_buf(),
            because: Because::TooSmall,
            found: format!("its size is {used}, and the workload needs at least {}", wanted.least),
            help: "give it a larger --size, or use smaller blocks".into(),
        });
    }
    Ok(())
}

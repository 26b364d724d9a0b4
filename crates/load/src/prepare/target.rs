use std::ffi::OsStr;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use iobound_machine::files::{Unwritten, unwritten};
use iobound_units::{Bytes, Problem};
use iobound_workload::{Content, shell_path};

use super::filling::Filling;
use super::guard::Guard;
use super::locate::{FoundTarget, Located, folder, unsuitable};
use super::mark::Mark;
use super::plan::{Doubt, Step, What};
use super::refusal::{Because, Refusal};
use super::request::{Request, Wanted};
use super::room::Claim;
use super::sample::Sample;
use super::standing::{Standing, standing};
use super::survey::sized;

type Planned = Result<(Step, Option<Claim>), Refusal>;

/// One target, and all that decides what becomes of it.
pub(super) struct Target<'a> {
    pub(super) request: &'a Request,
    pub(super) wanted: &'a Wanted,
    pub(super) located: &'a Located,
    /// True if the content may be lost.
    pub(super) consent: bool,
    pub(super) guard: &'a dyn Guard,
}

/// Content that compares as the same: the seed makes no difference to a storage.
fn alike(a: Filling, b: Filling) -> bool {
    (a.content, a.repeats) == (b.content, b.repeats)
}

fn length(ranges: &[Range<u64>]) -> u64 {
    ranges.iter().map(|range| range.end - range.start).sum()
}

impl Target<'_> {
    pub(super) fn planned(&self) -> Planned {
        match &self.located.found {
            None => self.new_file(),
            Some(found) if found.is_device() => self.device(found),
            Some(found) => match standing(&found.handle) {
                Ok(Standing::Ours(mark)) => self.made(found, *mark),
                Ok(Standing::Foreign(why)) => self.foreign(found, why),
                Err(error) => Err(self.failing(&error)),
            },
        }
    }

    fn path(&self) -> &Path {
        &self.located.path
    }

    fn refusal(&self, because: Because, found: impl Into<String>, help: impl Into<String>) -> Refusal {
        Refusal { path: self.path().to_path_buf(), because, found: found.into(), help: help.into() }
    }

    fn step(&self, what: What, size: Bytes) -> Step {
        Step {
            given: self.located.given.clone(),
            path: self.path().to_path_buf(),
            what,
            handle: self.located.found.as_ref().map(|found| found.handle.clone()),
            directory: Arc::clone(&self.located.directory),
            name: self.located.place.1.clone().into_os_string(),
            writes: self.wanted.writes,
            size,
            resize: None,
            ranges: Vec::new(),
            unwritten: Bytes::ZERO,
            mark: None,
            doubts: Vec::new(),
            lost: Vec::new(),
            emulated: self.is_emulated(),
            same_as: None,
        }
    }

    fn is_emulated(&self) -> bool {
        self.located.found.is_some() && self.guard.backing(self.path()).emulated
    }

    fn claim(&self, bytes: u64) -> Claim {
        Claim { path: self.path().to_path_buf(), folder: folder(self.path()).to_path_buf(), bytes }
    }

    fn check_guard(&self) -> Result<Vec<String>, Refusal> {
        let open: Option<&File> = self.located.found.as_ref().map(|found| found.handle.file());
        let checked = self.guard.check(self.path(), open);
        checked.map_err(|Problem { what, help }| self.refusal(Because::Guarded, what, help))
    }

    /// Checks that a target which is going to be written may be. Returns what is lost by that.
    fn check_writable(&self) -> Result<Vec<String>, Refusal> {
        let lost = self.check_guard()?;
        self.located.directory.check_writable(self.located.place.1.as_os_str(), false).map_err(|error| {
            let found = format!("it cannot be written ({error})");
            unsuitable(self.path(), found, "change its permissions, or only read it")
        })?;
        Ok(lost)
    }

    fn in_memory(&self, at: &Path) -> Option<Doubt> {
        self.guard.backing(at).memory.map(Doubt::InMemory)
    }

    fn new_file(&self) -> Planned {
        let Some(size) = self.wanted.size.or(self.request.new_size) else {
            return Err(Refusal::no_size(self.path(), "it is not there yet"));
        };
        sized(self.wanted, self.path(), size)?;
        self.check_guard()?;
        let folder = folder(self.path());
        self.located.directory.check_writable(OsStr::new("."), false).map_err(|error| {
            let found = format!("it cannot be created in {} ({error})", folder.display());
            unsuitable(self.path(), found, "name a folder that you can write to")
        })?;
        let step = Step {
            resize: Some(size),
            ranges: whole(size),
            mark: Some(self.fresh_mark(size)),
            doubts: self.in_memory(folder).into_iter().collect(),
            ..self.step(What::New, size)
        };
        Ok((step, Some(self.claim(size.get()))))
    }

    fn fresh_mark(&self, size: Bytes) -> Mark {
        Mark {
            size: size.get(),
            resized_from: None,
            filled: 0,
            filling: self.request.filling,
            refilled: None,
            created: self.request.now,
            seal: None,
            opened_by_others: false,
        }
    }

    fn holes(&self, found: &FoundTarget, up_to: u64) -> Result<Vec<Unwritten>, Refusal> {
        let looked = unwritten(found.handle.file(), up_to.min(found.size));
        looked.map(|(parts, _)| parts).map_err(|error| {
            let found = format!("the parts of it that were written cannot be determined ({error})");
            unsuitable(self.path(), found, "name a file on another file system")
        })
    }

    /// The space that writing `ranges`, and growing to `size`, takes beyond what the file has.
    fn grows(&self, found: &FoundTarget, holes: &[Unwritten], ranges: &[Range<u64>], size: u64) -> Claim {
        let unallocated = holes.iter().filter(|hole| !hole.allocated).map(|hole| {
            let overlap = |range: &Range<u64>| {
                range.end.min(hole.range.end).saturating_sub(range.start.max(hole.range.start))
            };
            ranges.iter().map(overlap).sum::<u64>()
        });
        self.claim(unallocated.sum::<u64>().saturating_add(size.saturating_sub(found.size)))
    }

    /// A file of ours: it is brought to what is wanted, from where it is.
    fn made(&self, found: &FoundTarget, mark: Mark) -> Planned {
        // One that was interrupted may be shorter than it was to become.
        let used = self.wanted.size.unwrap_or(Bytes(found.size.max(mark.size))).get();
        sized(self.wanted, self.path(), Bytes(used))?;
        let size = if self.wanted.recreate { used } else { used.max(found.size) };
        let same = alike(mark.filling, self.request.filling);
        let filling = if same { mark.filling } else { self.request.filling };
        let filled = if same { mark.filled.min(found.size) } else { 0 };
        let refilled = if same { mark.refilled } else { Some(mark.filling) };
        let holes = self.holes(found, used)?;
        let mut ranges: Vec<Range<u64>> = holes
            .iter()
            .map(|hole| hole.range.start..hole.range.end.min(filled))
            .filter(|range| !range.is_empty())
            .collect();
        if filled < used {
            ranges.push(filled..used);
        }
        let resize = (size != found.size).then_some(Bytes(size));
        if self.wanted.writes || !ranges.is_empty() || resize.is_some() {
            self.check_writable()?;
        }
        let claim = self.grows(found, &holes, &ranges, size);
        let step = Step {
            resize,
            unwritten: Bytes(length(&ranges)),
            ranges,
            mark: Some(Mark { size, filled, filling, refilled, ..mark }),
            doubts: self.in_memory(self.path()).into_iter().collect(),
            ..self.step(What::Made, Bytes(used))
        };
        Ok((step, Some(claim)))
    }

    /// A file that iobound did not create: read unchanged, or written with consent. `why` contradicts its mark, if it
    /// has one.
    fn foreign(&self, found: &FoundTarget, why: Option<String>) -> Planned {
        let (existing, path) = (Bytes(found.size), shell_path(self.path()));
        let used = self.wanted.size.unwrap_or(existing);
        if (self.wanted.writes || self.wanted.recreate) && !self.consent {
            return Err(self.refusal(
                Because::NoConsent,
                match why {
                    None => format!("it exists ({existing}), was not made by this program, and would be overwritten"),
                    Some(why) => format!(
                        "it exists ({existing}) and would be overwritten; it carries this program's mark, but {why}"
                    ),
                },
                format!("add --overwrite {path} if its content may be lost, or name another file"),
            ));
        }
        if used > existing && !self.consent {
            let found = format!("its size is {existing}, and the run needs {used}");
            let help = format!("give a smaller --size, or add --overwrite {path} to let it grow");
            return Err(unsuitable(self.path(), found, help));
        }
        sized(self.wanted, self.path(), used)?;
        let used_bytes = used.get();
        let holes = self.holes(found, used_bytes)?;
        let missing: Vec<Range<u64>> = holes.iter().map(|hole| hole.range.clone()).collect();
        if self.wanted.reads && !missing.is_empty() && !self.consent {
            let unread = Bytes(length(&missing));
            return Err(self.refusal(
                Because::Unwritten,
                format!(
                    "{unread} of the {used} to be read were never written, and read as zeros without the disk"
                ),
                format!(
                    "add --overwrite {path} to fill them, read only a written part with --size, or name the \
                     folder so that the run creates its own file"
                ),
            ));
        }
        let mut step = Step { unwritten: Bytes(length(&missing)), ..self.step(What::Foreign, used) };
        let size = if self.wanted.recreate { used } else { used.max(existing) };
        step.resize = (size != existing).then_some(size);
        if self.wanted.recreate {
            // All of it is lost, with consent, and what comes after is ours.
            step.ranges = whole(used);
            step.mark = Some(Mark { resized_from: Some(existing.get()), ..self.fresh_mark(used) });
        } else if self.consent {
            step.ranges = missing;
            if used > existing {
                step.ranges.push(existing.get()..used_bytes);
            }
        }
        if self.wanted.writes || !step.ranges.is_empty() || step.resize.is_some() {
            step.lost = self.check_writable()?;
        }
        step.doubts.extend(self.in_memory(self.path()));
        if step.ranges.is_empty() {
            step.doubts.extend(self.zeros(found, used_bytes)?);
        }
        let claim = self.grows(found, &holes, &step.ranges, size.get());
        Ok((step, Some(claim)))
    }

    /// Evidence of a few blocks about a target without a map of extents.
    fn zeros(&self, found: &FoundTarget, used: u64) -> Result<Option<Doubt>, Refusal> {
        if !self.wanted.reads || self.request.filling.content == Content::Zeros || self.is_emulated() {
            return Ok(None);
        }
        let sample = Sample::take(found.handle.file(), used).map_err(|error| self.failing(&error))?;
        Ok(Some(Doubt::Zeros(sample)).filter(|_| sample.is_doubtful()))
    }

    fn failing(&self, error: &std::io::Error) -> Refusal {
        let found = format!("it cannot be read ({error})");
        self.refusal(Because::Failing, found, "look at `dmesg`: the disk may be failing")
    }

    fn device(&self, found: &FoundTarget) -> Planned {
        let (existing, path) = (Bytes(found.size), shell_path(self.path()));
        if self.wanted.recreate {
            let found = "it is a block device, and cannot be created";
            return Err(unsuitable(
                self.path(),
                found,
                "leave out the option that creates it (DiskSpd's -c)",
            ));
        }
        let used = self.wanted.size.unwrap_or(existing);
        if used > existing {
            let found = format!("its size is {existing}, and the run needs {used}");
            return Err(unsuitable(self.path(), found, "give a smaller --size"));
        }
        sized(self.wanted, self.path(), used)?;
        if self.wanted.writes && !self.consent {
            return Err(self.refusal(
                Because::NoConsent,
                format!("it is a block device of {existing}, and its content would be overwritten"),
                format!("add --overwrite {path} if its content may be lost, or only read it"),
            ));
        }
        let backing = self.guard.backing(self.path());
        let mut step = self.step(What::Device, used);
        let blank = backing
            .blank
            .filter(|blank| *blank && self.wanted.reads && !backing.emulated)
            .map(|_| Doubt::Blank);
        let unread = match blank {
            Some(blank) => Some(blank),
            None => self.zeros(found, used.get())?,
        };
        if self.consent && unread.is_some() {
            step.ranges = whole(used);
        } else {
            step.doubts.extend(unread);
        }
        if self.wanted.writes || !step.ranges.is_empty() {
            step.lost = self.check_writable()?;
        }
        step.doubts.extend(backing.memory.map(Doubt::InMemory));
        Ok((step, None))
    }
}

fn whole(size: Bytes) -> Vec<Range<u64>> {
    std::iter::once(0..size.get()).collect()
}

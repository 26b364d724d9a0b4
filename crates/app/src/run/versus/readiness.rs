//! Both sides are looked at and consented to before either is written to.

use std::path::{Path, PathBuf};

use iobound_machine::World;
use iobound_report::Prepared;

use super::super::how::RunOptions;
use super::super::ready::{Ready, Surveyed};
use super::super::engine::engine_for;
use super::super::targets::Places;
use super::super::uses::will_use;
use super::Contest;
use crate::Failure;

/// Targets that are ready for both sides.
pub(super) struct Both {
    first: Ready,
    /// Those of the second, where they are not the first's.
    second: Option<Ready>,
}

impl Both {
    pub(super) fn of(&self, side: usize) -> &Ready {
        match (&self.second, side) {
            (Some(second), 1) => second,
            _ => &self.first,
        }
    }

    /// Removes the files that were made for it.
    pub(super) fn remove_made(&self) -> Result<(), Failure> {
        self.first.remove_made()?;
        self.second.as_ref().map_or(Ok(()), Ready::remove_made)
    }

    pub(super) fn prepared(&self, side: usize) -> &[Prepared] {
        &self.of(side).prepared
    }
}

impl Contest {
    /// Makes the targets of both sides ready, each once. `None` where only the plan was wanted: it has been printed.
    pub(super) fn make_ready(&self) -> Result<Option<Both>, Failure> {
        let world = World::real();
        let [a, b] = &self.sides;
        for side in [a, b] {
            engine_for(std::slice::from_ref(&side.workload), &side.how)?;
        }
        let is_same = a.places == b.places;
        let workloads = [a.workload.clone(), b.workload.clone()];
        // Of the same targets both ask together: what one needs of a file the other may not take away.
        let asks: [&[_]; 2] = if is_same { [&workloads, &[]] } else { [&workloads[..1], &workloads[1..]] };
        let consents = consents(&a.how, [&a.places, &b.places], is_same);
        let hows = consents.map(|overwrite| RunOptions { overwrite, ..a.how.clone() });
        let first = Surveyed::of(&world, &a.places, asks[0], &hows[0])?;
        let second = match is_same {
            true => None,
            false => Some(Surveyed::of(&world, &b.places, asks[1], &hows[1])?),
        };
        if a.how.dry_run {
            let mut text = format!("{}\n{}\n", first.plan(), will_use(&workloads[..1], &a.how));
            if let Some(second) = &second {
                text.push_str(&format!("\nand for --vs\n{}\n", second.plan()));
            }
            text.push_str(&format!("--vs: {}\n{}\n", will_use(&workloads[1..], &b.how), self.plan()));
            a.how.env.of_process().print(&text, false)?;
            return Ok(None);
        }
        a.how.env.note(&self.plan());
        let first = first.prepare(&world, asks[0], &hows[0])?;
        let second = second.map(|second| second.prepare(&world, asks[1], &hows[1])).transpose()?;
        Ok(Some(Both { first, second }))
    }

    /// Time that it will take, in words.
    fn plan(&self) -> String {
        let all = (self.turn + self.warmup).secs_f64() * 4.0 * self.rounds as f64;
        format!(
            "A and B take turns: {} rounds of ABBA or BAAB, each turn {} after {} of warm-up, {all:.0} s in all",
            self.rounds, self.turn, self.warmup
        )
    }
}

/// The consents of each side: those of its targets, or of files in its folders. One that fits neither is a mistake, which
/// the first's survey says.
fn consents(how: &RunOptions, places: [&Places; 2], is_same: bool) -> [Vec<PathBuf>; 2] {
    let mut consents = [Vec::new(), Vec::new()];
    for path in &how.overwrite {
        let of = |named: &Path| [0, 1].map(|side| !(is_same && side == 1) && has(places[side], named));
        let mut sides = of(path);
        if sides == [false, false] {
            sides = path.parent().map_or([false, false], of);
        }
        if sides == [false, false] {
            sides = [true, false];
        }
        for side in [0, 1].into_iter().filter(|side| sides[*side]) {
            consents[side].push(path.clone());
        }
    }
    consents
}

/// True if a path is one of the targets, by whatever name.
fn has(places: &Places, path: &Path) -> bool {
    let is_same = |one: &Path| {
        one == path || one.canonicalize().is_ok_and(|one| path.canonicalize().is_ok_and(|path| one == path))
    };
    places.targets.iter().flat_map(|target| &target.files).any(|file| is_same(&file.path))
}

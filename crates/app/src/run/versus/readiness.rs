//! Both sides are looked at and consented to before either is written to.

use iobound_machine::World;
use iobound_report::Prepared;

use super::super::consents::consents;
use super::super::engine::engine_for;
use super::super::how::RunOptions;
use super::super::ready::{Ready, Surveyed};
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
    /// Makes the targets of both sides ready, each once; `Err` within has the plan of a dry run as text.
    pub(super) fn make_ready(&self) -> Result<Result<Both, String>, Failure> {
        let world = World::real();
        let [a, b] = &self.sides;
        for side in [a, b] {
            engine_for(std::slice::from_ref(&side.workload), &side.how)?;
        }
        let is_same = a.places == b.places;
        let workloads = [a.workload.clone(), b.workload.clone()];
        // Of the same targets both ask together: what one needs of a file the other may not take away.
        let asks: [&[_]; 2] = if is_same { [&workloads, &[]] } else { [&workloads[..1], &workloads[1..]] };
        let both = [&a.places, &b.places];
        let consents = consents(if is_same { &both[..1] } else { &both }, &a.how.overwrite);
        let hows: Vec<RunOptions> =
            consents.into_iter().map(|overwrite| RunOptions { overwrite, ..a.how.clone() }).collect();
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
            return Ok(Err(text));
        }
        a.how.env.note(&self.plan());
        let first = first.prepare(&world, &will_use(asks[0], &hows[0]), &hows[0])?;
        let second = second
            .map(|second| second.prepare(&world, &will_use(asks[1], &hows[1]), &hows[1]))
            .transpose()?;
        Ok(Ok(Both { first, second }))
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

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use iobound_units::{Bytes, Io, Tag, TargetId};

use super::ledger::Ledger;
use super::mismatch::{Expected, Found, Mismatch, Verdict};
use super::stamp::{SECTOR, Sector, Stamper};
use super::state::State;

/// One thread's hand in the [`Ledger`]: it remembers what each of its outstanding I/Os met. Allocates nothing
/// after the start but for a mismatch.
pub struct Checker {
    ledger: Arc<Ledger>,
    stamper: Stamper,
    /// State of each block of a slot's I/O at its submission: a generation and whether it was alone, or a state.
    slots: Box<[u64]>,
    width: usize,
    checked: u64,
    wrong: [u64; Verdict::ALL.len()],
}

/// Set beside a generation: no other write was in flight on the unit.
const ALONE: u64 = 1 << 32;

/// Changes a unit's state in one step, and returns what it was.
#[inline]
fn change(state: &AtomicU64, to: impl Fn(State) -> State) -> State {
    let changed = state.fetch_update(Ordering::AcqRel, Ordering::Acquire, |bits| Some(to(State(bits)).0));
    State(changed.unwrap_or_else(|bits| bits))
}

impl Checker {
    /// The memory that a checker takes beside its ledger.
    pub fn memory(ledger: &Ledger, slots: usize, largest: u32) -> Bytes {
        Bytes((slots * (largest / ledger.smallest_unit()) as usize * 8) as u64)
    }

    /// For a thread whose tags are below `slots` and whose I/Os are at most `largest` bytes.
    pub fn new(ledger: Arc<Ledger>, stamper: Stamper, slots: usize, largest: u32) -> Checker {
        let width = (largest / ledger.smallest_unit()) as usize;
        let slots = vec![0; slots * width].into_boxed_slice();
        Checker { ledger, stamper, slots, width, checked: 0, wrong: [0; Verdict::ALL.len()] }
    }

    /// Units whose reads were judged.
    pub fn checked(&self) -> u64 {
        self.checked
    }

    /// Units found wrong, by verdict; only those that occurred.
    pub fn wrong(&self) -> impl Iterator<Item = (Verdict, u64)> + '_ {
        Verdict::ALL.into_iter().zip(self.wrong).filter(|(_, count)| *count > 0)
    }

    /// Data of an I/O: its blocks' states, and the slot's record of each.
    #[inline]
    fn units(&mut self, tag: Tag, io: Io) -> impl Iterator<Item = (&AtomicU64, &mut u64)> {
        let states = self.ledger.units(io.target, io.offset, io.len);
        assert!(states.len() <= self.width, "an I/O is no larger than was said at the start");
        let first = tag.0 as usize * self.width;
        states.iter().zip(&mut self.slots[first..first + states.len()])
    }

    /// A write is about to go out: its buffer is stamped.
    ///
    /// # Panics
    /// If the buffer is not as long as the I/O, or the I/O does not cover whole units of a known target.
    #[inline]
    pub fn on_write_submit(&mut self, tag: Tag, io: Io, buffer: &mut [u8]) {
        assert_eq!(buffer.len(), io.len as usize, "the buffer is what is written");
        let (stamper, unit) = (self.stamper, self.ledger.unit(io.target));
        let blocks = buffer.chunks_exact_mut(unit as usize);
        let mut offset = io.offset;
        for ((state, kept), block) in self.units(tag, io).zip(blocks) {
            let before = change(state, State::submitted);
            let generation = before.submitted().high();
            *kept = u64::from(generation) | if before.flight() == 0 { ALONE } else { 0 };
            stamper.stamp(io.target, offset, generation, block);
            offset += u64::from(unit);
        }
    }

    /// A discard is about to go out. When it is done, say [`Checker::on_write_done`] with no byte written: what
    /// reads of a discarded range find is the device's to say.
    pub fn on_discard_submit(&mut self, tag: Tag, io: Io) {
        for (state, kept) in self.units(tag, io) {
            *kept = u64::from(change(state, State::submitted).submitted().high());
        }
    }

    /// Completion of a write with its first `written` bytes done: all, fewer, or none after an error. The rest may hold
    /// anything until it is written again.
    #[inline]
    pub fn on_write_done(&mut self, tag: Tag, io: Io, written: u32) {
        let whole = (written / self.ledger.unit(io.target)) as usize;
        for (at, (state, kept)) in self.units(tag, io).enumerate() {
            let (generation, alone) = (*kept as u32, *kept & ALONE != 0);
            change(state, |state| state.completed(generation, alone, at < whole));
        }
    }

    /// A read is about to go out: what is acknowledged by now it must find.
    #[inline]
    pub fn on_read_submit(&mut self, tag: Tag, io: Io) {
        for (state, kept) in self.units(tag, io) {
            *kept = state.load(Ordering::Acquire);
        }
    }

    /// A read came back with `data`, which may be shorter than what was asked for: whole units are judged.
    ///
    /// # Errors
    /// Returns the first block with wrong content. All of them are counted.
    #[inline]
    pub fn on_read_done(&mut self, tag: Tag, io: Io, data: &[u8]) -> Result<(), Box<Mismatch>> {
        let (stamper, unit) = (self.stamper, self.ledger.unit(io.target));
        let mut first = None;
        let (mut checked, mut counts) = (0, self.wrong);
        let mut offset = io.offset;
        let blocks = data.chunks_exact(unit as usize);
        for ((state, kept), block) in self.units(tag, io).zip(blocks) {
            let (before, after) = (State(*kept), State(state.load(Ordering::Acquire)));
            let rule = Rule::of(before, after);
            checked += 1;
            match judge(&stamper, &rule, io.target, offset, block) {
                Some(mismatch) => {
                    counts[mismatch.verdict as usize] += 1;
                    first.get_or_insert(mismatch);
                }
                // Should another thread have written meanwhile, the exchange fails, as it must.
                None if rule.exact && !after.seen() => {
                    let _ =
                        state.compare_exchange(after.0, after.found().0, Ordering::AcqRel, Ordering::Relaxed);
                }
                None => {}
            }
            offset += u64::from(unit);
        }
        self.checked += checked;
        self.wrong = counts;
        first.map_or(Ok(()), |mismatch| Err(Box::new(mismatch)))
    }
}

/// Required content of a block's sectors.
struct Rule {
    low: u32,
    high: u32,
    /// One write's sectors, all of them whole.
    exact: bool,
    /// Something of this run is there, whatever it is.
    ours: bool,
    /// An earlier read found the last generation.
    seen: bool,
    /// Anything may be there.
    unknown: bool,
}

impl Rule {
    /// `before` is the unit's state when the read went out, `after` when it came back.
    fn of(before: State, after: State) -> Rule {
        // A write that was on its way beside the read may be seen in part, down to the single byte where the
        // target is memory. So may, for good, what several writes that met left behind.
        let moved = before.flight() > 0 || after.high() != before.high();
        let unknown = before.unknown() || after.unknown();
        Rule {
            low: before.low(),
            high: after.high(),
            exact: !moved && after.exact(),
            ours: before.low() > 0 && !moved,
            seen: before.seen(),
            unknown,
        }
    }

    /// The problem with a sector that should lie at `offset` of `target`.
    fn wrong(&self, sector: Sector, target: TargetId, offset: u64) -> Option<Verdict> {
        let older = if self.seen { Verdict::Stale } else { Verdict::Lost };
        match sector {
            Sector::Stamped(stamp) if stamp.offset != offset || stamp.target != target => {
                Some(Verdict::Misplaced)
            }
            Sector::Stamped(stamp) if stamp.generation > self.high => Some(Verdict::Ahead),
            Sector::Stamped(stamp) if stamp.generation < self.low && !self.unknown => Some(older),
            Sector::Foreign if self.ours && !self.unknown => Some(Verdict::NeverWritten),
            Sector::Damaged { .. } if self.exact => Some(Verdict::Corrupt),
            _ => None,
        }
    }
}

fn judge(stamper: &Stamper, rule: &Rule, target: TargetId, unit: u64, block: &[u8]) -> Option<Mismatch> {
    let mut worst: Option<(Verdict, u64, &[u8], Sector)> = None;
    let mut wrong = 0;
    // Version of each sector; 0 is not of this run.
    let (mut version, mut several) = (None, false);
    for (sector, bytes) in (0u64..).zip(block.chunks_exact(SECTOR)) {
        let (offset, found) = (unit + sector * SECTOR as u64, stamper.read(bytes));
        let generation = match found {
            Sector::Stamped(stamp) => stamp.generation,
            Sector::Foreign | Sector::Damaged { .. } => 0,
        };
        several |= *version.get_or_insert(generation) != generation;
        let Some(verdict) = rule.wrong(found, target, offset) else { continue };
        wrong += 1;
        // What no lost or torn write explains comes first.
        if worst.is_none_or(|(known, ..)| explained(known) && !explained(verdict)) {
            worst = Some((verdict, offset, bytes, found));
        }
    }
    let (verdict, sector, bytes, found) = worst?;
    let verdict = if explained(verdict) && several && rule.exact { Verdict::Torn } else { verdict };
    let mut start = [0; 64];
    start.copy_from_slice(&bytes[..64]);
    Some(Mismatch {
        verdict,
        target,
        unit,
        sector,
        wrong,
        sectors: (block.len() / SECTOR) as u32,
        expected: Expected { low: rule.low, high: rule.high, run: stamper.run() },
        found: Found { sector: found, bytes: start },
    })
}

/// True if the only fault is a sector of an earlier time.
fn explained(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::NeverWritten | Verdict::Lost | Verdict::Stale)
}

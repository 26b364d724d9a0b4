//! Clocks that count how often they are asked, and one that behaves as badly as a real one.

use std::cell::Cell;
use std::rc::Rc;

use iobound_drive::{Clock, VirtualClock};
use iobound_units::{Instant, Span};

/// What was asked of a clock; a copy sees the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub(crate) reads: Rc<Cell<u64>>,
    pub(crate) sleeps: Rc<Cell<u64>>,
}

/// A clock that counts.
#[derive(Debug, Default)]
pub(crate) struct Counting<C> {
    inner: C,
    asked: Asked,
}

impl<C> Counting<C> {
    pub(crate) fn new(inner: C) -> (Counting<C>, Asked) {
        let asked = Asked::default();
        (Counting { inner, asked: asked.clone() }, asked)
    }
}

impl<C: Clock> Clock for Counting<C> {
    fn now(&mut self) -> Instant {
        self.asked.reads.set(self.asked.reads.get() + 1);
        self.inner.now()
    }

    fn sleep_until(&mut self, at: Instant) {
        self.asked.sleeps.set(self.asked.sleeps.get() + 1);
        self.inner.sleep_until(at);
    }
}

/// A clock as real ones are, without waiting for one: each look at it takes a time, and each sleep ends late by
/// another time than the last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sloppy {
    now: Instant,
    look: Span,
    late: Span,
    sleeps: u64,
}

impl Sloppy {
    pub(crate) fn new(look: Span, late: Span) -> Sloppy {
        Sloppy { now: Instant::ZERO, look, late, sleeps: 0 }
    }
}

impl Clock for Sloppy {
    fn now(&mut self) -> Instant {
        self.now += self.look;
        self.now
    }

    fn sleep_until(&mut self, at: Instant) {
        if at > self.now {
            self.sleeps += 1;
            // 0 to 15 sixteenths of the worst, in no regular order.
            let share = self.sleeps.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60;
            self.now = at + Span::from_ns(self.late.ns() * share / 16);
        }
    }
}

pub(crate) fn virtual_time() -> VirtualClock {
    VirtualClock::default()
}

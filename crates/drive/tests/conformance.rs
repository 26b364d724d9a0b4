//! Every engine of this crate keeps the promises of [`Body`](common::conform::Body). Those on real targets have the same
//! body, in the tests of the crate `load`.

mod common;

use common::build::*;
use common::clocks::{Sloppy, virtual_time};
use common::conform::Body;
use iobound_drive::{Engine, Flow, Null};
use iobound_model::Latency;
use iobound_units::{Bytes, Ppm, Span};

const SIZE: Bytes = Bytes::gib(4);

fn conforms<E: Engine>(make: impl Fn(usize) -> E) {
    Body { size: SIZE, second: Span::from_secs(1), discards: true }.conforms(make, drop);
}

#[test]
fn nothing_at_all_conforms() {
    conforms(|capacity| Null::new(Sloppy::new(Span::from_us(20), Span::from_us(60)), capacity));
}

#[test]
fn the_model_in_virtual_time_conforms() {
    let latency = Latency { mean: Span::from_us(900), floor: Ppm(800_000), per_kib: Span::from_us(2) };
    for algorithm in [SLICE, BUCKET] {
        let blueprint = striped(1, latency, Some((3_000, algorithm)));
        conforms(|capacity| modelled(&blueprint, virtual_time(), capacity));
    }
}

#[test]
fn the_model_on_a_clock_that_is_always_late_conforms() {
    let latency = Latency { mean: Span::from_us(900), floor: Ppm(800_000), per_kib: Span::from_us(2) };
    let blueprint = striped(1, latency, Some((3_000, SLICE)));
    let clock = || Sloppy::new(Span::from_ns(400), Span::from_us(200));
    conforms(|capacity| modelled(&blueprint, clock(), capacity));
}

#[test]
fn a_wait_with_nothing_outstanding_lasts_until_the_asked_time() {
    fn waits<E: Engine>(mut engine: E) {
        let until = engine.now() + Span::from_ms(20);
        let mut done = Vec::new();
        engine.wait(until, &mut done).unwrap();
        assert!(engine.now() >= until && done.is_empty());
    }
    waits(Null::new(virtual_time(), 1));
    waits(modelled(&constant(100), virtual_time(), 1));
    waits(modelled(&limited(100, 50, SLICE), Sloppy::new(Span::from_ns(30), Span::from_us(50)), 1));
}

/// A clock that goes on by itself, and whose time others see.
struct Shared(std::rc::Rc<std::cell::Cell<u64>>);

impl iobound_drive::Clock for Shared {
    fn now(&mut self) -> iobound_units::Instant {
        self.0.set(self.0.get() + 3_000_000);
        iobound_units::Instant::from_ns(self.0.get())
    }

    fn sleep_until(&mut self, _at: iobound_units::Instant) {}
}

#[test]
fn an_interval_is_handed_out_as_soon_as_a_later_completion_has_closed_it() {
    let now = std::rc::Rc::new(std::cell::Cell::new(0));
    let mut seen = 0;
    let workload = for_seconds(vec![closed(1, 4)], 10);
    // No look at this clock falls on a whole second: it is always a completion that closes the interval.
    let engine = |capacity| Null::new(Shared(now.clone()), capacity);
    run_on(&workload, &target(SIZE), engine, &mut |interval| {
        let late = Span::from_ns(now.get() - interval.end.ns());
        assert!(late < Span::from_ms(20), "an interval that ended at {} came {late} late", interval.end.ns());
        seen += 1;
        Flow::Continue
    });
    assert!(seen >= 9);
}

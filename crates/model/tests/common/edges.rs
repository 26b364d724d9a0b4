//! Where a gate's slices begin: found by experiment, as a stack does not say.

use iobound_model::{GateSpec, Limit, Stack};
use iobound_units::{Io, Ppm};

use super::build::*;
use super::play::play;

/// When the first slice of gate `index` ends, under a seed and with slices of that length.
///
/// A gate of little more than one unit a slice serves several I/Os at time zero: the first that has to wait
/// passes at the edge. The phase is a draw of its own for each seed and gate, whatever the limits.
pub(crate) fn first_edge(seed: u64, index: u16, length_ns: u64) -> u64 {
    let discipline = iobound_model::Discipline::Slice { length: iobound_units::Span::from_ns(length_ns) };
    let probe = GateSpec {
        ios: Some(Limit::published(S.div_ceil(length_ns))),
        ..gate("probe", discipline, Ppm::ONE)
    };
    let blueprint = apart(vec![probe; usize::from(index) + 1], vec![disk(constant(0), &[index])]);
    let mut stack = Stack::new(&blueprint, &start(seed), 8).expect("a valid blueprint");
    let trace = [(0, Io::read(target(0), 0, 4096)); 8];
    play(&mut stack, &trace).times().into_iter().find(|at| *at > 0).expect("eight do not fit a slice of one")
}

//! Start of a limiter's slices: found by experiment, as a stack does not say.

use iobound_model::{Limit, LimiterSpec, Stack};
use iobound_units::{Io, Ppm};

use super::build::*;
use super::play::play;

/// End of the first slice of limiter `index`, under a seed and with slices of that length.
///
/// A limiter of little more than one unit a slice serves several I/Os at time zero: the first that has to wait
/// passes at the edge. The phase is a draw of its own for each seed and limiter, whatever the limits.
pub(crate) fn first_edge(seed: u64, index: u16, length_ns: u64) -> u64 {
    let algorithm = iobound_model::Algorithm::Slice { length: iobound_units::Span::from_ns(length_ns) };
    let probe = LimiterSpec {
        ios: Some(Limit::published(S.div_ceil(length_ns))),
        ..limiter("probe", algorithm, Ppm::ONE)
    };
    let blueprint = apart(vec![probe; usize::from(index) + 1], vec![disk(constant(0), &[index])]);
    let mut stack = Stack::new(&blueprint, &start(seed), 8).expect("a valid blueprint");
    let trace = [(0, Io::read(target(0), 0, 4096)); 8];
    play(&mut stack, &trace).times().into_iter().find(|at| *at > 0).expect("eight do not fit a slice of one")
}

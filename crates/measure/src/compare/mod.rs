//! Two results side by side: the difference of each figure with its confidence interval, where in the distribution
//! latencies moved, what else is different, and conditions on all that.
//!
//! Two runs that stand for themselves are independent; runs that took turns are paired, and what both of a round had in
//! common falls out of the difference.

mod cautions;
mod changed;
mod comparison;
mod condition;
mod difference;
mod shift;

pub use cautions::cautions;
pub use changed::{Changed, Subject, changed};
pub use comparison::{Compared, Comparison, LEVEL, Pairing, SHOWN, Verdict};
pub use condition::{Bound, Condition, Judged, Order, Unjudged};
pub use difference::{Bounds, Means};
pub use shift::{Gap, Shift, Slice};

//! A row of the table: a run with what came of it.

use crate::execute::Execution;
use crate::experiment::PlannedRun;
use crate::verdict::{Band, Verdict, judge};
use crate::would_need::would_need;

/// A run with what came of it.
#[derive(Clone, Debug)]
pub struct Row {
    /// The run as planned.
    pub run: PlannedRun,
    /// What came of it.
    pub execution: Execution,
    /// What a published figure was compared with.
    pub band: Band,
    /// The verdict on the publication.
    pub verdict: Verdict,
    /// What would have to be true, one possibility a sentence; empty unless the verdict is unexplained.
    pub would_need: Vec<String>,
    /// Of a published range that the band explains in part: what its rest would need.
    pub beyond: Vec<String>,
}

impl Row {
    /// Judges what came of a run.
    pub fn of(run: PlannedRun, execution: Execution) -> Row {
        let band = Band::of(&execution);
        let verdict = judge(run.published.as_ref(), &band);
        let needs =
            run.published.as_ref().map_or(Vec::new(), |published| would_need(&run, &execution, published));
        let (would_need, beyond) =
            if verdict == Verdict::Explained { (Vec::new(), needs) } else { (needs, Vec::new()) };
        Row { run, execution, band, verdict, would_need, beyond }
    }
}

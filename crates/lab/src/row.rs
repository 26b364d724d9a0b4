//! A row of the table: a run with what came of it.

use crate::execute::Execution;
use crate::planned::PlannedRun;
use crate::verdict::{Band, Verdict, judge};
use crate::would_need::would_need;

/// A run with what came of it.
#[derive(Clone, Debug)]
pub struct Row {
    /// The run as planned.
    pub run: PlannedRun,
    /// Its result.
    pub execution: Execution,
    /// The prediction that a published figure was compared with; `None` without a configuration.
    pub band: Option<Band>,
    /// The verdict on the publication.
    pub verdict: Verdict,
    /// Conditions that would have to be true, one possibility a sentence; empty unless the verdict is unexplained.
    pub would_need: Vec<String>,
    /// Of a published range that the band explains in part: what its rest would need.
    pub beyond: Vec<String>,
}

impl Row {
    /// Judges what came of a run.
    pub fn of(run: PlannedRun, execution: Execution) -> Row {
        let (Some(on_model), Some(modelled)) = (&run.on_model, &execution.modelled) else {
            let (would_need, beyond) = (Vec::new(), Vec::new());
            return Row { run, execution, band: None, verdict: Verdict::NoFigure, would_need, beyond };
        };
        let band = Band::of(modelled);
        let verdict = judge(run.published.as_ref(), &band);
        let needs =
            run.published.as_ref().map_or(Vec::new(), |published| would_need(on_model, modelled, published));
        let (would_need, beyond) =
            if verdict == Verdict::Explained { (Vec::new(), needs) } else { (needs, Vec::new()) };
        Row { run, execution, band: Some(band), verdict, would_need, beyond }
    }

    /// Measured ÷ expected IOPS; `None` without either.
    pub fn measured_to_predicted(&self) -> Option<f64> {
        let expected = self.execution.modelled.as_ref()?.prediction.expected.iops;
        let measured = self.execution.measured.as_ref()?.reached.iops;
        (expected > 0.0).then(|| measured / expected)
    }

    /// Bytes of an I/O, on average: what makes a throughput of IOPS.
    pub fn block(&self) -> f64 {
        match (&self.band, &self.execution.measured) {
            (Some(band), _) => band.block,
            (None, Some(measured)) if measured.reached.iops > 0.0 => {
                measured.reached.throughput_bytes_per_s / measured.reached.iops
            }
            _ => 0.0,
        }
    }
}

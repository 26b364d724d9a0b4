//! The answer of a run, on one machine or on several: what was expected beside it, the store, conditions, the document.

use iobound_measure::compare::Condition;
use iobound_measure::{Measured, RunResult};
use iobound_predict::{Prediction, predict};
use iobound_report::{
    Document, Ended, JudgedCondition, Prepared, RunScreen, RunStage, host_bound, run_document, run_text,
    series_csv,
};
use iobound_workload::Workload;

use super::stage::Stage;
use crate::compare;
use crate::outfile::{OutFile, Unwritten};
use crate::page::PageChoice;
use crate::results::{Keeping, ToKeep};
use crate::settings::ConfigurationRequest;
use crate::{Env, Exit, Failure};

/// Exit code by the user's conditions.
pub(crate) type Asserted = Result<Exit, Failure>;

/// Information about a stage.
pub(crate) struct ToldStage<'a> {
    pub(crate) workload: &'a Workload,
    pub(crate) result: &'a mut RunResult,
    pub(crate) measured: &'a Measured,
    pub(crate) ended: Ended,
}

/// Options of the answer.
pub(crate) struct Answer<'a> {
    pub(crate) conditions: &'a [Condition],
    pub(crate) configuration: Option<&'a ConfigurationRequest>,
    pub(crate) page: &'a PageChoice,
    pub(crate) env: &'a Env,
    pub(crate) csv: Option<&'a OutFile>,
    pub(crate) keeping: Keeping,
    /// Next commands to suggest.
    pub(crate) next: Vec<String>,
}

impl Answer<'_> {
    /// Gives it; says how the program ends by what was asserted, or why that can't be judged. Whatever part of it can't be
    /// written takes nothing of the other parts away: it is added to `unwritten`.
    pub(crate) fn give(
        mut self,
        stages: &mut [ToldStage<'_>],
        prepared: &[Prepared],
        unwritten: &mut Unwritten,
    ) -> Asserted {
        if self.page.is_asked() {
            // What pictures are made of and nobody reads as text.
            for stage in &mut *stages {
                stage.result.attach_histograms(stage.measured);
                stage.result.attach_latencies(stage.measured);
            }
        }
        let predictions: Vec<Option<Prediction>> =
            stages.iter().map(|stage| self.predicted(stage.workload)).collect();
        for (stage, prediction) in stages.iter_mut().zip(&predictions) {
            for host in &mut stage.result.hosts {
                host.bound = host_bound(stage.workload, host, prediction.as_ref());
            }
        }
        let keep: Vec<ToKeep<'_>> = stages
            .iter()
            .zip(&predictions)
            .map(|(stage, prediction)| ToKeep {
                name: None,
                side: None,
                workload: stage.workload,
                result: stage.result,
                measured: Some(stage.measured),
                ended: stage.ended.clone(),
                prediction: prediction.as_ref(),
                prepared,
            })
            .collect();
        let ids = self.keeping.keep(&keep);
        drop(keep);
        for (stage, id) in stages.iter_mut().zip(ids) {
            stage.result.id = Some(id);
        }
        let judged = judged(self.conditions, stages);
        let shown: Vec<RunStage<'_>> = stages
            .iter()
            .zip(&predictions)
            .map(|(stage, prediction)| RunStage {
                workload: stage.workload,
                result: stage.result,
                prediction: prediction.as_ref(),
                ended: stage.ended.clone(),
            })
            .collect();
        let id = shown.first().and_then(|stage| stage.result.id.as_ref());
        self.next
            .extend(id.filter(|_| self.configuration.is_some()).map(|id| format!("iobound explain {id}")));
        let told = judged.as_ref().map_or(&[][..], Vec::as_slice);
        let screen = RunScreen { stages: &shown, prepared, next: &self.next, conditions: told };
        let process = self.env.of_process();
        unwritten.take(process.answer(&|style| run_text(&screen, style), &|| run_document(&screen).into()));
        unwritten.take(self.page.write(|| run_document(&screen)));
        if let Some(csv) = self.csv {
            unwritten.take(csv.write(&series_csv(&screen)));
        }
        judged.map(|judged| compare::exit_of(&judged, |note| self.env.note(note)))
    }

    /// Expected figures of each host, if the configuration is known.
    fn predicted(&self, workload: &Workload) -> Option<Prediction> {
        let asked = self.configuration?;
        let mut workload = workload.clone();
        iobound_predict::name_targets(&mut workload, &asked.resolved);
        let (workload, _) = iobound_predict::behind_the_page_cache(&workload, &asked.resolved);
        let question = asked.question(&workload);
        let predicted = predict(&question, &mut |_| {
            if self.env.is_stopped() { iobound_drive::Flow::Stop } else { iobound_drive::Flow::Continue }
        });
        predicted.map_err(|why| self.env.note(&format!("no prediction is shown: {why}"))).ok()
    }
}

/// The conditions, judged by each stage.
fn judged(conditions: &[Condition], stages: &[ToldStage<'_>]) -> Result<Vec<JudgedCondition>, Failure> {
    let mut judged = Vec::new();
    for (index, stage) in stages.iter().enumerate() {
        let of = (stages.len() > 1).then(|| format!("stage {}", index + 1));
        for condition in conditions {
            let found = condition.judge(stage.result).map_err(|why| compare::unjudged(condition, &why))?;
            judged.push(JudgedCondition { condition: condition.clone(), of: of.clone(), judged: found });
        }
    }
    Ok(judged)
}

/// The stages of one machine, for the answer.
pub(crate) fn told_of(stages: &mut [Stage]) -> Vec<ToldStage<'_>> {
    stages
        .iter_mut()
        .map(|stage| ToldStage {
            workload: &stage.workload,
            result: &mut stage.result,
            measured: &stage.outcome.total,
            ended: stage.ended.clone(),
        })
        .collect()
}

/// Writes the result of these stages with every latency, for programs that merge results.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub(crate) fn own_result(file: &OutFile, stages: &[Stage], prepared: &[Prepared]) -> Result<(), Failure> {
    let whole: Vec<RunResult> = stages
        .iter()
        .map(|stage| {
            let mut result = stage.result.clone();
            result.attach_histograms(&stage.outcome.total);
            result.attach_latencies(&stage.outcome.total);
            result
        })
        .collect();
    let shown: Vec<RunStage<'_>> = stages
        .iter()
        .zip(&whole)
        .map(|(stage, result)| RunStage {
            workload: &stage.workload,
            result,
            prediction: None,
            ended: stage.ended.clone(),
        })
        .collect();
    if shown.is_empty() {
        return Ok(());
    }
    let screen = RunScreen { stages: &shown, prepared, next: &[], conditions: &[] };
    file.write(&Document::from(run_document(&screen)).text())
}

/// Exit code after these stages of so many.
pub(crate) fn exit_of(stages: &[Stage], of: usize, env: &Env) -> Exit {
    for stage in stages {
        match &stage.ended {
            Ended::Complete => {}
            Ended::Interrupted => return Exit::Interrupted,
            Ended::Failed(why) => return env.of_process().report(&failure_of(stage, why)),
        }
    }
    if stages.len() < of || env.is_stopped() { Exit::Interrupted } else { Exit::Done }
}

/// Why a stage failed, with the exit code of the cause.
pub(crate) fn failure_of(stage: &Stage, why: &str) -> Failure {
    // A run that stopped because another process needed the device is not an error of the target.
    let of_target =
        stage.outcome.error.is_some() || stage.outcome.reason != iobound_drive::EndReason::Stopped;
    if of_target { Failure::io(why) } else { Failure::refused(why) }
}

/// Why stages did not complete, where something of them failed.
pub(crate) fn exit_of_stages(stages: &[Stage]) -> Option<Failure> {
    stages.iter().find_map(|stage| match &stage.ended {
        Ended::Failed(why) => Some(failure_of(stage, why)),
        Ended::Complete | Ended::Interrupted => None,
    })
}

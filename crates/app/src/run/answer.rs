//! The answer of a run, on one machine or on several: what was expected beside it, the store, conditions, the document.

use iobound_measure::compare::Condition;
use iobound_measure::{Measured, RunResult};
use iobound_predict::{Prediction, predict};
use iobound_report::{
    Document, Ended, JudgedCondition, Prepared, RunScreen, RunStage, Style, host_bound, run_document,
    run_text, series_csv,
};
use iobound_workload::Workload;

use super::stage::Stage;
use crate::compare;
use crate::outfile::{OutFile, Unwritten};
use crate::page::PageChoice;
use crate::results::{Keeping, ToKeep};
use crate::settings::ConfigurationRequest;
use crate::{Env, Exit, Failure, ShownAnswer};

/// Exit code by the user's conditions.
pub(crate) type Asserted = Result<Exit, Failure>;

/// Information about a stage.
pub(crate) struct ToldStage<'a> {
    pub(crate) workload: &'a Workload,
    pub(crate) result: &'a mut RunResult,
    pub(crate) measured: &'a Measured,
    pub(crate) ended: Ended,
}

/// Figures of a run, with everything that is shown of it.
pub struct RunAnswer {
    /// The stages that ran, in order; never empty.
    pub stages: Vec<AnsweredStage>,
    /// Preparation of the targets.
    pub prepared: Vec<Prepared>,
    /// Next commands to suggest.
    pub next: Vec<String>,
    /// The user's conditions, judged by each stage.
    pub conditions: Vec<JudgedCondition>,
}

/// Figures of jobs that ran together.
pub struct AnsweredStage {
    /// The jobs.
    pub workload: Workload,
    /// Their figures.
    pub result: RunResult,
    /// Expected figures, if the configuration is known.
    pub prediction: Option<Prediction>,
    /// End of the stage: complete, interrupted or failed.
    pub ended: Ended,
}

impl RunAnswer {
    /// Hands on the answer in the form that texts and documents are made of.
    pub fn with_screen<T>(&self, show: impl FnOnce(&RunScreen<'_>) -> T) -> T {
        let stages = self.stages.iter().map(|stage| RunStage {
            workload: &stage.workload,
            result: &stage.result,
            prediction: stage.prediction.as_ref(),
            ended: stage.ended.clone(),
        });
        show(&RunScreen {
            stages: &stages.collect::<Vec<_>>(),
            prepared: &self.prepared,
            next: &self.next,
            conditions: &self.conditions,
        })
    }
}

impl ShownAnswer for RunAnswer {
    fn text(&self, style: Style) -> String {
        self.with_screen(|screen| run_text(screen, style))
    }

    fn document(&self) -> Option<Document> {
        Some(self.with_screen(run_document).into())
    }
}

/// Parts of the answer that the request decides.
pub(crate) struct AnswerParts<'a> {
    pub(crate) conditions: &'a [Condition],
    pub(crate) configuration: Option<&'a ConfigurationRequest>,
    pub(crate) page: &'a PageChoice,
    pub(crate) env: &'a Env,
    pub(crate) csv: Option<&'a OutFile>,
    pub(crate) keeping: Keeping,
    /// Next commands to suggest.
    pub(crate) next: Vec<String>,
}

impl AnswerParts<'_> {
    /// The answer of these stages, and the exit code by the user's conditions or why they can't be judged. A file that can't be
    /// written takes nothing of the answer away: it is added to `unwritten`.
    pub(crate) fn of(
        mut self,
        stages: &mut [ToldStage<'_>],
        prepared: &[Prepared],
        unwritten: &mut Unwritten,
    ) -> (RunAnswer, Asserted) {
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
        let told = stages.iter().zip(predictions).map(|(stage, prediction)| AnsweredStage {
            workload: stage.workload.clone(),
            result: stage.result.clone(),
            prediction,
            ended: stage.ended.clone(),
        });
        let told: Vec<AnsweredStage> = told.collect();
        let id = told.first().and_then(|stage| stage.result.id.as_ref());
        self.next
            .extend(id.filter(|_| self.configuration.is_some()).map(|id| format!("iobound explain {id}")));
        let conditions = judged.as_ref().map_or_else(|_| Vec::new(), Vec::clone);
        let answer = RunAnswer { stages: told, prepared: prepared.to_vec(), next: self.next, conditions };
        unwritten.take(self.page.write(|| answer.with_screen(run_document)));
        if let Some(csv) = self.csv {
            unwritten.take(csv.write(&answer.with_screen(series_csv)));
        }
        let asserted = judged.map(|judged| compare::exit_of(&judged, |note| self.env.note(note)));
        (answer, asserted)
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
///
/// # Errors
/// Returns the error of the first stage that failed.
pub(crate) fn exit_of(stages: &[Stage], of: usize, env: &Env) -> Result<Exit, Failure> {
    for stage in stages {
        match &stage.ended {
            Ended::Complete => {}
            Ended::Interrupted => return Ok(Exit::Interrupted),
            Ended::Failed(why) => return Err(failure_of(stage, why)),
        }
    }
    Ok(if stages.len() < of || env.is_stopped() { Exit::Interrupted } else { Exit::Done })
}

/// Reason why a stage failed, with the exit code of the cause.
pub(crate) fn failure_of(stage: &Stage, why: &str) -> Failure {
    // A run that stopped because another process needed the device is not an error of the target.
    let of_target =
        stage.outcome.error.is_some() || stage.outcome.reason != iobound_drive::EndReason::Stopped;
    if of_target { Failure::io(why) } else { Failure::refused(why) }
}

/// Reason why stages did not complete, where something of them failed.
pub(crate) fn exit_of_stages(stages: &[Stage]) -> Option<Failure> {
    stages.iter().find_map(|stage| match &stage.ended {
        Ended::Failed(why) => Some(failure_of(stage, why)),
        Ended::Complete | Ended::Interrupted => None,
    })
}

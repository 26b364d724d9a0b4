//! Report of a rank besides its histograms: its own result without the parts that the coordinator computes again.

use iobound_measure::RunResult;
use iobound_report::{Ended, Prepared, Preparing};
use iobound_units::Bytes;
use serde::{Deserialize, Serialize};

use crate::run::{Ready, Stage};

/// Facts of a rank about its part of a stage. Between ranks of one version only, so that no key of it is anybody's.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RankDocument {
    /// Engine, devices, processors, checks, notes, circumstances, figures; no series, threads, targets, cells.
    pub(super) result: RunResult,
    pub(super) ended: String,
    pub(super) error: Option<String>,
    pub(super) files: Vec<RankFile>,
    /// Time that I/O lasted, in ms, and when it began, in ms since 1970.
    pub(super) lasted_ms: u64,
    pub(super) began_unix_ms: u64,
}

/// A target's file on a rank, and what was done to it before.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RankFile {
    pub(super) path: String,
    pub(super) did: String,
    pub(super) size_bytes: u64,
    pub(super) written_bytes: u64,
    pub(super) seconds: f64,
    pub(super) content: Option<String>,
}

impl RankDocument {
    pub(super) fn of(stage: &Stage, ready: &Ready, failed: Option<&str>) -> RankDocument {
        let result = RunResult {
            jobs: Vec::new(),
            threads: Vec::new(),
            targets: Vec::new(),
            cells: Vec::new(),
            series: Vec::new(),
            standard_errors: Vec::new(),
            ..stage.result.clone()
        };
        let error = match &stage.ended {
            Ended::Failed(why) => Some(why.clone()),
            Ended::Complete | Ended::Interrupted => failed.map(str::to_string),
        };
        let began = stage.outcome.began.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        RankDocument {
            result,
            ended: if failed.is_some() { "failed" } else { stage.ended.name() }.to_string(),
            error,
            files: ready.prepared.iter().map(RankFile::of).collect(),
            lasted_ms: stage.outcome.total.series.last().map_or(0, |last| last.end.ns() / 1_000_000),
            began_unix_ms: u64::try_from(began.as_millis()).unwrap_or(u64::MAX),
        }
    }

    pub(super) fn text(&self) -> String {
        serde_json::to_string(self).expect("a document is JSON: its keys are strings")
    }

    /// `None` if it is damaged: the peer has our version.
    pub(super) fn parse(text: &str) -> Option<RankDocument> {
        serde_json::from_str(text).ok()
    }
}

impl RankFile {
    fn of(prepared: &Prepared) -> RankFile {
        RankFile {
            path: prepared.target.clone(),
            did: prepared.did.name().to_string(),
            size_bytes: prepared.size.get(),
            written_bytes: prepared.written.get(),
            seconds: prepared.seconds,
            content: prepared.content.clone(),
        }
    }

    /// The same as a screen has it, of the rank that is called so.
    pub(super) fn prepared(&self, label: &str) -> Option<Prepared> {
        use Preparing::{Created, Filled, Overwritten, Reused, Untouched};
        let kinds = [Created, Overwritten, Filled, Reused, Untouched];
        Some(Prepared {
            target: format!("{label}: {}", self.path),
            did: kinds.into_iter().find(|kind| kind.name() == self.did)?,
            size: Bytes(self.size_bytes),
            written: Bytes(self.written_bytes),
            seconds: if self.seconds.is_finite() { self.seconds } else { 0.0 },
            content: self.content.clone(),
        })
    }
}

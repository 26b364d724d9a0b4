//! Parts of an answer of the API besides its time series: an error, the token of the next page, failed queries.

use std::collections::BTreeSet;

use serde_json::Value;

/// The pages that are given, in their order: the metrics of each, and true if it names a next page.
#[derive(Debug, Default)]
pub(super) struct Pages {
    pages: Vec<(BTreeSet<String>, bool)>,
    /// Errors of a part of a query, in the API's words.
    failed: BTreeSet<String>,
}

impl Pages {
    /// Adds a page.
    pub(super) fn add(&mut self, page: &Value) {
        let list = |key: &str| page.get(key).and_then(Value::as_array).into_iter().flatten();
        let metric =
            |series: &Value| series.pointer("/metric/type").and_then(Value::as_str).map(str::to_string);
        let next = page.get("nextPageToken").and_then(Value::as_str).unwrap_or_default();
        self.pages.push((list("timeSeries").filter_map(metric).collect(), !next.is_empty()));
        self.failed.extend(list("executionErrors").map(error_text));
    }

    /// Sentences about what the pages lack.
    pub(super) fn notes(&self) -> Vec<String> {
        // A later page of the same metrics is the next one.
        let goes_on = |at: usize| {
            let (metrics, later) = (&self.pages[at].0, &self.pages[at + 1..]);
            later.iter().any(|(of, _)| metrics.is_empty() || !of.is_disjoint(metrics))
        };
        let missing = (0..self.pages.len()).filter(|at| self.pages[*at].1 && !goes_on(*at)).count();
        let failed = self.failed.iter();
        let mut notes: Vec<String> =
            failed.map(|error| format!("the answer is not complete: {error}")).collect();
        if missing > 0 {
            notes.push(
                "the answer is not complete: it has a nextPageToken, and the next page is not given; save all pages (pageToken=…), or raise pageSize"
                    .to_string(),
            );
        }
        notes
    }
}

/// The error that the API answered with in place of series; `None`: the document is no such answer.
pub(super) fn error_of(document: &Value) -> Option<String> {
    document.get("error").map(error_text)
}

/// `403 PERMISSION_DENIED: Permission monitoring.timeSeries.list denied`.
fn error_text(error: &Value) -> String {
    let of = |key: &str| match error.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let code: Vec<String> = [of("code"), of("status")].into_iter().filter(|part| !part.is_empty()).collect();
    let parts: Vec<String> =
        [code.join(" "), of("message")].into_iter().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { error.to_string() } else { parts.join(": ") }
}

//! fio's JSON, whoever made it, as a result.

mod figures;
mod job;

use iobound_measure::RunResult;
use iobound_measure::result::{Check, DeviceFacts, Outcome, Source, Start, Tool as ResultTool, round};
use serde_json::{Deserializer, Value};

use crate::error::{At, Trouble};
use crate::{FormatError, Tool};
use figures::Sum;
use job::ReadJob;

/// Reads what fio printed with `--output-format=json` or `json+`. What stands around the document, as fio's
/// warnings and other forms do, is passed over; of several documents (`--status-interval`) the last counts.
///
/// Latencies are those that have percentiles: fio's `clat`, from submission on, unless `lat_percentiles` was set. Of
/// several jobs together there are percentiles where every one of them has its bins (`json+`).
///
/// # Errors
/// Returns an error if the text has no JSON document of fio.
pub fn read(text: &str) -> Result<RunResult, FormatError> {
    let mut trouble = Trouble::new(Tool::Fio);
    let source = trouble.source(None, text);
    let documents = documents(text, source, &mut trouble);
    let Some((at, document)) = documents.last() else {
        if trouble.is_empty() {
            let help = "run fio with --output-format=json or json+";
            trouble.add(At { source, at: 0, len: 1 }, "the file has no JSON document", help);
        }
        return trouble.or(None);
    };
    let at = At { source, at: *at, len: 1 };
    let Some(jobs) = document.get("jobs").and_then(Value::as_array).filter(|jobs| !jobs.is_empty()) else {
        // Our own documents are results of runs only.
        if let Some(schema) =
            document.get("schema").and_then(Value::as_str).filter(|s| s.starts_with("iobound."))
        {
            let what = format!("the document is `{schema}`, which is not the result of a run");
            trouble.add(at, what, "give the output of iobound run --json");
            return trouble.or(None);
        }
        let what = "the document has no `jobs`: fio's results have one each";
        let help = match document.get("client_stats") {
            Some(_) => "the document has several clients; give the result of each separately",
            None => "give the output of fio --output-format=json",
        };
        trouble.add(at, what, help);
        return trouble.or(None);
    };
    let mut read: Vec<ReadJob> = Vec::new();
    for (index, job) in jobs.iter().enumerate() {
        match ReadJob::of(job) {
            Ok(job) => read.push(job),
            Err(why) => trouble.add(at, format!("jobs[{index}]: {why}"), "give fio's unchanged document"),
        }
    }
    let more = documents.len() - 1;
    let result = result(document, &read, more);
    trouble.or(Some(result))
}

/// The JSON objects in a text, with where they begin: each begins a line.
fn documents(text: &str, source: usize, trouble: &mut Trouble) -> Vec<(usize, Value)> {
    let mut documents = Vec::new();
    let mut from = 0;
    while let Some(at) = next_object(text, from) {
        let mut stream = Deserializer::from_str(&text[at..]).into_iter::<Value>();
        match stream.next() {
            Some(Ok(document)) => {
                from = at + stream.byte_offset();
                documents.push((at, document));
            }
            Some(Err(error)) => {
                let line_start: usize =
                    text[at..].split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
                let wrong = at + line_start + error.column().saturating_sub(1);
                trouble.add(
                    At { source, at: wrong, len: 1 },
                    format!("the file is not JSON: {error}"),
                    "give fio's complete, unchanged document",
                );
                break;
            }
            None => break,
        }
    }
    documents
}

/// Position of the next line that begins with an object, as fio prints one.
fn next_object(text: &str, from: usize) -> Option<usize> {
    let mut at = from;
    for line in text[from..].split_inclusive('\n') {
        let begins_line = at == 0 || text[..at].ends_with('\n');
        if begins_line && line.starts_with('{') {
            return Some(at);
        }
        at += line.len();
    }
    None
}

fn result(document: &Value, jobs: &[ReadJob], more: usize) -> RunResult {
    let version = document.get("fio version").and_then(Value::as_str).map(str::to_string);
    let groups: std::collections::BTreeSet<u64> = jobs.iter().map(|job| job.group).collect();
    let one_after_other = groups.len() > 1;
    let sums = figures::sums(jobs);
    let (total, by_operation) = figures::whole(&sums, one_after_other);
    let mut notes = Vec::new();
    if one_after_other {
        notes.push(format!(
            "{} groups of jobs: fio runs them one after the other, so no IOPS of all groups exist",
            groups.len()
        ));
    }
    if sums.iter().any(Sum::is_from_submission) {
        notes.push("latency is fio's clat, from submission to completion".to_string());
    }
    if jobs.iter().any(|job| job.is_mixed) {
        notes.push("reads and writes were reported together (unified_rw_reporting)".to_string());
    }
    if more > 0 {
        notes.push(format!("{more} earlier documents (--status-interval) were skipped"));
    }
    let failed = |job: &&ReadJob| job.error != 0;
    let checks = jobs.iter().filter(failed).map(|job| Check {
        name: "fio-error".to_string(),
        outcome: Outcome::Failed,
        says: format!("the job {} ended with error {}", job.name, job.error),
    });
    let disks = document.get("disk_util").and_then(Value::as_array).into_iter().flatten();
    let names = disks.filter_map(|disk| disk.get("name").and_then(Value::as_str));
    let counted_ms = jobs.iter().map(|job| job.runtime_ms()).max().filter(|ms| *ms > 0);
    RunResult {
        tool: Some(ResultTool { name: "fio".to_string(), version }),
        engine: engine(document, jobs),
        devices: names.map(|name| DeviceFacts { name: name.to_string(), ..DeviceFacts::default() }).collect(),
        start: Some(Start {
            counted_s: counted_ms
                .filter(|_| !one_after_other)
                .map(|ms| round::seconds(ms.saturating_mul(1_000_000))),
            ..Start::default()
        }),
        total,
        by_operation,
        checks: checks.collect(),
        notes,
        jobs: jobs.iter().map(ReadJob::result).collect(),
        ..RunResult::new(Source::Foreign)
    }
}

/// The engine of all jobs, where they have the same one.
fn engine(document: &Value, jobs: &[ReadJob]) -> Option<String> {
    let global = document.get("global options").and_then(|options| options.get("ioengine")?.as_str());
    let of = |job: &ReadJob| job.engine.clone().or(global.map(str::to_string));
    let first = of(jobs.first()?)?;
    jobs.iter().all(|job| of(job).as_ref() == Some(&first)).then_some(first)
}

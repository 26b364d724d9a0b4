use clap::{Args, Subcommand};
use iobound_report::{
    Ended, KeptRun, RunScreen, RunStage, deleted_json, exported_json, kept_csv, kept_json, kept_series_csv,
    kept_text, run_text,
};
use iobound_results::{Kept, Query, Row, RunId, Since, Store};
use iobound_units::{Span, parse_count, parse_span};
use iobound_workload::Workload;
use serde_json::Value;

use crate::arguments::CommonArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use crate::page::AskedPage;
use crate::results::{self, Place, place_of};
use crate::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  iobound results list                          the newest twenty
  iobound results list --since 7d --target /mnt/data --limit 100
  iobound results show r-142                    the screen of the run again; --json: its document
  iobound results export --csv > runs.csv       all runs, a row each
  iobound results html r-142 page.html          as a page, with pictures
  iobound results export r-141 r-142 --series --csv     their intervals
  iobound results export r-142 --json           everything, histograms included
  iobound results delete r-141

Results are kept in one SQLite file: --results FILE, else IOBOUND_RESULTS, else
iobound/results.db in the user's data (XDG_DATA_HOME, ~/.local/share). docs/results.md reads
it with sqlite3, DuckDB and pandas in two lines.";

/// Results kept: what runs reached, from the newest.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ResultsArgs {
    /// The store [default: IOBOUND_RESULTS, else in the user's data]
    #[arg(long, value_name = "FILE", global = true)]
    results: Option<String>,
    #[command(subcommand)]
    what: What,
}

/// What to do with them.
#[derive(Debug, Subcommand)]
enum What {
    /// Runs, the newest first
    List {
        #[command(flatten)]
        which: Which,
        /// The newest so many
        #[arg(long, value_name = "N", default_value = "20")]
        limit: String,
        /// Comma-separated values
        #[arg(long, conflicts_with = "json")]
        csv: bool,
    },
    /// The screen or the document of a run
    Show {
        /// r-142
        #[arg(value_name = "RUN")]
        run: String,
    },
    /// A run as a page with pictures: one file that loads nothing
    Html {
        /// r-142
        #[arg(value_name = "RUN")]
        run: String,
        /// The page; one that is there is written over
        #[arg(value_name = "PAGE")]
        file: String,
        /// The page keeps host names, users' folders and cloud ids
        #[arg(long)]
        html_with_names: bool,
    },
    /// All of what is kept, for other programs: --csv or --json
    Export {
        /// Only these: r-141 r-142
        #[arg(value_name = "RUN")]
        runs: Vec<String>,
        #[command(flatten)]
        which: Which,
        /// The newest so many [default: all]
        #[arg(long, value_name = "N")]
        limit: Option<String>,
        /// The intervals of each run, and not a row for it
        #[arg(long, conflicts_with = "json")]
        series: bool,
        /// Comma-separated values
        #[arg(long, conflicts_with = "json")]
        csv: bool,
    },
    /// Takes runs out; their ids are not given again
    Delete {
        /// r-141 r-142
        #[arg(value_name = "RUN", required = true)]
        runs: Vec<String>,
    },
}

/// Which runs.
#[derive(Debug, Default, Args)]
struct Which {
    /// Not before: 2026-11-22, 2026-11-22T04:00 (UTC), or so long ago: 7d, 12h
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// With this in the target's name
    #[arg(long, value_name = "TEXT")]
    target: Option<String>,
    /// On this machine
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// By this verb: run, fio, diskspd, iometer, lab
    #[arg(long, value_name = "VERB")]
    verb: Option<String>,
}

/// Shows, writes out or deletes what is kept.
pub(crate) fn run(args: &ResultsArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let mut settings = Settings::load(common)?;
    let place = place_of(args.results.as_deref(), &mut settings)?;
    let (won, unused) = settings.finish();
    if common.show_config {
        return output::settings(&won, &unused, common);
    }
    output::unused_variables(&unused);
    results::refuse_idle(common)?;
    match &args.what {
        What::List { which, limit, csv } => list(&place, which, limit, *csv, common),
        What::Show { run } => show(&place, run, common),
        What::Html { run, file, html_with_names } => {
            output::no_document(common, "a page")?;
            page_of(&place, run, &AskedPage::at(file, *html_with_names))
        }
        What::Export { runs, which, limit, series, csv } => {
            export(&place, runs, which, limit.as_deref(), (*series, *csv), common)
        }
        What::Delete { runs } => delete(&place, runs, common),
    }
}

fn list(place: &Place, which: &Which, limit: &str, csv: bool, common: &CommonArgs) -> Result<Exit, Failure> {
    let query = Query { limit: Some(limit_of(limit)?), ..which.query()? };
    let store = place.to_read()?;
    let runs = rows(&store, &query, place)?;
    let at = store.path().display().to_string();
    if csv {
        return output::write(&kept_csv(&runs));
    }
    output::page(common, |style| kept_text(&runs, &at, style), || kept_json(&runs, &at))
}

/// The run of that id.
pub(super) fn kept_of(place: &Place, run: &str) -> Result<Kept, Failure> {
    let id = id_of(run)?;
    let store = place.to_read()?;
    store.get(id).map_err(|error| place.failed(&error))?.ok_or_else(|| missing(&store, &[id]))
}

/// The document of a run with its histograms and the latencies of its intervals, which it leaves to their tables.
fn with_latencies(kept: Kept) -> Value {
    let mut document = kept.document;
    let whole = serde_json::to_value(&kept.result).unwrap_or_default();
    for key in ["jobs", "series"] {
        if let Some(value) = whole.get(key) {
            document.insert(key.into(), value.clone());
        }
    }
    iobound_report::whole(Value::Object(document))
}

fn page_of(place: &Place, run: &str, page: &AskedPage) -> Result<Exit, Failure> {
    page.can_be_written()?;
    let kept = kept_of(place, run)?;
    page.write_value(&with_latencies(kept))?;
    Ok(Exit::Done)
}

fn show(place: &Place, run: &str, common: &CommonArgs) -> Result<Exit, Failure> {
    let kept = kept_of(place, run)?;
    if common.json {
        let document = iobound_report::whole(Value::Object(kept.document));
        return output::document(common, format!("{document:#}\n"));
    }
    let word = |key: &str| kept.document.get(key).and_then(Value::as_str).unwrap_or_default().to_string();
    let ended = match word("ended").as_str() {
        "interrupted" => Ended::Interrupted,
        "failed" => Ended::Failed(word("error")),
        _ => Ended::Complete,
    };
    let workload = kept.workload.as_deref().map(|toml| Workload::from_toml(run, toml)).transpose()?.flatten();
    let workload = workload.unwrap_or_else(|| Workload::new(Vec::new(), Span::ZERO));
    let stage = RunStage { workload: &workload, result: &kept.result, prediction: None, ended };
    let screen = RunScreen { stages: &[stage], prepared: &[], next: &[], conditions: &[] };
    output::write(&run_text(&screen, output::style(common)))
}

fn export(
    place: &Place,
    words: &[String],
    which: &Which,
    limit: Option<&str>,
    (series, csv): (bool, bool),
    common: &CommonArgs,
) -> Result<Exit, Failure> {
    if !csv && !common.json {
        return Err(Failure::input("the form is not said")
            .mend("add --csv (a row each; with --series a row an interval) or --json (everything)"));
    }
    let ids = words.iter().map(|word| id_of(word)).collect::<Result<Vec<_>, _>>()?;
    let query = Query { ids: ids.clone(), limit: limit.map(limit_of).transpose()?, ..which.query()? };
    let store = place.to_read()?;
    let mut runs = rows(&store, &query, place)?;
    // Tables are read from their beginning.
    runs.reverse();
    let lost: Vec<RunId> =
        ids.into_iter().filter(|id| !runs.iter().any(|run| run.id == id.to_string())).collect();
    if !lost.is_empty() {
        return Err(missing(&store, &lost));
    }
    if csv && !series {
        return output::write(&kept_csv(&runs));
    }
    let mut whole = Vec::with_capacity(runs.len());
    for run in &runs {
        let id = id_of(&run.id)?;
        whole.extend(store.get(id).map_err(|error| place.failed(&error))?);
    }
    if series {
        let results: Vec<_> = whole.into_iter().map(|kept| (kept.id.to_string(), kept.result)).collect();
        return output::write(&kept_series_csv(&results));
    }
    let documents = whole.into_iter().map(whole_document);
    let at = store.path().display().to_string();
    output::document(common, exported_json(&at, documents.collect()).text())
}

/// The document of a run with everything that is kept of it.
pub(super) fn whole_document(kept: Kept) -> Value {
    let (verb, configuration) = (kept.verb.clone(), kept.configuration.clone());
    let mut document = with_latencies(kept);
    if let Value::Object(keys) = &mut document {
        keys.insert("verb".into(), verb.into());
        keys.insert("configuration".into(), configuration.into());
    }
    document
}

fn delete(place: &Place, words: &[String], common: &CommonArgs) -> Result<Exit, Failure> {
    let ids = words.iter().map(|word| id_of(word)).collect::<Result<Vec<_>, _>>()?;
    let mut store = place.to_change()?;
    let lost: Vec<RunId> = {
        let there = rows(&store, &Query { ids: ids.clone(), ..Query::default() }, place)?;
        ids.iter().copied().filter(|id| !there.iter().any(|run| run.id == id.to_string())).collect()
    };
    if !lost.is_empty() {
        return Err(missing(&store, &lost));
    }
    let deleted = store.delete(&ids).map_err(|error| place.failed(&error))?;
    let deleted: Vec<String> = deleted.iter().map(RunId::to_string).collect();
    let at = store.path().display().to_string();
    let text = format!("deleted {}\n", deleted.join(", "));
    output::page(common, |_| text, || deleted_json(&at, &deleted))
}

fn missing(store: &Store, ids: &[RunId]) -> Failure {
    let names: Vec<String> = ids.iter().map(RunId::to_string).collect();
    Failure::input(format!("there is no {} in {}", names.join(" and no "), store.path().display()))
        .mend("`iobound results list` has those there are")
}

fn id_of(word: &str) -> Result<RunId, Failure> {
    word.parse().map_err(|why: String| Failure::input(why).mend("`iobound results list` has those there are"))
}

fn limit_of(text: &str) -> Result<u64, Failure> {
    match parse_count(text) {
        Ok(0) => Err(Failure::input("--limit 0 asks for no run").mend("write 1 or more")),
        Ok(limit) => Ok(limit),
        Err(error) => Err(Failure::input(format!("--limit: {error}"))),
    }
}

fn rows(store: &Store, query: &Query, place: &Place) -> Result<Vec<KeptRun>, Failure> {
    let rows = store.list(query).map_err(|error| place.failed(&error))?;
    Ok(rows.into_iter().map(shown).collect())
}

fn shown(row: Row) -> KeptRun {
    let count = |value: Option<i64>| value.and_then(|value| u64::try_from(value).ok());
    KeptRun {
        id: row.id.to_string(),
        first_of_command: row.first_of_command.to_string(),
        at: row.at,
        verb: row.verb,
        name: row.name,
        side: row.side,
        source: row.source,
        ended: row.ended,
        target: row.target,
        engine: row.engine,
        host: row.host,
        workload: row.workload,
        counted_s: row.counted_s,
        depth_requested: count(row.depth_requested),
        iops: row.iops,
        throughput_bytes_per_s: row.throughput_bytes_per_s,
        mean_us: row.mean_us,
        p50_us: row.p50_us,
        p99_us: row.p99_us,
        max_us: row.max_us,
        errors: count(row.errors),
    }
}

impl Which {
    fn query(&self) -> Result<Query, Failure> {
        Ok(Query {
            ids: Vec::new(),
            since: self.since.as_deref().map(since_of).transpose()?,
            target: self.target.clone(),
            host: self.host.clone(),
            verb: self.verb.clone(),
            limit: None,
        })
    }
}

/// A date, the beginning of a time, or a length of time.
fn since_of(text: &str) -> Result<Since, Failure> {
    let shape = b"0000-00-00T00:00:00";
    let spaced = text.replacen(' ', "T", 1);
    let plain = spaced.trim_end_matches('Z');
    let is_time = [10, 16, 19].contains(&plain.len())
        && plain.bytes().zip(shape).all(|(c, like)| match like {
            b'0' => c.is_ascii_digit(),
            like => c == *like,
        });
    let within = |from: usize, to: usize, most: u32| {
        plain.get(from..to).is_none_or(|part| part.parse::<u32>().is_ok_and(|number| number <= most))
    };
    if is_time && within(5, 7, 12) && within(8, 10, 31) && within(11, 13, 24) && within(14, 16, 59) {
        return Ok(Since::Time(plain.to_string()));
    }
    match parse_span(text) {
        Ok(span) if !is_time => Ok(Since::Ago(span.ns() / 1_000_000_000)),
        _ => Err(Failure::input(format!("--since: `{text}` is neither a time nor a length of time"))
            .mend("write 2026-11-22, 2026-11-22T04:00 (UTC), or how long ago: 7d, 12h")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_is_a_date_a_time_or_how_long_ago() {
        for (text, since) in [
            ("2026-11-22", Since::Time("2026-11-22".into())),
            ("2026-11-22 04:00", Since::Time("2026-11-22T04:00".into())),
            ("2026-11-22T04:00:10Z", Since::Time("2026-11-22T04:00:10".into())),
            ("7d", Since::Ago(604_800)),
            ("90min", Since::Ago(5_400)),
        ] {
            assert_eq!(since_of(text).unwrap(), since);
        }
        for text in ["yesterday", "2026-13-01", "2026-11-32", "2026-11", "7", "22.11.2026"] {
            assert!(since_of(text).is_err(), "{text}");
        }
    }
}

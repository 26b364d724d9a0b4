use clap::{Args, Subcommand};
use iobound_app::options::StoreOptions;
use iobound_app::page::PageChoice;
use iobound_app::results::{
    DeleteRequest, ExportRequest, HtmlRequest, ListRequest, PreparedResults, ShowRequest,
};
use iobound_app::{Exit, Failure};

use crate::arguments::{CommonArgs, Shared, Typed};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  iobound results list                          # the newest twenty
  iobound results list --since 7d --target /mnt/data --limit 100
  iobound results show r-142                    # the run as text; --json: its document
  iobound results export --csv > runs.csv       # one row for each run
  iobound results html r-142 page.html          # as a page, with charts
  iobound results export r-141 r-142 --series --csv     # their intervals
  iobound results export r-142 --json           # everything, including histograms
  iobound results delete r-141

The results store is one SQLite file: --results FILE, else IOBOUND_RESULTS, else \
iobound/results.db in the user's data folder (XDG_DATA_HOME, ~/.local/share). docs/results.md \
shows how to read it with sqlite3, DuckDB and pandas.";

/// List, show, export and delete kept results.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ResultsArgs {
    #[command(flatten)]
    store: Shared<StoreOptions>,
    #[command(subcommand)]
    what: ResultsVerb,
}

/// Action on kept results.
#[derive(Debug, Subcommand)]
enum ResultsVerb {
    /// List runs, the newest first
    List(Typed<ListRequest>),
    /// Show a run as text or as a JSON document
    Show(Typed<ShowRequest>),
    /// Write a run as one HTML page with charts, without external resources
    Html(Typed<HtmlRequest>),
    /// Export kept runs for other programs: --csv or --json
    Export(Typed<ExportRequest>),
    /// Delete runs; their ids are not used again
    Delete(Typed<DeleteRequest>),
}

/// Shows, writes out or deletes what is kept.
pub(crate) fn run(args: &ResultsArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let env = common.env();
    let prepared = PreparedResults::read(&args.store.0, &common.common(), &env)?;
    if common.show_config {
        return output::settings(&prepared.settings, common);
    }
    prepared.check()?;
    let answer = match &args.what {
        ResultsVerb::List(request) => prepared.list(request)?,
        ResultsVerb::Show(request) => prepared.show(request)?,
        ResultsVerb::Html(request) => {
            output::no_document(common, "a page")?;
            let file = request.file.as_deref().unwrap_or_default();
            let page = PageChoice::at(file, request.html_with_names, &env);
            page.can_be_written()?;
            page.write_value(&prepared.page_document(request)?)?;
            return Ok(Exit::Done);
        }
        ResultsVerb::Export(request) if !request.exported.csv && !common.json => {
            return Err(Failure::input("no format is given").help(
                "add --csv (one row for each run; with --series, for each interval) or --json (everything)",
            ));
        }
        ResultsVerb::Export(request) => prepared.export(request)?,
        ResultsVerb::Delete(request) => prepared.delete(request)?,
    };
    match answer.document().filter(|_| common.json) {
        Some(document) => output::data(&document),
        None => output::write(&answer.text(output::style(common))?),
    }
}

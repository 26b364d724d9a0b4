use clap::Args;
use iobound_results::RunId;
use serde_json::Value;

use crate::arguments::CommonArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::{self, RESULT};
use crate::observed::result_of;
use crate::output;
use crate::results::{place_of, refuse_idle};
use crate::settings::Settings;

/// A result as its document: from a file, whoever's form it has, or from the store.
#[derive(Debug, Args)]
pub(crate) struct ReadResultArgs {
    /// A file of a result (iobound, fio's JSON, DiskSpd's text or XML, Iometer's CSV), or a run that is kept: r-142
    #[arg(value_name = "RESULT")]
    result: String,
    /// Where runs are kept [default: IOBOUND_RESULTS, else in the user's data]
    #[arg(long, value_name = "FILE")]
    results: Option<String>,
}

/// Reads it.
pub(crate) fn run(args: &ReadResultArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let mut settings = Settings::load(common)?;
    let place = place_of(args.results.as_deref(), &mut settings)?;
    if common.show_config {
        let (won, unused) = settings.finish();
        return output::settings(&won, &unused, common);
    }
    refuse_idle(common)?;
    let document = match RunId::of(&args.result) {
        Some(_) => super::results::whole_document(super::results::kept_of(&place, &args.result)?),
        None => of_file(&args.result)?,
    };
    output::document(common, format!("{document:#}\n"))
}

/// A document of ours is given back with all that it says; what is another tool's becomes one.
fn of_file(path: &str) -> Result<Value, Failure> {
    let text = files::read_foreign(path, RESULT).map_err(|why| Failure::unreadable(path, &why))?;
    let result = result_of(&text).map_err(|why| Failure::input(format!("{path}: {why}")))?;
    let own = serde_json::from_str::<Value>(&text).ok().filter(|value| value.get("schema").is_some());
    match own {
        Some(document) => Ok(document),
        None => serde_json::to_value(result)
            .map(iobound_report::whole)
            .map_err(|error| Failure::input(format!("{path}: {error}"))),
    }
}

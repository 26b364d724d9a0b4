use clap::Args;
use iobound_app::{Exit, Failure};
use iobound_documents::{ENTRIES, entry_of};
use iobound_workload::nearest;

use crate::arguments::CommonArgs;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  iobound schema                             # verbs, with the name and version of their documents
  iobound schema compare                     # JSON Schema (2020-12) of iobound compare --json
  iobound schema catalog import > import.schema.json

Each key has its definition in `description`; a figure has its unit in `x-unit`.";

/// Print the JSON Schema of a verb's --json document. Without a verb, list the verbs that have one.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SchemaArgs {
    /// Verb whose document is described [default: list the verbs]
    verb: Vec<String>,
}

/// Prints the schema, or the list.
pub(crate) fn run(args: &SchemaArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    output::no_document(common, "a schema")?;
    if args.verb.is_empty() {
        let longest = ENTRIES.iter().map(|entry| entry.verb.len()).max().unwrap_or_default();
        let lines = ENTRIES.iter().map(|entry| format!("{:longest$}  {}\n", entry.verb, entry.id));
        return output::write(&lines.collect::<String>());
    }
    let verb = args.verb.join(" ");
    let Some(entry) = entry_of(&verb) else {
        let near = match nearest(&verb, ENTRIES.iter().map(|entry| entry.verb)).as_slice() {
            [] => String::new(),
            near => format!("did you mean {}? ", near.join(", ")),
        };
        return Err(Failure::input(format!("there is no schema of `{verb}`"))
            .help(format!("{near}`iobound schema` lists all verbs that have one")));
    };
    output::data(&format!("{:#}\n", (entry.schema)().to_value()))
}

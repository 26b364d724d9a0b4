//! `catalog import`: reads what the clouds' own tools print, and writes the file that is named.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use iobound_catalog::{ImportFile, Source, merge};
use iobound_formats::clouds;
use iobound_report::{Imported, ImportedFile, import_json, import_text};

use crate::arguments::CommonArgs;
use crate::calendar::Day;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::{self, RESULT, WRITTEN};
use crate::output;
use crate::settings::Settings;

/// What is imported, and into what.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// JSON of `az vm list-skus`, of the Azure Retail Prices API (all its pages), of `aws ec2 describe-instance-types`
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// The catalogue file that is made or merged into; without it, what would change is shown and nothing is written
    #[arg(long, value_name = "FILE")]
    into: Option<String>,
    /// When the files were printed, since they do not say it [default: the day of each file]
    #[arg(long, value_name = "YYYY-MM-DD")]
    as_of: Option<String>,
    /// The region of files that name none: `aws`
    #[arg(long, value_name = "REGION")]
    region: Option<String>,
    /// Each list has all sizes of its region: what it lacks is not offered there
    #[arg(long)]
    complete: bool,
}

/// Reads, merges, writes, says what changed.
pub(crate) fn run(
    args: &ImportArgs,
    catalog: Option<&str>,
    settings: Settings,
    common: &CommonArgs,
) -> Result<Exit, Failure> {
    if common.show_config {
        let (won, _) = settings.finish();
        return output::settings(&won, &[], common);
    }
    if let Some(seed) = &common.seed {
        return Err(Failure::input(format!("--seed {seed}: nothing of an import is drawn at random"))
            .mend("leave it out"));
    }
    if let Some(path) = catalog {
        return Err(Failure::input(format!("--catalog {path}: an import is merged into --into"))
            .mend(format!("write --into {path}")));
    }
    let as_of = match &args.as_of {
        Some(text) => {
            let day: Day = text.parse().map_err(|why| Failure::input(format!("--as-of: {why}")))?;
            if day > Day::today() {
                return Err(Failure::input(format!("--as-of: {day} lies in the future"))
                    .mend("write the day on which the files were printed"));
            }
            Some(day)
        }
        None => None,
    };
    let mut read = Vec::new();
    for path in &args.files {
        read.push(listing(path, as_of, args.region.as_deref())?);
    }
    if let Some(region) =
        args.region.as_ref().filter(|_| read.iter().all(|file| file.listing.aws_types.is_empty()))
    {
        return Err(Failure::input(format!("--region {region}: these files name their regions themselves"))
            .mend("leave it out"));
    }
    if args.complete {
        let has_sizes = read.iter().any(|file| !file.listing.azure_sizes.is_empty());
        let has_types = read.iter().any(|file| !file.listing.aws_types.is_empty());
        if !has_sizes && !has_types {
            return Err(Failure::input("--complete: these files list no VM sizes").mend("leave it out"));
        }
        if has_types && args.region.is_none() {
            return Err(Failure::input("--complete: a list of aws does not say of which region it is")
                .mend("add --region us-east-1, or what it is of"));
        }
    }
    let into = args.into.as_deref();
    let existing = match into {
        Some(path) if Path::new(path).exists() => {
            files::read(path, WRITTEN).map_err(|why| Failure::unreadable(path, &why))?
        }
        _ => String::new(),
    };
    let import = merge(into.unwrap_or("the catalogue"), &existing, &read, args.complete)?;
    let is_changed = import.text != existing;
    if let Some(path) = into.filter(|_| is_changed) {
        if import.text.len() as u64 > WRITTEN {
            return Err(Failure::input(format!(
                "the catalogue file would have {} MiB, and {} are read",
                import.text.len() >> 20,
                WRITTEN >> 20
            ))
            .mend("import the regions that you use"));
        }
        write(path, &import.text)
            .map_err(|error| Failure::io(format!("{path} can't be written: {error}")))?;
    }
    let today = Day::today();
    let mut notes = import.notes.clone();
    let old: Vec<&str> =
        read.iter().map(|file| file.as_of.as_str()).filter(|date| today.is_a_year_after(date)).collect();
    if let Some(oldest) = old.iter().min() {
        notes.push(format!(
            "figures of {oldest} are more than a year old: limits and prices drift; ask again"
        ));
    }
    let sources: Vec<Option<String>> =
        import.changed.iter().map(|change| Source::of(change.source.as_deref()?).as_of).collect();
    let listed: Vec<ImportedFile> = read
        .iter()
        .map(|file| ImportedFile {
            name: file.name.clone(),
            as_of: file.as_of.clone(),
            is_own_date: as_of.is_none(),
            sizes: file.listing.azure_sizes.len() + file.listing.aws_types.len(),
            prices: file.listing.azure_prices.len(),
        })
        .collect();
    let imported = Imported {
        files: &listed,
        import: &import,
        was_of: &sources,
        into,
        is_written: into.is_some() && is_changed,
        notes: &notes,
    };
    output::page(common, |style| import_text(&imported, style), || import_json(&imported))
}

/// One file, read.
fn listing(path: &str, as_of: Option<Day>, region: Option<&str>) -> Result<ImportFile, Failure> {
    let text = files::read(path, RESULT).map_err(|why| Failure::unreadable(path, &why))?;
    let listing = clouds::read(&text).map_err(|error| Failure::input(format!("{path}: {error}")))?;
    let written =
        || fs::metadata(path).and_then(|metadata| metadata.modified()).map_or(Day::today(), Day::of);
    let name = Path::new(path).file_name().map_or(path.into(), |name| name.to_string_lossy());
    Ok(ImportFile {
        name: name.into_owned(),
        as_of: as_of.unwrap_or_else(written).to_string(),
        region: region.map(str::to_ascii_lowercase),
        listing,
    })
}

/// Writes a file as a whole or not at all: beside it first, then in its place.
fn write(path: &str, text: &str) -> std::io::Result<()> {
    // Of a link, what it points to is replaced and not the link.
    let path = fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
    let mut beside = path.clone().into_os_string();
    beside.push(format!(".{}.new", std::process::id()));
    let beside = PathBuf::from(beside);
    let written = (|| {
        let mut file = fs::File::create_new(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        if let Ok(metadata) = fs::metadata(&path) {
            fs::set_permissions(&beside, metadata.permissions())?;
        }
        fs::rename(&beside, &path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

//! `catalog import`: reads what the clouds' own tools print, and writes the file that is named.

use std::fs;
use std::path::Path;

use iobound_catalog::{Cloud, Import, ImportFile, Source, merge, read_listing};
use iobound_documents::{
    ImportChange, ImportDocument, ImportFile as ReadFile, ImportGone, ImportLeftOut, ImportRestricted,
    Version,
};
use jiff::civil::Date;

use crate::calendar::{date_of, is_a_year_old, read_date, today};
use crate::catalog::{CatalogOptions, ImportRequest};
use crate::files::{self, RESULT, WRITTEN};
use crate::outfile::{DocumentKind, OutFile};
use crate::settings::Settings;
use crate::{Common, Env, Failure};

/// Reads, merges, writes, says what changed.
///
/// # Errors
/// Returns an error if a file cannot be read, merged or written.
pub fn import(
    args: &ImportRequest,
    options: &CatalogOptions,
    common: &Common,
    env: &Env,
) -> Result<ImportDocument, Failure> {
    Settings::load(env, common.config.as_deref())?;
    if let Some(seed) = &common.seed {
        return Err(Failure::input(format!("--seed {seed} has no effect: an import uses no random numbers"))
            .help("leave it out"));
    }
    if let Some(path) = &options.catalog {
        return Err(Failure::input(format!("--catalog {path}: an import merges into the file of --into"))
            .help(format!("write --into {path}")));
    }
    let as_of = match &args.as_of {
        Some(text) => {
            let day = read_date(text).map_err(|why| Failure::input(format!("--as-of: {why}")))?;
            if day > today() {
                return Err(Failure::input(format!("--as-of: {day} is in the future"))
                    .help("write the day on which the files were printed"));
            }
            Some(day)
        }
        None => None,
    };
    let mut read = Vec::new();
    for path in &args.files {
        read.push(listing(env, path, as_of, args.region.as_deref())?);
    }
    let lists = |cloud: &Cloud| read.iter().any(|file| file.listed(*cloud).sizes > 0);
    let listed: Vec<Cloud> = Cloud::ALL.into_iter().filter(lists).collect();
    let nameless = listed.iter().find(|cloud| !cloud.rules().listing_names_region);
    if let Some(region) = args.region.as_ref().filter(|_| nameless.is_none()) {
        return Err(Failure::input(format!(
            "--region {region} has no effect: these files name their regions"
        ))
        .help("leave it out"));
    }
    if args.complete {
        if listed.is_empty() {
            return Err(Failure::input("--complete: these files list no VM sizes").help("leave it out"));
        }
        if let Some(cloud) = nameless.filter(|_| args.region.is_none()) {
            let rules = cloud.rules();
            return Err(Failure::input(format!(
                "--complete: a listing of {} does not contain its region",
                rules.name
            ))
            .help(format!("add its region, such as --region {}", rules.default_region)));
        }
    }
    let into = args.into.as_deref();
    let existing = match into {
        Some(path) if Path::new(path).exists() => {
            files::read(env, path, WRITTEN).map_err(|why| Failure::unreadable(path, &why))?
        }
        _ => String::new(),
    };
    let import = merge(into.unwrap_or("the catalogue"), &existing, &read, args.complete)?;
    let is_changed = import.text != existing;
    if let Some(path) = into.filter(|_| is_changed) {
        if import.text.len() as u64 > WRITTEN {
            return Err(Failure::input(format!(
                "the catalogue file would have {} MiB, and the limit is {}",
                import.text.len() >> 20,
                WRITTEN >> 20
            ))
            .help("import the regions that you use"));
        }
        OutFile::named(path, DocumentKind::MergedCatalogue, env)?.write(&import.text)?;
    }
    let now = today();
    let mut notes = import.notes.clone();
    let old: Vec<&str> =
        read.iter().map(|file| file.as_of.as_str()).filter(|date| is_a_year_old(date, now)).collect();
    if let Some(oldest) = old.iter().min() {
        notes.push(format!(
            "figures from {oldest} are more than a year old: limits and prices change; export them again"
        ));
    }
    let files = read.iter().map(|file| {
        let listed = Cloud::ALL.map(|cloud| file.listed(cloud));
        ReadFile {
            name: file.name.clone(),
            as_of: file.as_of.clone(),
            is_own_date: as_of.is_none(),
            sizes: listed.iter().map(|of| of.sizes as u64).sum(),
            prices: listed.iter().map(|of| of.prices as u64).sum(),
        }
    });
    let written = into.is_some() && is_changed;
    Ok(document(import, files.collect(), args.into.clone(), written, notes))
}

/// The answer, of what came of a merge.
fn document(
    import: Import,
    files: Vec<ReadFile>,
    into: Option<String>,
    written: bool,
    notes: Vec<String>,
) -> ImportDocument {
    let changed = import.changed.into_iter().map(|change| ImportChange {
        old_as_of: change.source.as_deref().and_then(|source| Source::of(source).as_of),
        of: change.of,
        figure: change.figure,
        old: change.old,
        new: change.new,
        old_source: change.source,
    });
    let gone = import.gone.into_iter().map(|gone| ImportGone {
        of: gone.of,
        region: gone.region,
        offered: !gone.refused,
    });
    let restricted = import.restricted.into_iter().map(|of| ImportRestricted {
        name: of.name,
        region: of.region,
        reason: of.reason,
    });
    let left_out = import.left_out.into_iter().map(|(what, entries)| ImportLeftOut { what, entries });
    ImportDocument {
        schema: Version::default(),
        files,
        sizes: import.sizes,
        prices: import.prices,
        added: import.added,
        changed: changed.collect(),
        gone: gone.collect(),
        restricted: restricted.collect(),
        left_out: left_out.collect(),
        into,
        written,
        notes,
    }
}

/// One file, read.
fn listing(env: &Env, path: &str, as_of: Option<Date>, region: Option<&str>) -> Result<ImportFile, Failure> {
    let text = files::read(env, path, RESULT).map_err(|why| Failure::unreadable(path, &why))?;
    let listing = read_listing(&text).map_err(|error| Failure::input(format!("{path}: {error}")))?;
    let modified = || fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let written = || modified().and_then(date_of).unwrap_or_else(today);
    let name = Path::new(path).file_name().map_or(path.into(), |name| name.to_string_lossy());
    Ok(ImportFile {
        name: name.into_owned(),
        as_of: as_of.unwrap_or_else(written).to_string(),
        region: region.map(str::to_ascii_lowercase),
        listing,
    })
}

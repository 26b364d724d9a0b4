//! The measurements, from files: results of load generators, and recorded counters.

mod figures;
mod held;
pub(crate) mod kind;
mod places;
mod replayed;

use iobound_catalog::Resolved;
use iobound_formats::observation::{DeviceKind, ObservedFile};
use iobound_results::RunId;
use iobound_units::parse_span;

use crate::Env;
use crate::failure::Failure;
use crate::files::{self, RESULT};
use crate::options::ObservedOptions;
use crate::results::{Place, text_of};
use crate::settings::{SettingValue, Settings};

pub use figures::Seen;
pub use kind::result_of;
use kind::{Kind, Read};
pub use places::Map;
use places::{Candidate, places};

/// Disks or volumes of a configuration that devices of a machine are, by their names and their I/Os a second; `None`: of none.
/// And the source of the mapping, in sentences.
///
/// # Errors
/// Returns an error if a device could be several disks; it says what to write.
pub(crate) fn disks_of(
    devices: &[(String, f64)],
    resolved: &Resolved,
) -> Result<(Vec<Option<String>>, Vec<String>), Failure> {
    let candidate =
        |(name, rate): &(String, f64)| Candidate { name: name.clone(), kind: DeviceKind::Disk, rate: *rate };
    let candidates: Vec<Candidate> = devices.iter().map(candidate).collect();
    let found = places(&candidates, &[], resolved)?;
    Ok((found.names, found.notes))
}

/// Options about files.
#[derive(Debug)]
pub struct ObservedRequest {
    files: Vec<SettingValue>,
    from: Option<SettingValue>,
    interval: Option<SettingValue>,
    maps: Vec<SettingValue>,
}

impl ObservedRequest {
    /// Reads the options.
    pub fn read(args: &ObservedOptions, settings: &mut Settings) -> ObservedRequest {
        ObservedRequest {
            files: settings.texts("result", &args.result),
            from: settings.text("from", args.from.as_deref(), None),
            interval: settings.text("interval", args.interval.as_deref(), None),
            maps: settings.texts("map", &args.map),
        }
    }

    /// The first file, or the run that is kept.
    pub fn first(&self) -> Option<&SettingValue> {
        self.files.first()
    }

    /// True if there are files.
    pub fn has_files(&self) -> bool {
        !self.files.is_empty()
    }

    /// Devices and the disks that they are (`--map`).
    pub fn maps(&self) -> &[SettingValue] {
        &self.maps
    }

    /// The option that is about files, where there is one.
    pub fn about_files(&self) -> Option<&SettingValue> {
        self.from.iter().chain(&self.interval).chain(&self.maps).next()
    }

    /// Facts about the configuration in the files.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, the formats differ or are unknown, or devices cannot be told apart.
    pub fn seen(&self, env: &Env, place: &Place, resolved: &Resolved) -> Result<Seen, Failure> {
        let forced = self.from.as_ref().map(|given| given.parse(Kind::parse)).transpose()?;
        let interval = self.interval.as_ref().map(|given| given.parse(parse_span)).transpose()?;
        if let Some(given) =
            self.interval.as_ref().filter(|_| interval.is_some_and(|interval| interval.is_zero()))
        {
            return Err(given.refuse("the two samples have the same time").help("write --interval 60s"));
        }
        let maps: Vec<Map> =
            self.maps.iter().map(|given| given.parse(Map::parse)).collect::<Result<_, _>>()?;
        let mut texts: Vec<(String, String)> = Vec::new();
        for given in &self.files {
            let path = given.path();
            let text = match RunId::of(&given.text) {
                Some(_) => text_of(env, given, place)?,
                None => {
                    files::read_foreign(env, &path, RESULT).map_err(|why| given.unreadable(&path, &why))?
                }
            };
            texts.push((path, text));
        }
        let mut found: Option<Kind> = forced;
        for ((path, text), given) in texts.iter().zip(&self.files) {
            let kind = forced.or_else(|| Kind::of(text)).ok_or_else(|| {
                given.refuse(format!("{path}: unrecognised file format")).help(format!(
                    "give a result of iobound run, fio (JSON), DiskSpd or Iometer, or counters of iostat -x, \
                     /proc/diskstats, typeperf, sys.dm_io_virtual_file_stats, pg_stat_io, Azure Monitor, CloudWatch or Cloud \
                     Monitoring; or name the format with --from: {}",
                    kind::WORDS
                ))
            })?;
            match found {
                Some(known) if known != kind => {
                    return Err(given
                        .refuse(format!(
                            "{path} is {}, but the previous file is {}",
                            kind.name(),
                            known.name()
                        ))
                        .help("give files of the same format"));
                }
                _ => found = Some(kind),
            }
        }
        let Some(kind) = found else {
            return Err(Failure::input("no file with measurements is given").help("add --result FILE"));
        };
        let named: Vec<ObservedFile<'_>> =
            texts.iter().map(|(name, text)| ObservedFile { name, text }).collect();
        let read = kind::read(kind, &named, interval).map_err(|why| match self.files.first() {
            Some(given) => given.refuse(why),
            None => Failure::input(why),
        })?;
        let mut seen = match &read {
            Read::Result(result) => figures::of_result(result, &maps, resolved)?,
            Read::Observation(observation) => figures::of_observation(observation, &maps, resolved)?,
        };
        let paths: Vec<&str> = texts.iter().map(|(path, _)| path.as_str()).collect();
        let how = if forced.is_some() { "as --from says" } else { "by what is in it" };
        seen.notes.insert(0, format!("{}: read as {}, {how}", paths.join(", "), kind.name()));
        let told = matches!(&read, Read::Observation(observation) if !observation.consumed.is_empty());
        if told && !seen.observed.total.has_any() {
            return Err(Failure::input(format!(
                "{}: the file has shares of limits, but no share of a limit that all I/Os pass",
                paths.join(", ")
            ))
            .help("give rates as well: Data Disk Read Operations/Sec and its like, by LUN"));
        }
        if !seen.observed.total.has_any() {
            return Err(Failure::input(format!("{}: no I/O completed in it", paths.join(", ")))
                .help("give measurements taken while the load ran"));
        }
        Ok(seen)
    }
}

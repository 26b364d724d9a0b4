//! The configuration that flags, environment and file describe together.

use iobound_catalog::{
    Accounts, Catalog, CatalogError, Configuration, Enforcement, MediaOverride, Resolved, UnknownLimits,
    parse_spec, resolve,
};
use iobound_predict::{Age, CacheState, Counted, Question};
use iobound_report::{Predicted, Stage, Wording};
use iobound_units::{parse_bytes, parse_count, parse_span};
use iobound_workload::Workload;

use super::{SettingValue, Settings};
use crate::calibrate;
use crate::failure::Failure;
use crate::files::WRITTEN;
use crate::options::{ConfigurationOptions, OptionSpec, Options};
use crate::results;

/// A configuration that can be built, and the state that it is asked about.
#[derive(Debug)]
pub struct ConfigurationRequest {
    /// The request.
    pub configuration: Configuration,
    /// Its meaning.
    pub resolved: Resolved,
    /// Content of host caches.
    pub cache: CacheState,
    /// The rest of burst credits.
    pub age: Age,
    /// Era of the figures.
    pub catalog: Catalog,
    /// True if the media latency is a result's.
    pub calibrated: bool,
    /// Notes about how it came to be.
    pub notes: Vec<String>,
}

impl ConfigurationRequest {
    /// Use of a workload.
    pub fn question<'a>(&'a self, workload: &'a Workload) -> Question<'a> {
        Question {
            resolved: &self.resolved,
            workload,
            cache: self.cache,
            age: self.age,
            counted: Counted::Lasting,
        }
    }

    /// The answer about it, with no published figure and no price beside.
    pub fn predicted<'a>(
        &'a self,
        stages: &'a [Stage],
        notes: &'a [String],
        wording: Wording,
    ) -> Predicted<'a> {
        Predicted {
            configuration: &self.configuration,
            resolved: &self.resolved,
            cache: self.cache,
            age: self.age,
            stages,
            notes,
            wording,
            published: None,
            price: None,
        }
    }
}

/// The catalogue: the shipped one, with the user's own file over it.
pub fn catalog_of(flag: Option<&str>, settings: &mut Settings) -> Result<Catalog, Failure> {
    let mut catalog = Catalog::shipped();
    if let Some((path, text)) = settings.file().and_then(|file| file.probed()) {
        catalog = catalog.with_probed(path, text)?;
    }
    let Some(given) = settings.text("catalog", flag, None) else { return Ok(catalog) };
    let path = given.path();
    let text = given.file(settings.env(), WRITTEN)?;
    Ok(catalog.with_user(&path, &text)?)
}

/// The configuration, where flags, environment or file name a VM size or a disk.
///
/// # Errors
/// Returns an error if the configuration cannot be built, or a flag concerns a configuration that is not given.
pub fn configuration_if_any(
    args: &ConfigurationOptions,
    settings: &mut Settings,
) -> Result<Option<ConfigurationRequest>, Failure> {
    let vm = settings.find("vm", args.vm.as_deref()).is_some();
    let disk = settings.find("disk", args.disk.first().map(String::as_str)).is_some();
    if vm || disk || settings.file().is_some_and(|file| file.has_machine()) {
        return configuration_of(args, settings).map(Some);
    }
    match ConfigurationOptions::specs().iter().find(|spec| args.get(spec.name).is_some()) {
        None => Ok(None),
        Some(OptionSpec { name, .. }) => Err(Failure::input(format!(
            "--{name} describes the configuration to compare with, and none is given"
        ))
        .help("add --vm and --disk, or leave it out")),
    }
}

/// Reads and resolves the configuration.
pub fn configuration_of(
    args: &ConfigurationOptions,
    settings: &mut Settings,
) -> Result<ConfigurationRequest, Failure> {
    configuration_with(args, settings, UnknownLimits::Refused)
}

/// As [`configuration_of`], with limits of the VM that no source gives refused or left out.
///
/// # Errors
/// As [`configuration_of`].
pub fn configuration_with(
    args: &ConfigurationOptions,
    settings: &mut Settings,
    unknown_limits: UnknownLimits,
) -> Result<ConfigurationRequest, Failure> {
    let vm = settings.text("vm", args.vm.as_deref(), None);
    let disks = settings.texts("disk", &args.disk);
    let os_disk = settings.text("os-disk", args.os_disk.as_deref(), None);
    let catalog = catalog_of(args.catalog.as_deref(), settings)?;
    let mut configuration = Configuration { unknown_limits, ..Configuration::of("") };
    if let Some(size) = settings.parse("stripe", args.stripe.as_deref(), Some("64KiB"), parse_bytes)? {
        configuration.interleave = size;
    }
    configuration.columns = settings.parse("columns", args.columns.as_deref(), None, |text| {
        let count = parse_count(text).map_err(|error| error.to_string())?;
        u16::try_from(count)
            .ok()
            .filter(|count| *count > 0)
            .ok_or("a stripe has 1 to 65,535 disks".to_string())
    })?;
    configuration.separate = settings.switch("separate", args.separate.as_deref())?;
    let offset =
        settings.parse("partition-offset", args.partition_offset.as_deref(), Some("0"), parse_bytes)?;
    configuration.partition_offset = offset.unwrap_or_default();
    configuration.era = settings.text("era", args.era.as_deref(), Some("current")).map(|era| era.text);
    let media = settings.parse("media", args.media.as_deref(), None, parse_media)?;
    configuration.media = media.unwrap_or_default();
    let calibration = settings.text("calibrate", args.calibrate.as_deref(), None);
    let cache =
        settings.parse("cache-state", args.cache_state.as_deref(), Some("warm"), parse_cache_state)?;
    let age = settings.parse("at", args.at.as_deref(), Some("sustained"), parse_age)?;
    let accounts =
        settings.parse("accounts", args.accounts.as_deref(), Some("one-each"), |text| match text {
            "one-each" => Ok(Accounts::OneEach),
            "shared" => Ok(Accounts::Shared),
            other => Err(format!("`{other}` is not known: write one-each or shared")),
        })?;
    configuration.accounts = accounts.unwrap_or_default();
    configuration.on_demand_burst = settings.switch("on-demand-burst", args.on_demand_burst.as_deref())?;
    if settings.switch("published", args.published.as_deref())? {
        configuration.enforcement = Enforcement::Published;
    }
    let Some(vm) = vm else {
        return Err(Failure::input("no VM size is given").help("add --vm, such as --vm DS14"));
    };
    configuration.vm = vm.text;
    if disks.is_empty() && os_disk.is_none() {
        return Err(Failure::input("no disk is given").help("add --disk, such as --disk 10xP30"));
    }
    let spec =
        |given: &SettingValue| parse_spec(&given.text).map_err(|error| Failure::from(error).written(given));
    configuration.volumes = disks.iter().map(spec).collect::<Result<_, _>>()?;
    configuration.os_disk = os_disk.as_ref().map(spec).transpose()?;
    let mut resolved = resolve(&configuration, &catalog).map_err(|error| {
        let given = culprit(&error, disks.iter().chain(&os_disk), settings).cloned();
        let failure = Failure::from(error);
        match given {
            Some(given) => failure.written(&given),
            None => failure,
        }
    })?;
    let mut notes = Vec::new();
    let calibrated = calibration.is_some();
    if let Some(given) = calibration {
        if configuration.media != MediaOverride::default() {
            return Err(given
                .refuse("--media gives the media latency as well")
                .help("leave one of the two out"));
        }
        let path = given.path();
        let place = results::place_of(None, settings)?;
        let text = results::text_of(settings.env(), &given, &place)?;
        let (media, note) = calibrate::media_of(&text, &resolved).map_err(|why| {
            given.refuse(format!("{path}: {why}")).help(
                "calibrate with 4 outstanding 4 KiB I/Os on each disk, without host cache, below every limit",
            )
        })?;
        configuration.media = media;
        resolved = resolve(&configuration, &catalog)?;
        notes.push(format!("media latency of {path}: {note}"));
    }
    Ok(ConfigurationRequest {
        configuration,
        resolved,
        cache: cache.unwrap_or_default(),
        age: age.unwrap_or_default(),
        catalog,
        calibrated,
        notes,
    })
}

/// Option that caused an error of the catalogue, if known.
fn culprit<'a>(
    error: &CatalogError,
    mut disks: impl Iterator<Item = &'a SettingValue>,
    settings: &'a Settings,
) -> Option<&'a SettingValue> {
    match error {
        CatalogError::Spec { text, .. } => disks.find(|disk| disk.text.trim() == text),
        CatalogError::Unknown { what: "disk", name, .. } => disks.find(|disk| disk.text.contains(name)),
        CatalogError::Unknown { what: "era", name, .. } => {
            disks.find(|disk| disk.text.contains(&format!("@{name}"))).or(settings.given("era"))
        }
        CatalogError::Unknown { .. } => settings.given("vm"),
        // The disk is quoted, an option is named with its dashes.
        CatalogError::UnknownLimit { of, .. } => {
            disks.find(|disk| of.contains(&format!("`{}`", disk.text.trim()))).or(settings.given("vm"))
        }
        CatalogError::Refused { what, .. } => {
            let option = what.strip_prefix("--").and_then(|rest| rest.split(' ').next());
            disks
                .find(|disk| what.contains(&format!("`{}`", disk.text.trim())))
                .or(option.and_then(|option| settings.given(option)))
        }
        CatalogError::File { .. } => None,
    }
}

fn parse_media(text: &str) -> Result<MediaOverride, String> {
    let mut media = MediaOverride::default();
    for part in text.split(',') {
        let Some((direction, time)) = part.split_once('=') else {
            return Err(format!("`{part}` is not a latency: write read=2.6ms,write=2ms, or one of them"));
        };
        let slot = match direction.trim() {
            "read" => &mut media.read,
            "write" => &mut media.write,
            other => {
                return Err(format!(
                    "`{other}` is not a direction: write read=2.6ms,write=2ms, or one of them"
                ));
            }
        };
        if slot.is_some() {
            return Err(format!("{} is given twice", direction.trim()));
        }
        let span = parse_span(time).map_err(|error| error.to_string())?;
        if span.is_zero() {
            return Err(format!("{}: media latency must be above zero", direction.trim()));
        }
        *slot = Some(span);
    }
    Ok(media)
}

fn parse_cache_state(text: &str) -> Result<CacheState, String> {
    [CacheState::Warm, CacheState::Cold, CacheState::SecondRun]
        .into_iter()
        .find(|state| state.name() == text)
        .ok_or_else(|| format!("`{text}` is not known: write warm, cold or second-run"))
}

fn parse_age(text: &str) -> Result<Age, String> {
    match text {
        "sustained" => Ok(Age::Sustained),
        text => parse_span(text)
            .map(Age::At)
            .map_err(|error| format!("{error}; or write sustained, for spent credits")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iobound_units::Span;

    #[test]
    fn media_latency_is_given_for_either_direction() {
        let media = parse_media("read=2.6ms,write=2ms").unwrap();
        assert_eq!((media.read, media.write), (Some(Span::from_us(2_600)), Some(Span::from_ms(2))));
        assert_eq!(parse_media("write=2ms").unwrap().read, None);
        for (text, part) in [
            ("2.6ms", "read="),
            ("reed=2ms", "direction"),
            ("read=2ms,read=3ms", "twice"),
            ("read=0", "above zero"),
        ] {
            assert!(parse_media(text).unwrap_err().contains(part), "{text}");
        }
    }

    #[test]
    fn an_age_is_a_time_or_sustained() {
        assert_eq!(parse_age("sustained"), Ok(Age::Sustained));
        assert_eq!(parse_age("0"), Ok(Age::At(Span::ZERO)));
        assert_eq!(parse_age("20min"), Ok(Age::At(Span::from_secs(1_200))));
        assert!(parse_age("20m").unwrap_err().contains("minutes"));
    }
}

//! A run's settings become a configuration and the state that it is in.

use iobound_catalog::{
    Accounts, CacheSetting, Configuration, Enforcement, MediaOverride, VolumeRequest, parse_spec,
};
use iobound_predict::{Age, CacheState};
use iobound_units::{parse_bytes, parse_count, parse_span};

use crate::error::Problem;
use crate::setting::{CONFIGURATION_KEYS, Settings};

/// A configuration and the state that it is in when a run begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The VM and disks of a run, and their arrangement.
    pub configuration: Configuration,
    /// Content of the host caches.
    pub cache: CacheState,
    /// Time for which credits have been used.
    pub age: Age,
}

/// True if settings say all that a configuration needs.
pub(crate) fn is_whole(settings: &Settings) -> bool {
    settings.has("vm") && (settings.has("disk") || settings.has("os-disk"))
}

/// True if settings say anything about a configuration.
pub(crate) fn is_begun(settings: &Settings) -> bool {
    settings.iter().any(|setting| CONFIGURATION_KEYS.contains(&setting.key))
}

/// Reads the configuration out of settings that say all that it needs.
pub(crate) fn read_machine(settings: &Settings) -> Result<Machine, Problem> {
    let vm = settings.text("vm")?.map_or("", |(vm, _)| vm);
    let mut configuration = Configuration::of(vm);
    configuration.volumes = read_disks(settings)?;
    configuration.os_disk = settings.parse("os-disk", parse_spec)?;
    if let Some(interleave) = settings.parse("stripe", parse_bytes)? {
        configuration.interleave = interleave;
    }
    configuration.columns = settings.parse("columns", parse_whole::<u16>)?;
    configuration.separate = settings.switch("separate")?;
    if let Some(offset) = settings.parse("partition-offset", parse_bytes)? {
        configuration.partition_offset = offset;
    }
    configuration.era = settings.text("era")?.map(|(era, _)| era.to_string());
    configuration.media = settings.parse("media", parse_media)?.unwrap_or_default();
    configuration.on_demand_burst = settings.switch("on-demand-burst")?;
    let accounts = [("one-each", Accounts::OneEach), ("shared", Accounts::Shared)];
    configuration.accounts = settings.parse("accounts", word_of(&accounts))?.unwrap_or_default();
    let enforcement = [("measured", Enforcement::Measured), ("published", Enforcement::Published)];
    configuration.enforcement = settings.parse("enforcement", word_of(&enforcement))?.unwrap_or_default();
    let states =
        [CacheState::Warm, CacheState::Cold, CacheState::SecondRun].map(|state| (state.name(), state));
    let cache = settings.parse("cache-state", word_of(&states))?.unwrap_or_default();
    let age = settings.parse("at", parse_age)?.unwrap_or_default();
    Ok(Machine { configuration, cache, age })
}

fn read_disks(settings: &Settings) -> Result<Vec<VolumeRequest>, Problem> {
    let Some(setting) = settings.get("disk") else { return Ok(Vec::new()) };
    let mut volumes = Vec::new();
    for text in setting.value.texts() {
        let volume = parse_spec(text).map_err(|error| {
            let message = error.to_string();
            Problem::new(&setting.spot, format!("`disk`: {}", message.trim_start_matches("--disk ")))
        })?;
        volumes.push(volume);
    }
    if let Some(count) = settings.parse("disks", parse_whole::<u16>)? {
        let spot = &settings.get("disks").unwrap_or(setting).spot;
        let [volume] = volumes.as_mut_slice() else {
            let message = format!(
                "`disks` needs exactly one volume, and there are {}: write the counts in `disk`, as in 10xP30",
                volumes.len()
            );
            return Err(Problem::new(spot, message));
        };
        if count == 0 {
            return Err(Problem::new(spot, "`disks`: a volume needs 1 disk or more"));
        }
        volume.count = count;
    }
    let caches = CacheSetting::ALL.map(|cache| (cache.name(), cache));
    if let Some(cache) = settings.parse("cache", word_of(&caches))? {
        for volume in &mut volumes {
            volume.cache = cache;
            // The text says what was asked for: the catalogue tells from it whether a cache was named.
            let plain = volume.text.split(':').next().unwrap_or_default().to_string();
            volume.text = format!("{plain}:{}", cache.name());
        }
    }
    Ok(volumes)
}

fn parse_whole<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    let count = parse_count(text).map_err(|error| error.to_string())?;
    T::try_from(count).map_err(|_| format!("{count} is too large"))
}

fn word_of<T: Copy>(words: &[(&'static str, T)]) -> impl Fn(&str) -> Result<T, String> {
    move |text| match words.iter().find(|(word, _)| *word == text) {
        Some((_, value)) => Ok(*value),
        None => {
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            Err(format!("`{text}` is not known: write {}", words.join(" or ")))
        }
    }
}

fn parse_age(text: &str) -> Result<Age, String> {
    match text {
        "sustained" => Ok(Age::Sustained),
        text => parse_span(text).map(Age::At).map_err(|error: iobound_units::ParseError| error.to_string()),
    }
}

/// `read=2.6ms,write=2ms`.
fn parse_media(text: &str) -> Result<MediaOverride, String> {
    let mut media = MediaOverride::default();
    for part in text.split(',') {
        let wrong = || format!("`{part}` is not a media latency: write read=2.6ms,write=2ms");
        let (direction, span) = part.split_once('=').ok_or_else(wrong)?;
        let field = match direction.trim() {
            "read" => &mut media.read,
            "write" => &mut media.write,
            _ => return Err(wrong()),
        };
        let span = parse_span(span.trim()).map_err(|error| error.to_string())?;
        if span.is_zero() {
            return Err(format!("`{part}`: media latency must be above zero"));
        }
        if field.replace(span).is_some() {
            return Err(format!("`{text}` gives the latency of a {} twice", direction.trim()));
        }
    }
    Ok(media)
}

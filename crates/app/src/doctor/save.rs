//! The configuration as a file that every verb reads with `--config`.

use crate::options::details;
use crate::outfile::{DocumentKind, OutFile};
use crate::settings::{ConfigurationRequest, Origin, SettingValue, Settings};
use crate::{Env, Failure};

/// The file's text: every option of the configuration that has a value, from wherever it came, so that `--config` with this
/// file gives the same configuration. Notes become comments.
pub(crate) fn as_toml(asked: &ConfigurationRequest, settings: &Settings, notes: &[String]) -> String {
    let configuration = &asked.configuration;
    let mut text = String::from("# Written by iobound doctor: every verb reads it with --config.\n");
    for note in notes {
        for line in note.lines() {
            text.push_str(&format!("# {line}\n"));
        }
    }
    text.push_str("\n[machine]\n");
    let mut key = |name: &str, value: &str| text.push_str(&format!("{name} = {}\n", quoted(value)));
    key("vm", &configuration.vm);
    let details = details();
    for name in details.into_iter().chain(["catalog"]) {
        match settings.given(name) {
            Some(given) if ["catalog", "calibrate"].contains(&name) => key(name, &place_independent(given)),
            Some(given) => key(name, &given.text),
            None => {}
        }
    }
    // A job that names no target runs on every volume: beside data, the operating system's would be one of them.
    if let Some(os) = &configuration.os_disk {
        if configuration.volumes.is_empty() || !is_found(settings, "os-disk") {
            key("os-disk", &os.text);
        } else {
            text.push_str(
                "# A job that names no target runs on every volume; with this line, on the system's disk too.\n",
            );
            text.push_str(&format!("# os-disk = {}\n", quoted(&os.text)));
        }
    }
    for volume in &configuration.volumes {
        // The name has its own key; the rest is the disk.
        let (name, disk) = match (&volume.name, volume.text.split_once('=')) {
            (Some(name), Some((_, disk))) => (Some(name), disk),
            _ => (None, volume.text.as_str()),
        };
        text.push_str("\n[[disk]]\n");
        if let Some(name) = name {
            text.push_str(&format!("name = {}\n", quoted(name)));
        }
        text.push_str(&format!("disk = {}\n", quoted(disk)));
    }
    text
}

/// True if the value is only what was seen of the machine.
fn is_found(settings: &Settings, name: &str) -> bool {
    settings.given(name).is_some_and(|given| matches!(given.from, Origin::Machine))
}

/// The file of a setting, as an absolute path; other values (the id of a result) are unchanged.
fn place_independent(given: &SettingValue) -> String {
    let path = given.path();
    let absolute = std::path::absolute(&path).ok().filter(|path| path.exists());
    absolute.and_then(|path| path.to_str().map(str::to_string)).unwrap_or(path)
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// File that may be overwritten: that of `flag`, if it is named a second time.
///
/// # Errors
/// Returns an error if `flag` names another file.
pub(crate) fn overwrite_of(
    flag: &str,
    file: Option<&SettingValue>,
    named: &[String],
    settings: &mut Settings,
) -> Result<Vec<SettingValue>, Failure> {
    let overwrite = settings.texts("overwrite", named);
    match overwrite.iter().find(|given| file.is_none_or(|file| file.path() != given.path())) {
        None => Ok(overwrite),
        Some(other) => Err(other
            .refuse(format!("it is not a target of {flag}"))
            .help("name the same file with both, or leave it out")),
    }
}

/// The place of the file. A file that exists is replaced only if it is named as such, too.
///
/// # Errors
/// Returns an error if another file exists there, or the folder is not writable.
pub(crate) fn place_of(
    save: &SettingValue,
    overwrite: &[SettingValue],
    env: &Env,
) -> Result<OutFile, Failure> {
    let path = save.path();
    let consented = overwrite.iter().any(|given| given.path() == path);
    OutFile::given(save, DocumentKind::Settings { consented }, env)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::Env;
    use crate::options::{ConfigurationOptions, Options};
    use crate::settings::configuration_of;

    /// Values of an option, of which each is possible with some values of the others.
    fn values(name: &str) -> &'static [&'static str] {
        match name {
            "vm" => &["D8s_v3", "DS14", "m5.large"],
            "disk" => &["P30", "data=2xP30:readonly", "4xP20", "log=premium@600GiB", "gp3@500GiB"],
            "os-disk" => &["P10:readwrite", "P10"],
            "stripe" => &["128KiB"],
            "columns" => &["1", "2"],
            "separate" | "on-demand-burst" | "published" => &["true", "false"],
            "partition-offset" => &["1MiB"],
            "era" => &["current", "2018-06"],
            "media" => &["read=2.6ms,write=2ms", "write=2ms"],
            "calibrate" => &["low.json"],
            "cache-state" => &["cold", "second-run"],
            "at" => &["0", "20min", "sustained"],
            "accounts" => &["one-each", "shared"],
            "catalog" => &["own.toml"],
            other => panic!("give --{other} values: it is an option of the configuration"),
        }
    }

    /// A result whose media latency can be told: four outstanding at 2.6 ms, below every limit.
    const RESULT: &str = r#"{ "schema": "iobound.result/1", "source": "measured", "iops": 1538.0,
        "throughput_bytes_per_s": 6299648.0, "latency_us": { "loop": "closed", "mean": 2600.0 },
        "read": { "iops": 1538.0, "throughput_bytes_per_s": 6299648.0,
        "latency_us": { "loop": "closed", "mean": 2600.0 } } }"#;

    fn env() -> Env {
        let own = "[[vm]]\nname = \"Standard_D8s_v3\"\nuncached_iops = 13000\n";
        let texts = [("low.json", RESULT), ("own.toml", own)];
        Env::default().texts(texts.map(|(name, text)| (name.to_string(), text.to_string())).into())
    }

    fn request() -> impl Strategy<Value = ConfigurationOptions> {
        let one = |name: &'static str| prop::option::weighted(0.3, prop::sample::select(values(name)));
        let names: Vec<&str> = ConfigurationOptions::specs().into_iter().map(|spec| spec.name).collect();
        let each: Vec<_> = names.iter().map(|name| one(name)).collect();
        let needed = (prop::sample::select(values("vm")), prop::sample::select(values("disk")));
        (each, needed).prop_map(move |(given, (vm, disk))| {
            let mut request = ConfigurationOptions::default();
            request.set("vm", vec![vm.to_string()]);
            request.set("disk", vec![disk.to_string()]);
            for (name, value) in names.iter().zip(given).filter(|(name, _)| !["vm", "disk"].contains(name)) {
                if let Some(value) = value {
                    request.set(name, vec![value.to_string()]);
                }
            }
            request
        })
    }

    /// The configuration, and the file of it; `None` where these options can't be built together.
    fn saved(request: &ConfigurationOptions) -> Option<(String, ConfigurationRequest)> {
        let mut settings = Settings::load(&env(), None).unwrap();
        let asked = configuration_of(request, &mut settings).ok()?;
        Some((as_toml(&asked, &settings, &["a note\nof two lines".to_string()]), asked))
    }

    fn read(file: &str) -> ConfigurationRequest {
        let env = env().texts(BTreeMap::from([
            ("vm.toml".to_string(), file.to_string()),
            ("low.json".to_string(), RESULT.to_string()),
            (
                "own.toml".to_string(),
                "[[vm]]\nname = \"Standard_D8s_v3\"\nuncached_iops = 13000\n".to_string(),
            ),
        ]));
        let mut settings = Settings::load(&env, Some("vm.toml")).unwrap();
        configuration_of(&ConfigurationOptions::default(), &mut settings)
            .unwrap_or_else(|failure| panic!("{}\n{file}", failure.what()))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, max_global_rejects: 40_000, ..ProptestConfig::default() })]
        #[test]
        fn a_saved_configuration_is_the_same_whatever_its_options(request in request()) {
            let found = saved(&request);
            prop_assume!(found.is_some());
            let (file, asked) = found.unwrap();
            let again = read(&file);
            prop_assert_eq!(&again.configuration, &asked.configuration, "{}", file);
            prop_assert_eq!((again.cache, again.age, again.calibrated), (asked.cache, asked.age, asked.calibrated));
            prop_assert_eq!(&again.resolved.blueprint, &asked.resolved.blueprint, "{}", file);
        }
    }

    #[test]
    fn every_option_of_the_configuration_is_in_some_file() {
        let with = |name: &str, value: &str| {
            let others: [(&str, &str); 3] = match name {
                "accounts" => [("vm", "DS2"), ("disk", "2xS30"), ("era", "2016")],
                "columns" | "stripe" => [("vm", "D8s_v3"), ("disk", "4xP20"), ("published", "true")],
                "on-demand-burst" => [("vm", "D8s_v3"), ("disk", "P40"), ("published", "true")],
                "calibrate" => [("vm", "DS14"), ("disk", "P30"), ("published", "false")],
                _ => [("vm", "D8s_v3"), ("disk", "2xP30:readonly"), ("published", "false")],
            };
            let mut request = ConfigurationOptions::default();
            for (name, value) in others.into_iter().chain([(name, value)]) {
                request.set(name, vec![value.to_string()]);
            }
            saved(&request).map(|(file, _)| file)
        };
        for name in ConfigurationOptions::specs().into_iter().map(|spec| spec.name) {
            let files: Vec<String> = values(name).iter().filter_map(|value| with(name, value)).collect();
            let key = if name == "disk" { "[[disk]]".to_string() } else { format!("\n{name} = ") };
            assert!(files.iter().any(|file| file.contains(&key)), "{name}: {files:?}");
        }
    }
}

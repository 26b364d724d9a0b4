//! A configuration in TOML that `--config` reads: what a run that is kept was of.

use iobound_catalog::{Accounts, Configuration, Enforcement, VolumeRequest};
use iobound_predict::{Age, CacheState};
use iobound_units::{Bytes, Span};

/// The configuration and its state; `catalog` is the path of a person's own figures.
pub fn toml_of(configuration: &Configuration, cache: CacheState, age: Age, catalog: Option<&str>) -> String {
    let quoted = |text: &str| toml::Value::String(text.to_string()).to_string();
    let mut text = String::from("[machine]\n");
    let mut line = |key: &str, value: String| text.push_str(&format!("{key} = {value}\n"));
    // Every field, so that one that is added is not forgotten here.
    let Configuration {
        vm,
        volumes,
        os_disk,
        interleave,
        columns,
        separate,
        partition_offset,
        era,
        media,
        accounts,
        on_demand_burst,
        enforcement,
        // Each verb has its own.
        unknown_limits: _,
    } = configuration;
    line("vm", quoted(vm));
    if let Some(era) = era {
        line("era", quoted(era));
    }
    if let Some(VolumeRequest { text, .. }) = os_disk {
        line("os-disk", quoted(text.trim()));
    }
    line("stripe", bytes(*interleave));
    if let Some(columns) = columns {
        line("columns", columns.to_string());
    }
    if *separate {
        line("separate", "true".into());
    }
    if *partition_offset != Bytes::ZERO {
        line("partition-offset", bytes(*partition_offset));
    }
    let directions = [("read", media.read), ("write", media.write)];
    let latencies: Vec<String> =
        directions.iter().filter_map(|(name, span)| Some(format!("{name}={}ns", (*span)?.ns()))).collect();
    if !latencies.is_empty() {
        line("media", quoted(&latencies.join(",")));
    }
    match accounts {
        Accounts::OneEach => {}
        Accounts::Shared => line("accounts", quoted("shared")),
    }
    if *on_demand_burst {
        line("on-demand-burst", "true".into());
    }
    match enforcement {
        Enforcement::Measured => {}
        Enforcement::Published => line("published", "true".into()),
    }
    if cache != CacheState::default() {
        line("cache-state", quoted(cache.name()));
    }
    if let Age::At(span) = age {
        line("at", quoted(&nanoseconds(span)));
    }
    if let Some(path) = catalog.and_then(|path| std::path::absolute(path).ok()) {
        line("catalog", quoted(&path.display().to_string()));
    }
    for volume in volumes {
        text.push_str(&format!("\n[[disk]]\ndisk = {}\n", quoted(volume.text.trim())));
    }
    text
}

fn bytes(bytes: Bytes) -> String {
    format!("\"{}B\"", bytes.get())
}

fn nanoseconds(span: Span) -> String {
    if span.is_zero() { "0".into() } else { format!("{}ns", span.ns()) }
}

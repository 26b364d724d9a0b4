//! The disk that a cloud's driver makes from a StorageClass of Kubernetes.

use std::collections::BTreeMap;

use crate::catalog::Catalog;
use crate::clouds::disk_kind::HostCache;
use crate::clouds::names::{Cloud, DiskType};
use crate::clouds::storage_class::StorageClassRules;
use crate::configuration::CacheSetting;
use crate::performance::Performance;
use crate::spec::parse_spec;

/// A disk as a StorageClass makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassDisk {
    /// As `--disk` has it, without its host cache: `premiumv2@1024GiB+20000iops`.
    pub spec: String,
    /// Its host cache.
    pub cache: CacheSetting,
}

/// The disk that a StorageClass makes of a size; `Ok(None)`: its driver is none of a known cloud's.
///
/// # Errors
/// A parameter that can't be taken, or a disk that the cloud does not sell, as a sentence.
pub fn class_disk(
    provisioner: &str,
    parameters: &BTreeMap<String, String>,
    gib: u64,
) -> Result<Option<ClassDisk>, String> {
    let of = |cloud: Cloud| {
        let rules = cloud.rules().storage_class.as_ref()?;
        rules.provisioners.contains(&provisioner).then_some((cloud, rules))
    };
    let Some((cloud, rules)) = Cloud::ALL.into_iter().find_map(of) else { return Ok(None) };
    let get = |wanted: &str| {
        let found = parameters.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
    };
    let count = |name: &str| match get(name) {
        None => Ok(None),
        Some(text) => match text.parse::<u64>() {
            Ok(count @ 1..) => Ok(Some(count)),
            _ => Err(format!("parameter {name}: `{text}` is not a whole number above zero")),
        },
    };
    let kind = rules.kind.iter().find_map(|name| get(name)).unwrap_or(rules.default_kind);
    let plain = kind.strip_suffix("_ZRS").unwrap_or(kind);
    let disk = DiskType::from_word(plain)
        .filter(|disk| disk.cloud() == cloud)
        .ok_or_else(|| format!("parameter {}: the catalogue has no disk `{kind}`", rules.kind[0]))?;
    // The vendor's own word keeps what it says of zones.
    let word = if plain == kind { disk.word() } else { kind };
    let mut spec = format!("{word}@{gib}GiB");
    if let Some(iops) = iops(rules, disk, gib, &get, &count)? {
        spec.push_str(&format!("+{iops}iops"));
    }
    if let Some((name, unit)) = rules.throughput
        && let Some(text) = get(name)
    {
        let (number, own) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
        let unit = match own {
            "" => unit,
            "Mi" => "MiB/s",
            "M" => "MB/s",
            _ => return Err(format!("parameter {name}: `{text}` is not a throughput")),
        };
        // A leading digit is what the grammar of disks begins a figure with.
        if number.is_empty() {
            return Err(format!("parameter {name}: `{text}` is not a throughput"));
        }
        spec.push_str(&format!("+{number}{unit}"));
    }
    parse_spec(&spec).map_err(|error| format!("the class makes a disk {spec}: {error}"))?;
    Ok(Some(ClassDisk { spec, cache: cache(rules, disk, &get)? }))
}

/// IOPS that are provisioned.
fn iops<'a>(
    rules: &StorageClassRules,
    disk: DiskType,
    gib: u64,
    get: &impl Fn(&str) -> Option<&'a str>,
    count: &impl Fn(&str) -> Result<Option<u64>, String>,
) -> Result<Option<u64>, String> {
    let fixed = rules.iops.map_or(Ok(None), count)?;
    let Some([per_gib, raises]) = rules.iops_per_gib else { return Ok(fixed) };
    let Some(each) = count(per_gib)? else { return Ok(fixed) };
    if fixed.is_some() {
        let name = rules.iops.unwrap_or_default();
        return Err(format!("parameters {name} and {per_gib} are both given: the driver takes one of them"));
    }
    let mut iops = each.saturating_mul(gib);
    let bounds = Catalog::shipped().bounds(disk).ok().flatten();
    let range = bounds.and_then(|bounds| match bounds.performance {
        Performance::Chosen(chosen) => Some(chosen.ios),
        Performance::ByIos(by_ios) => Some(by_ios.ios),
        _ => None,
    });
    if let Some([least, most]) = range {
        // The driver never asks for more than the type has.
        iops = iops.min(most);
        if get(raises).is_some_and(|text| text.eq_ignore_ascii_case("true")) {
            iops = iops.max(least);
        }
    }
    Ok(Some(iops))
}

/// The host cache: that which is named, else the driver's default where the type can have one.
fn cache<'a>(
    rules: &StorageClassRules,
    disk: DiskType,
    get: &impl Fn(&str) -> Option<&'a str>,
) -> Result<CacheSetting, String> {
    let Some((name, default)) = rules.cache else { return Ok(CacheSetting::None) };
    let has_cache = disk.kind().host_cache != HostCache::Unsupported;
    let Some(text) = get(name) else { return Ok(if has_cache { default } else { CacheSetting::None }) };
    let named = CacheSetting::ALL.into_iter().find(|cache| cache.name().eq_ignore_ascii_case(text));
    match named {
        None => Err(format!("parameter {name}: `{text}` is not None, ReadOnly or ReadWrite")),
        Some(cache) if cache != CacheSetting::None && !has_cache => {
            Err(format!("parameter {name}: {} has no host cache: write None", disk.title()))
        }
        Some(cache) => Ok(cache),
    }
}

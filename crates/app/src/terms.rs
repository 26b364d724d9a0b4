//! Conditions on offers: regions, clouds, processors, bounds, existing parts.

use iobound_catalog::{
    Arch, Catalog, Cloud, DiskType, Os, PerformanceSetting, PriceList, Redundancy, VmSize,
};
use iobound_plan::{Look, Rank, Terms};
use iobound_predict::BurstCredits;
use iobound_units::{parse_bytes, parse_count};
use iobound_workload::nearest;

use crate::failure::Failure;
use crate::options::TermsOptions;
use crate::settings::Settings;

/// Acceptance conditions, as given.
pub struct Accepted {
    /// Requirements on candidates.
    pub terms: Terms,
    /// Operating system whose licence the prices include.
    pub os: Os,
    /// The offers that are looked at, and how they are ranked.
    pub look: Look,
    /// The size that is kept.
    pub vm: Option<VmSize>,
    /// The price list of each cloud.
    pub lists: Vec<(Cloud, PriceList)>,
    /// The terms in words.
    pub text: String,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// Reads them.
pub fn accepted(
    args: &TermsOptions,
    catalog: &Catalog,
    settings: &mut Settings,
) -> Result<Accepted, Failure> {
    let os = settings.parse("os", args.os.as_deref(), Some("linux"), parse_os)?;
    let os = os.unwrap_or_default();
    let arch = settings.parse("arch", args.arch.as_deref(), Some("x64"), |text| {
        match text.to_ascii_lowercase().as_str() {
            "x64" => Ok(Some(Arch::X64)),
            "arm64" => Ok(Some(Arch::Arm64)),
            "any" => Ok(None),
            _ => Err(format!("`{text}` is not known: write x64, arm64 or any")),
        }
    })?;
    let arch = arch.unwrap_or(Some(Arch::X64));
    let previous = settings.switch("include-old", args.include_old.as_deref())?;
    let cpu_burstable = settings.switch("include-burstable", args.include_burstable.as_deref())?;
    let special = settings.switch("include-special", args.include_special.as_deref())?;
    // No setting: a workload's IOBOUND_BURST is another thing.
    let burst = args.burst;
    let vcpus = settings.parse("vcpus", args.vcpus.as_deref(), None, |text| {
        bounds(text, |text| parse_count(text).map_err(|error| error.to_string()))
    })?;
    let memory = settings.parse("memory", args.memory.as_deref(), None, |text| {
        bounds(text, |text| parse_bytes(text).map(|bytes| bytes.get()).map_err(|error| error.to_string()))
    })?;
    let most = settings.parse("max-price", args.max_price.as_deref(), None, parse_dollars)?;
    let disks = settings.parse("disk-types", args.disk_types.as_deref(), None, parse_types)?;
    let [disks, plus_only] = disks.unwrap_or_default();
    let redundancy =
        settings.parse("redundancy", args.redundancy.as_deref(), Some("lrs"), |text| {
            match text.to_ascii_lowercase().as_str() {
                "lrs" => Ok(Redundancy::Lrs),
                "zrs" => Ok(Redundancy::Zrs),
                other => Err(format!("`{other}` is not known: write lrs or zrs")),
            }
        })?;
    let redundancy = redundancy.unwrap_or_default();
    let per_disk = settings.parse("per-disk", args.per_disk.as_deref(), Some("1"), parse_dollars)?;
    let rank = settings.parse("rank", args.rank.as_deref(), None, |text| match text {
        "price" => Ok(Rank::Price),
        "size" => Ok(Rank::Size),
        other => Err(format!("`{other}` is not known: write price or size")),
    })?;
    let no_host_cache = settings.switch("no-host-cache", args.no_host_cache.as_deref())?;
    let keep = settings.text("keep-vm", args.keep_vm.as_deref(), None);
    let vm = match &keep {
        Some(given) => Some(catalog.vm(&given.text, iobound_catalog::Era::current())?.entry),
        None => None,
    };
    let (lists, notes) = lists(args, catalog, os, vm.as_ref().map(|vm| vm.cloud), settings)?;
    if let Some(disk) = disks.iter().find(|disk| lists.iter().all(|(cloud, _)| *cloud != disk.cloud())) {
        let titles: Vec<&str> = lists.iter().map(|(cloud, _)| cloud.rules().title).collect();
        let names: Vec<&str> = lists.iter().map(|(cloud, _)| cloud.name()).collect();
        let cloud = disk.cloud();
        // A VM that is kept takes no disks of another cloud.
        let mend = match vm {
            Some(_) => "leave it out".to_string(),
            None => format!("leave it out, or add its cloud: --cloud {},{}", names.join(","), cloud.name()),
        };
        return Err(Failure::input(format!(
            "--disk-types {}: {} is {}'s, and the plan is for {}",
            disk.word(),
            disk.title(),
            cloud.rules().title,
            titles.join(" and ")
        ))
        .help(mend));
    }
    let one_zone = lists.iter().find_map(|(cloud, _)| cloud.rules().one_zone);
    if let (Redundancy::Zrs, Some(why)) = (redundancy, one_zone) {
        return Err(Failure::input(format!("--redundancy zrs: {why}"))
            .help("leave it out, or plan for --cloud azure alone"));
    }
    let mut words = vec![if os == Os::Linux { "Linux" } else { "Windows" }.to_string()];
    match (&vm, arch) {
        (Some(vm), _) => words.push(vm.full_name()),
        (None, Some(Arch::X64)) => words.push("x64".into()),
        (None, Some(Arch::Arm64)) => words.push("Arm".into()),
        (None, None) => words.push("any processor".into()),
    }
    words.push("on demand".into());
    words.push(if burst { "with bursts" } else { "sustained" }.into());
    if redundancy == Redundancy::Zrs {
        words.push("zone-redundant disks".into());
    }
    let terms = Terms {
        arch,
        previous,
        cpu_burstable,
        special,
        vcpus: vcpus.unwrap_or_default(),
        memory: memory.unwrap_or_default(),
        most,
        log_on_hdd: !disks.is_empty(),
        disks,
        plus_only,
        vm: vm.as_ref().map(VmSize::full_name),
        host_cache: !no_host_cache,
        per_disk: per_disk.unwrap_or(Terms::default().per_disk),
        ..Terms::default()
    };
    let credits = if burst { BurstCredits::Full } else { BurstCredits::Spent };
    let look = Look { credits, redundancy, rank, raised: false };
    Ok(Accepted { terms, os, look, vm, lists, text: words.join(", "), notes })
}

/// Price lists, and what is to be said of how they were chosen.
type Lists = (Vec<(Cloud, PriceList)>, Vec<String>);

/// Operating system whose licence a price includes.
pub fn parse_os(text: &str) -> Result<Os, String> {
    match text {
        "linux" => Ok(Os::Linux),
        "windows" => Ok(Os::Windows),
        other => Err(format!("`{other}` is not known: write linux or windows")),
    }
}

/// The price lists of the clouds and regions asked for.
fn lists(
    args: &TermsOptions,
    catalog: &Catalog,
    os: Os,
    kept: Option<Cloud>,
    settings: &mut Settings,
) -> Result<Lists, Failure> {
    let regions = settings.text("region", args.region.as_deref(), None);
    let clouds = settings.parse("cloud", args.cloud.as_deref(), None, |text| {
        text.split(',').map(parse_cloud).collect::<Result<Vec<Cloud>, String>>()
    })?;
    let mut chosen: Vec<(Cloud, String)> = Vec::new();
    if let Some(given) = &regions {
        for region in given.text.split(',').map(str::trim).filter(|region| !region.is_empty()) {
            let cloud = Cloud::of_region(region);
            if chosen.iter().any(|(of, _)| *of == cloud) {
                return Err(given
                    .refuse(format!("two regions of {} are given", cloud.name()))
                    .help("one for each cloud: --region westeurope,us-east-1"));
            }
            chosen.push((cloud, region.to_string()));
        }
    }
    let wanted = match (clouds, kept) {
        (Some(clouds), _) => clouds,
        (None, Some(kept)) => vec![kept],
        (None, None) if chosen.is_empty() => Cloud::modelled().take(1).collect(),
        (None, None) => chosen.iter().map(|(cloud, _)| *cloud).collect(),
    };
    if let Some((cloud, region)) = chosen.iter().find(|(cloud, _)| !wanted.contains(cloud)) {
        return Err(Failure::input(format!(
            "--region {region} belongs to {}, which --cloud does not include",
            cloud.name()
        ))
        .help(format!("leave it out, or add --cloud {}", cloud.name())));
    }
    let mut lists = Vec::new();
    let mut notes = Vec::new();
    for cloud in wanted {
        let region = chosen.iter().find(|(of, _)| *of == cloud).map(|(_, region)| region.clone());
        let region = region.unwrap_or_else(|| {
            let default = cloud.rules().default_region;
            notes.push(format!("the region of {} is {default}, because --region names none", cloud.name()));
            default.to_string()
        });
        lists.push((cloud, catalog.price_list(&region, os)?));
    }
    Ok((lists, notes))
}

fn parse_cloud(text: &str) -> Result<Cloud, String> {
    let name = text.trim().to_ascii_lowercase();
    let names: Vec<&str> = Cloud::modelled().map(Cloud::name).collect();
    let choose = format!("write {} or {}", names.join(", "), names.join(","));
    match Cloud::from_name(&name) {
        Some(cloud) if cloud.rules().not_modelled.is_none() => Ok(cloud),
        Some(_) => Err(format!("{name} is only listed, not modelled: {choose}")),
        None => Err(format!("unknown cloud `{name}`: {choose}")),
    }
}

/// The types, and those of which only disks with performance plus are wanted.
fn parse_types(text: &str) -> Result<[Vec<DiskType>; 2], String> {
    let [mut all, mut plus_only, mut any] = [const { Vec::new() }; 3];
    let read = |word: &str| {
        DiskType::from_word(word.trim()).ok_or_else(|| {
            let words: Vec<&str> = DiskType::ALL.iter().map(|disk| disk.word()).collect();
            let near = nearest(word.trim(), words);
            let all = "`iobound plan --help` lists all types";
            match near.as_slice() {
                [] => format!("there is no disk type `{}`: {all}", word.trim()),
                near => format!(
                    "there is no disk type `{}`: did you mean {}? {all}",
                    word.trim(),
                    near.join(", ")
                ),
            }
        })
    };
    let suffix = PerformanceSetting::Plus.suffix();
    for word in text.split(',') {
        let word = word.trim();
        let (word, has_plus) = word.strip_suffix(suffix.as_str()).map_or((word, false), |word| (word, true));
        let disk = read(word)?;
        if has_plus && !disk.has_tiers() {
            return Err(format!("{} has no performance plus: write {word}", disk.title()));
        }
        all.push(disk);
        if has_plus { &mut plus_only } else { &mut any }.push(disk);
    }
    plus_only.retain(|disk| !any.contains(disk));
    Ok([all, plus_only])
}

/// Dollars in billionths.
fn parse_dollars(text: &str) -> Result<u64, String> {
    let expected = || format!("`{text}` is not a price: write US dollars a month, such as 900");
    let number = text.trim().trim_start_matches('$').replace(',', "");
    let (whole, cents) = number.split_once('.').unwrap_or((number.as_str(), ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(cents) || cents.len() > 2 {
        return Err(expected());
    }
    let cents: u64 = format!("{cents:0<2}").parse().map_err(|_| expected())?;
    let whole: u64 = whole.parse().map_err(|_| expected())?;
    whole
        .checked_mul(100)
        .and_then(|sum| sum.checked_add(cents)?.checked_mul(10_000_000))
        .ok_or_else(expected)
}

/// `8`, `8-16`, `8-`, `-16`.
fn bounds(text: &str, read: impl Fn(&str) -> Result<u64, String>) -> Result<[Option<u64>; 2], String> {
    let end = |part: &str| Some(part.trim()).filter(|part| !part.is_empty()).map(&read).transpose();
    let [least, most] = match text.split_once('-') {
        Some((least, most)) => [end(least)?, end(most)?],
        None => [end(text)?, end(text)?],
    };
    match (least, most) {
        (None, None) => Err("the range has no bounds: write 8-16, 8- or -16".into()),
        (Some(least), Some(most)) if least > most => {
            Err(format!("`{text}` is an empty range: write the lower bound first"))
        }
        _ => Ok([least, most]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_may_be_open() {
        let read = |text: &str| bounds(text, |text| text.parse::<u64>().map_err(|error| error.to_string()));
        assert_eq!(read("8-16"), Ok([Some(8), Some(16)]));
        assert_eq!(read("8-"), Ok([Some(8), None]));
        assert_eq!(read("-16"), Ok([None, Some(16)]));
        assert_eq!(read("8"), Ok([Some(8), Some(8)]));
        assert!(read("16-8").is_err() && read("-").is_err() && read("x").is_err());
    }

    #[test]
    fn dollars_are_exact() {
        assert_eq!(parse_dollars("900"), Ok(900_000_000_000));
        assert_eq!(parse_dollars("$1,234.5"), Ok(1_234_500_000_000));
        for wrong in ["", "-1", "1.234", "nine", "99999999999999999999"] {
            assert!(parse_dollars(wrong).is_err(), "{wrong}");
        }
    }
}

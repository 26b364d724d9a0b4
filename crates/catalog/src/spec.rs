//! The grammar of `--disk`: `[NAME=][COUNTx]WHAT[:CACHE]`.

use std::collections::BTreeMap;

use iobound_units::{Bandwidth, Bytes, Iops, parse_bandwidth, parse_bytes, parse_iops};

use crate::clouds::disk_kind::Sold;
use crate::clouds::names::{Cloud, DiskType, Redundancy};
use crate::configuration::{CacheSetting, PerformanceSetting, VolumeRequest, What};
use crate::error::CatalogError;
use crate::nearest::{nearest, unlike};

/// One `--disk`: `P30`, `log=2xP20:readonly`, `P30@2018-06`, `premium@600GiB`, `P40+performance-plus`, `P10+P50`,
/// `premiumv2@1TiB+20000iops+600MB/s`, `gp3@500GiB`, `temp`, `nvme`.
///
/// Only the grammar is read here; whether the catalogue has it, and whether it goes together, is
/// [`resolve`](crate::resolve)'s to say.
pub fn parse_spec(text: &str) -> Result<VolumeRequest, CatalogError> {
    let whole = text.trim();
    let fail = |why: String| CatalogError::Spec { text: whole.to_string(), why };
    if whole.is_empty() {
        return Err(fail("write a disk: P30, 4xP30:readonly, premium@600GiB".into()));
    }
    let (name, rest) = match whole.split_once('=') {
        Some((name, rest)) => (Some(parse_name(name).map_err(fail)?), rest),
        None => (None, whole),
    };
    let (rest, cache) = match rest.rsplit_once(':') {
        Some((rest, cache)) => (rest, parse_cache(cache).map_err(fail)?),
        None => (rest, CacheSetting::None),
    };
    let (count, rest) = parse_count(rest.trim()).map_err(fail)?;
    let (rest, setting) = take_setting(rest.trim()).map_err(fail)?;
    let (what, redundancy) = parse_what(&rest).map_err(fail)?;
    let has_tiers = matches!(what, What::Tier { .. } | What::TierFor { .. });
    if setting != PerformanceSetting::OfSize && !has_tiers {
        return Err(fail(format!("`{}` belongs to disks that are sold in tiers: P40{0}", setting.suffix())));
    }
    let own = BTreeMap::new();
    Ok(VolumeRequest { text: whole.to_string(), name, count, what, cache, redundancy, setting, own })
}

fn parse_name(name: &str) -> Result<String, String> {
    let name = name.trim();
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.is_empty() || name.len() > 64 || !name.chars().all(legal) {
        return Err(format!(
            "`{name}` is not a volume name: use up to 64 letters, digits, _ and -, such as log=2xP20"
        ));
    }
    Ok(name.to_string())
}

fn parse_cache(text: &str) -> Result<CacheSetting, String> {
    let plain = text.trim().to_ascii_lowercase().replace(['-', '_'], "");
    match plain.as_str() {
        "regional" | "zrs" | "lrs" => Err(format!(
            "`{plain}` is not a host-cache setting: redundancy is part of the type, as in P30-zrs and pd-ssd-regional@500GiB"
        )),
        "none" | "off" => Ok(CacheSetting::None),
        "readonly" | "ro" => Ok(CacheSetting::ReadOnly),
        "readwrite" | "rw" => Ok(CacheSetting::ReadWrite),
        _ => Err(format!("`{}` is not a host-cache setting: write none, readonly or readwrite", text.trim())),
    }
}

/// `10xP30`: how many, and the rest. A tier begins with a letter, so leading digits are a count.
fn parse_count(text: &str) -> Result<(u16, &str), String> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    if end == 0 {
        return Ok((1, text));
    }
    let (digits, rest) = text.split_at(end);
    let Some(rest) = ["x", "X", "×", "*"].iter().find_map(|times| rest.strip_prefix(times)) else {
        return Err(if rest.is_empty() {
            format!("`{digits}` is not a disk: write 10xP30 for ten P30")
        } else {
            format!("write an x between the count and the disk: {digits}x{rest}")
        });
    };
    match digits.parse::<u16>() {
        Ok(0) => Err("a volume needs 1 disk or more: leave the --disk out, or raise the count".into()),
        Ok(count) => Ok((count, rest)),
        Err(_) => Err(format!("{digits} disks are more than any VM takes")),
    }
}

/// Takes `+performance-plus` or `+P50` out of a disk: what is left, and the setting.
fn take_setting(text: &str) -> Result<(String, PerformanceSetting), String> {
    let is_tier = |word: &str| {
        let digits = word.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        digits.len() + 1 == word.len() && digits.bytes().all(|b| b.is_ascii_digit()) && !digits.is_empty()
    };
    let setting_of = |word: &str| match word.to_ascii_lowercase() {
        word if PerformanceSetting::PLUS.contains(&word.as_str()) => Some(PerformanceSetting::Plus),
        word if is_tier(&word) => Some(PerformanceSetting::Tier(word.to_ascii_uppercase())),
        _ => None,
    };
    let mut found: Vec<PerformanceSetting> = Vec::new();
    let mut parts: Vec<String> = Vec::new();
    for part in text.split('@') {
        let mut words = part.split('+');
        let mut left = words.next().unwrap_or_default().to_string();
        for word in words {
            match setting_of(word.trim()) {
                Some(setting) => found.push(setting),
                None => left.push_str(&format!("+{word}")),
            }
        }
        parts.push(left.trim().to_string());
    }
    let mut found = found.into_iter();
    let setting = found.next().unwrap_or_default();
    if let Some(second) = found.next() {
        return Err(format!(
            "`{}` and `{}` exclude each other: give one of them",
            setting.suffix(),
            second.suffix()
        ));
    }
    Ok((parts.join("@"), setting))
}

fn parse_what(text: &str) -> Result<(What, Redundancy), String> {
    let mut parts = text.split('@').map(str::trim);
    let head = parts.next().unwrap_or_default();
    let first = parts.next();
    let second = parts.next();
    if parts.next().is_some() {
        return Err("only a size and an era can follow the type: premium@600GiB@2016".into());
    }
    if head.is_empty() {
        return Err("write a disk after the count: P30, premium@600GiB, gp3@500GiB".into());
    }
    // What is provisioned follows the type where no size is given.
    let is_type = |(head, _): &(&str, &str)| DiskType::from_word(parse_redundancy(head).0).is_some();
    let parts = head.split_once('+').filter(is_type);
    let (head, figures) = parts.map_or((head, None), |(head, figures)| (head, Some(figures)));
    let (written, (head, redundancy)) = (head, parse_redundancy(head));
    let own = match head.to_ascii_lowercase().as_str() {
        "temp" | "local" => Some(What::Temp),
        "nvme" | "local-ssd" => Some(What::Nvme),
        _ => None,
    };
    if let Some(own) = own {
        return match first {
            _ if written != head => {
                Err(format!("a local disk is on the VM's host, without redundancy: write {head}"))
            }
            None => Ok((own, Redundancy::Lrs)),
            Some(_) => Err(format!("the VM size decides the local disk's size: write {head}")),
        };
    }
    match DiskType::from_word(head) {
        Some(disk) => {
            let era = second.map(str::to_string);
            let (size, figures) = match (first, figures) {
                (Some(size), Some(figures)) => {
                    return Err(match parse_size(size.trim()) {
                        Ok(_) => {
                            format!("what is provisioned follows the size: write {written}@{size}+{figures}")
                        }
                        Err(_) => format!("`{size}` is no size: write {written}@1TiB+{figures}@{size}"),
                    });
                }
                (Some(text), None) => {
                    let parts = text.split_once('+');
                    let (size, figures) = parts.map_or((text, None), |(size, rest)| (size, Some(rest)));
                    (Some(parse_size(size.trim())?), figures)
                }
                (None, figures) => (None, figures),
            };
            let (iops, throughput) = parse_figures(disk, figures)?;
            match (disk.kind().sold, size) {
                (Sold::InTiers { example }, None) => {
                    Err(format!("a size is missing: {head}@1TiB (or a tier, such as {example})"))
                }
                (Sold::InTiers { .. }, Some(_)) if figures.is_some() => Err(format!(
                    "the figures of {} come with its tier: leave +… out, or provision {}",
                    disk.title(),
                    disk.provisioned_beside()
                )),
                (Sold::InTiers { .. }, Some(size)) => Ok((What::TierFor { disk, size, era }, redundancy)),
                (Sold::Apart { .. }, size) => {
                    Ok((What::Sized { disk, size, iops, throughput, era }, redundancy))
                }
            }
        }
        None => {
            if !head.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')) {
                return Err(format!("unknown disk `{head}`: write P30, premium@600GiB, gp3@500GiB"));
            }
            if let Some(disk) = regional_in_front(head) {
                let size = first.map_or(String::new(), |size| format!("@{size}"));
                let spec = type_spec(disk, Redundancy::Zrs);
                return Err(format!("unknown disk type `{head}`: write {spec}{size}"));
            }
            if second.is_some() {
                return Err(format!("only an era can follow a tier: {head}@2018-06"));
            }
            let mut listed = Cloud::ALL.into_iter().filter_map(|cloud| cloud.rules().not_modelled);
            if let (Some(_), Some(listed)) = (first, listed.find(|listed| (listed.is_disk)(head))) {
                return Err(listed.disks.into());
            }
            if let Some(size) = first.filter(|part| parse_bytes(part).is_ok()) {
                let is_tier = |(_, number): (&str, &str)| number.bytes().all(|byte| byte.is_ascii_digit());
                if !head.split_at_checked(1).is_some_and(is_tier) {
                    let words = DiskType::ALL.iter().map(|disk| disk.word());
                    let mut near = nearest(head, words, 3);
                    let least = near.first().map(|word| unlike(head, word));
                    let begins = |word: &str| word.starts_with(&head.to_ascii_lowercase());
                    near.retain(|word| begins(word) || Some(unlike(head, word)) == least);
                    let near: Vec<String> = near.iter().map(|word| format!("{word}@{size}")).collect();
                    return Err(match near.is_empty() {
                        true => {
                            format!("unknown disk type `{head}`: `iobound catalog disks` lists all disks")
                        }
                        false => format!("unknown disk type `{head}`: did you mean {}?", near.join(" or ")),
                    });
                }
                return Err(format!(
                    "a tier has a fixed size: write premium@{size}, or {head} without a size"
                ));
            }
            if let Some("") = first {
                return Err(format!("write an era after @: {head}@2018-06"));
            }
            Ok((What::Tier { name: head.to_string(), era: first.map(str::to_string) }, redundancy))
        }
    }
}

/// Suffix of a type without tiers whose disks are in two zones of a region.
const REGIONAL: &str = "-regional";

/// The type without tiers of a word that has the suffix in front: `regional-pd-ssd`.
fn regional_in_front(word: &str) -> Option<DiskType> {
    let (first, rest) = word.split_once('-')?;
    let is_regional = first.eq_ignore_ascii_case(REGIONAL.trim_start_matches('-'));
    DiskType::from_word(rest).filter(|disk| is_regional && !disk.has_tiers())
}

/// `P30-ZRS`, `Premium_ZRS`, `pd-ssd-regional`: in several zones; everything else is in one.
fn parse_redundancy(head: &str) -> (&str, Redundancy) {
    if let Some(head) = head.strip_suffix(REGIONAL) {
        return (head, Redundancy::Zrs);
    }
    let suffix = head.len().checked_sub(4).and_then(|at| head.get(at..));
    match suffix.map(str::to_ascii_lowercase).as_deref() {
        Some("_zrs" | "-zrs") => (&head[..head.len() - 4], Redundancy::Zrs),
        Some("-lrs" | "_lrs") => (&head[..head.len() - 4], Redundancy::Lrs),
        _ => (head, Redundancy::Lrs),
    }
}

/// True if a throughput is written as its vendor writes it, `+125MB/s`, which means 125 MiB/s.
pub(crate) fn means_mib(disk: DiskType, text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    megabyte_of(disk) != 1_000_000 && (text.contains("mb/s") || text.contains("mbps"))
}

/// Bytes of the megabyte in which a type's throughput is provisioned: 2^20 where the cloud writes MB/s and means MiB/s.
pub fn megabyte_of(disk: DiskType) -> u64 {
    match disk.kind().sold {
        Sold::Apart { writes_mb_for_mib: true, .. } => 1 << 20,
        _ => 1_000_000,
    }
}

/// A type without tiers as a spec has it, with its redundancy: `pd-ssd`, `pd-ssd-regional`.
pub fn type_spec(disk: DiskType, redundancy: Redundancy) -> String {
    let regional = if redundancy == Redundancy::Zrs { REGIONAL } else { "" };
    format!("{}{regional}", disk.word())
}

/// A provisioned throughput as a spec of the type has it: exact, in megabytes where they are whole, else in bytes. Where the cloud
/// writes MB/s and means MiB/s, it is MiB/s.
pub fn throughput_spec(disk: DiskType, bytes_per_s: u64) -> String {
    let megabyte = megabyte_of(disk);
    match (bytes_per_s.is_multiple_of(megabyte), megabyte) {
        (true, 1_000_000) => format!("{}MB/s", bytes_per_s / megabyte),
        (true, _) => format!("{}MiB/s", bytes_per_s / megabyte),
        (false, 1_000_000) if bytes_per_s.is_multiple_of(1 << 20) => format!("{}MiB/s", bytes_per_s >> 20),
        (false, _) => format!("{bytes_per_s}B/s"),
    }
}

fn parse_size(size: &str) -> Result<Bytes, String> {
    let bytes = parse_bytes(size).map_err(|error| {
        let message = error.to_string();
        if size.to_ascii_uppercase().ends_with('B') && message.contains("could be") {
            let digits = size.trim_end_matches(|c: char| c.is_ascii_alphabetic()).trim();
            let unit = size.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
            let letter = unit.chars().next().unwrap_or('G').to_ascii_uppercase();
            format!("{message}; clouds sell disks by the {letter}iB though they print {letter}B: {digits}{letter}iB")
        } else if size.bytes().all(|b| b.is_ascii_digit()) && !size.is_empty() {
            format!("{message}, as {size}GiB")
        } else {
            message
        }
    })?;
    if bytes.get() == 0 {
        return Err("the size is zero: write 600GiB".into());
    }
    Ok(bytes)
}

/// `20000iops+600MB/s`.
fn parse_figures(disk: DiskType, text: Option<&str>) -> Result<(Option<Iops>, Option<Bandwidth>), String> {
    let (mut iops, mut throughput) = (None, None);
    for part in text.into_iter().flat_map(|text| text.split('+')).map(str::trim) {
        let lower = part.to_ascii_lowercase();
        if lower.ends_with("iops") || lower.ends_with("io/s") {
            if iops.replace(parse_iops(part).map_err(|e| e.to_string())?).is_some() {
                return Err("IOPS are provisioned twice: give them once".into());
            }
        } else if lower.ends_with("/s") || lower.ends_with("ps") {
            let mut given = parse_bandwidth(part).map_err(|e| e.to_string())?;
            if means_mib(disk, part) {
                let mebibytes = u128::from(given.get()) * (1 << 20) / 1_000_000;
                given = Bandwidth(u64::try_from(mebibytes).unwrap_or(u64::MAX));
            }
            if throughput.replace(given).is_some() {
                return Err("throughput is provisioned twice: give it once".into());
            }
        } else {
            return Err(format!("`+{part}` is neither IOPS nor a throughput: write +20000iops or +600MB/s"));
        }
    }
    Ok((iops, throughput))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tier(name: &str, era: Option<&str>) -> What {
        What::Tier { name: name.into(), era: era.map(str::to_string) }
    }

    fn tier_for(disk: DiskType, size: Bytes) -> What {
        What::TierFor { disk, size, era: None }
    }

    fn sized(disk: DiskType, size: Bytes, iops: Option<u64>, throughput: Option<u64>) -> What {
        let (iops, throughput) = (iops.map(Iops), throughput.map(Bandwidth));
        What::Sized { disk, size: Some(size), iops, throughput, era: None }
    }

    #[test]
    fn the_grammar_of_the_command_line() {
        use CacheSetting::{None as Off, ReadOnly, ReadWrite};
        let gib = Bytes::gib;
        for (text, name, count, what, cache) in [
            ("P30", None, 1, tier("P30", None), Off),
            ("10xP30", None, 10, tier("P30", None), Off),
            ("10×P30", None, 10, tier("P30", None), Off),
            ("log=2xP20:readonly", Some("log"), 2, tier("P20", None), ReadOnly),
            ("P30@2018-06:ReadWrite", None, 1, tier("P30", Some("2018-06")), ReadWrite),
            ("premium@600GiB", None, 1, tier_for(DiskType::Premium, gib(600)), Off),
            ("premium@600GB", None, 1, tier_for(DiskType::Premium, gib(600)), Off),
            ("Premium_LRS@600GiB:none", None, 1, tier_for(DiskType::Premium, gib(600)), Off),
            (
                "premiumv2@1TiB+20000iops+600MB/s",
                None,
                1,
                sized(DiskType::PremiumV2, gib(1024), Some(20_000), Some(600_000_000)),
                Off,
            ),
            (
                "gp3@500GiB+300MiB/s+6000iops",
                None,
                1,
                sized(DiskType::Gp3, gib(500), Some(6_000), Some(300 << 20)),
                Off,
            ),
            ("gp3@500GiB+125MB/s", None, 1, sized(DiskType::Gp3, gib(500), None, Some(125 << 20)), Off),
            ("gp3@500GiB+1000MBps", None, 1, sized(DiskType::Gp3, gib(500), None, Some(1000 << 20)), Off),
            ("standard@100GiB:ro", None, 1, tier_for(DiskType::StandardHdd, gib(100)), ReadOnly),
            (
                "hyperdisk-balanced",
                None,
                1,
                What::Sized {
                    disk: DiskType::HyperdiskBalanced,
                    size: None,
                    iops: None,
                    throughput: None,
                    era: None,
                },
                Off,
            ),
            (
                "hyperdisk-balanced+5000iops",
                None,
                1,
                What::Sized {
                    disk: DiskType::HyperdiskBalanced,
                    size: None,
                    iops: Some(Iops(5_000)),
                    throughput: None,
                    era: None,
                },
                Off,
            ),
            ("temp", None, 1, What::Temp, Off),
            ("2xnvme", None, 2, What::Nvme, Off),
            ("scratch=local", Some("scratch"), 1, What::Temp, Off),
        ] {
            let request = parse_spec(text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(
                (request.name.as_deref(), request.count, request.what, request.cache),
                (name, count, what, cache),
                "{text}"
            );
        }
        assert_eq!(parse_spec("P30-ZRS").unwrap().redundancy, Redundancy::Zrs);
    }

    #[test]
    fn nonsense_is_refused_with_what_to_write() {
        for (text, help) in [
            ("", "P30"),
            ("0xP30", "1 disk or more"),
            ("10P30", "10xP30"),
            ("10", "10xP30"),
            ("70000xP30", "more than any VM"),
            ("P30:cached", "readonly"),
            ("=P30", "name"),
            ("a b=P30", "letters"),
            ("premium", "premium@1TiB"),
            ("gp33@500GiB", "gp3@500GiB"),
            ("P3@500GiB", "premium@500GiB"),
            ("premium@600", "600GiB"),
            ("premium@600GX", "GiB"),
            ("premium@600GiB+5000iops", "tier"),
            ("gp3@1TiB+fast", "+20000iops"),
            ("gp3@1TiB+5000iops+6000iops", "once"),
            ("gp3@1TiB+200M/s", "MiB/s"),
            ("P30@600GiB", "premium@600GiB"),
            ("P30@2016@2018", "era"),
            ("P30@", "era"),
            ("temp@10GiB", "write temp"),
            ("regional-pd-ssd@500GiB", "write pd-ssd-regional@500GiB"),
            ("2xpd-ssd@500GiB:regional", "redundancy is part of the type, as in P30-zrs"),
            ("gp3@500GiB:zrs", "redundancy is part of the type, as in P30-zrs"),
            ("local-ssd-regional", "without redundancy: write local-ssd"),
            ("temp-zrs", "without redundancy: write temp"),
            ("temp-lrs", "without redundancy: write temp"),
            ("premium+5000iops", "a size is missing"),
            ("hyperdisk-balanced+5000iops@1TiB", "write hyperdisk-balanced@1TiB+5000iops"),
            ("hyperdisk-balanced+5000iops@2026-07-01", "write hyperdisk-balanced@1TiB+5000iops@2026-07-01"),
            ("hyperdisk-balanced+fast", "+20000iops"),
            ("hyperdisk-b@500GiB", "hyperdisk-balanced@500GiB"),
            ("4x", "P30"),
            ("P 30", "P30"),
        ] {
            let message = parse_spec(text).unwrap_err().to_string();
            assert!(message.contains(help), "{text}: {message}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in "\\PC{0,40}") {
            let _ = parse_spec(&text);
        }

        #[test]
        fn a_printed_throughput_reads_back_to_the_same_value(bytes in 1u64..10_000_000_000, mib in 1u64..10_000, mb in 1u64..10_000) {
            for disk in [DiskType::Gp3, DiskType::PremiumV2, DiskType::Ultra, DiskType::HyperdiskBalanced] {
                for bytes in [bytes, mib << 20, mb * 1_000_000] {
                    let text = format!("{}@500GiB+5000iops+{}", disk.word(), throughput_spec(disk, bytes));
                    let What::Sized { throughput, .. } = parse_spec(&text).unwrap().what else { panic!("{text}") };
                    prop_assert_eq!(throughput, Some(Bandwidth(bytes)), "{}", text);
                }
            }
        }

        #[test]
        fn nothing_like_a_spec_makes_it_panic(text in "[a-zP0-9]{0,3}=?[0-9]{0,6}[x×]?[A-Za-z0-9]{0,9}(@[0-9.]{0,5}[GTKMi]{0,2}B?){0,3}(\\+[0-9]{0,9}(iops|MB/s|é)?){0,3}(:[a-z]{0,9})?") {
            let _ = parse_spec(&text);
        }
    }
}

//! Catalogue name of a cloud's disk, as far as the cloud reports it.

use iobound_catalog::{Catalog, Cloud, DiskType, Era, Redundancy, throughput_spec};
use iobound_explain::setup::Certainty;
use iobound_machine::cloud::CloudDisk;
use iobound_units::Bytes;

/// A disk in the words of `--disk`.
pub(super) struct Bought {
    pub(super) disk: Option<DiskType>,
    /// As `--disk` has it.
    pub(super) spec: Option<String>,
    /// Reliability of its figures, and why.
    pub(super) figures: (Certainty, String),
}

fn unknown(why: impl Into<String>) -> Bought {
    Bought { disk: None, spec: None, figures: (Certainty::Unknown, why.into()) }
}

/// Disk spec from the cloud's facts and the device's size.
pub(super) fn bought(
    provider: Cloud,
    entry: Option<&CloudDisk>,
    bytes: Option<u64>,
    has_metadata: bool,
) -> Bought {
    let gib = bytes.or(entry.and_then(|entry| entry.bytes)).map(|bytes| bytes.div_ceil(1 << 30));
    let Some(gib) = gib.filter(|gib| *gib > 0) else { return unknown("its size is not known") };
    let rules = provider.rules();
    if let Some(disk) = rules.assumed_disk {
        return assumed(disk, format!("{}@{gib}GiB", disk.word()));
    }
    match rules.not_modelled {
        None => told(entry, gib, has_metadata),
        Some(_) => unknown(format!("{}'s disks are not in the model", rules.title)),
    }
}

fn assumed(disk: DiskType, spec: String) -> Bought {
    Bought {
        disk: Some(disk),
        spec: Some(spec),
        figures: (Certainty::Assumed, disk.kind().unseen.to_string()),
    }
}

/// A disk of which the metadata says the type.
fn told(entry: Option<&CloudDisk>, gib: u64, has_metadata: bool) -> Bought {
    let Some(entry) = entry else {
        return unknown(match has_metadata {
            true => "the metadata has no disk there",
            false => "only the metadata service knows its type",
        });
    };
    if entry.is_ephemeral {
        return unknown("an ephemeral disk: it is on a local disk, whose figures do not apply to it");
    }
    let Some(told) = &entry.kind else {
        return unknown("the metadata does not contain its type: it may be a page blob");
    };
    let (plain, redundancy) = match told.strip_suffix("_ZRS") {
        Some(plain) => (plain, Redundancy::Zrs),
        None => (told.as_str(), Redundancy::Lrs),
    };
    let Some(disk) = DiskType::from_word(plain) else {
        return unknown(format!("the catalogue has no {told}"));
    };
    match Catalog::shipped().bounds(disk).ok().flatten() {
        None => assumed(disk, tier(disk, redundancy, told, gib)),
        Some(bounds) if !bounds.must_be_given() => assumed(disk, format!("{}@{gib}GiB", disk.word())),
        Some(_) => match (entry.iops, entry.bytes_per_s) {
            (Some(iops), Some(bytes_per_s)) => Bought {
                disk: Some(disk),
                spec: Some(format!(
                    "{}@{gib}GiB+{iops}iops+{}",
                    disk.word(),
                    throughput_spec(disk, bytes_per_s)
                )),
                figures: (Certainty::Known, "the metadata".to_string()),
            },
            _ => Bought { disk: Some(disk), ..unknown(disk.kind().unseen) },
        },
    }
}

/// The tier of that size where it is a whole one, else the type with the size.
fn tier(disk: DiskType, redundancy: Redundancy, told: &str, gib: u64) -> String {
    let size = Bytes::gib(gib);
    let tier = Catalog::shipped().tier_for(disk, redundancy, size, Era::current()).map(|found| found.entry);
    let zrs = if redundancy == Redundancy::Zrs { "-ZRS" } else { "" };
    match tier {
        Ok(tier) if tier.max_size == size => format!("{}{zrs}", tier.name),
        _ => format!("{told}@{gib}GiB"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iobound_catalog::{Configuration, parse_spec, resolve};
    use iobound_machine::cloud::parse_azure;

    fn of(kind: &str, gib: u64, rest: &str) -> Bought {
        let text = format!(
            r#"{{"compute": {{"storageProfile": {{"dataDisks": [{{"lun": "0", "diskSizeGB": "{gib}",
            "managedDisk": {{"storageAccountType": "{kind}"}}{rest}}}]}}}}}}"#
        );
        let instance = parse_azure(&text).unwrap();
        bought(Cloud::Azure, instance.disks.first(), Some(gib << 30), true)
    }

    #[test]
    fn tiers_follow_from_type_and_size_and_say_that_this_is_assumed() {
        for (kind, gib, spec) in [
            ("Premium_LRS", 1024, "P30"),
            ("Premium_LRS", 30, "Premium_LRS@30GiB"),
            ("Premium_ZRS", 1024, "P30-ZRS"),
            ("StandardSSD_LRS", 128, "E10"),
            ("Standard_LRS", 32, "S4"),
            ("PremiumV2_LRS", 512, "premiumv2@512GiB"),
        ] {
            let bought = of(kind, gib, "");
            assert_eq!(
                (bought.spec.as_deref(), bought.figures.0),
                (Some(spec), Certainty::Assumed),
                "{kind}"
            );
        }
        assert!(of("Premium_LRS", 1024, "").figures.1.contains("raised performance tier"));
        assert!(of("Unheard_LRS", 1024, "").figures.1.contains("Unheard_LRS"));
    }

    #[test]
    fn an_ultra_disk_has_its_own_figures_to_the_byte() {
        let figures = r#", "opsPerSecondThrottle": "65280", "bytesPerSecondThrottle": "979202048""#;
        let bought = of("UltraSSD_LRS", 1024, figures);
        let spec = bought.spec.unwrap();
        assert_eq!(bought.figures.0, Certainty::Known);
        let configuration = Configuration {
            volumes: vec![parse_spec(&spec).unwrap()],
            ..Configuration::of("Standard_E64s_v3")
        };
        let resolved = resolve(&configuration, &Catalog::shipped()).unwrap();
        assert_eq!((resolved.disks[0].ios, resolved.disks[0].bytes), (Some(65_280), Some(979_202_048)));
        assert_eq!(of("UltraSSD_LRS", 1024, "").spec, None);
    }

    #[test]
    fn without_metadata_nothing_is_claimed() {
        let bought = bought(Cloud::Azure, None, Some(1 << 40), false);
        assert_eq!((bought.spec, bought.figures.0), (None, Certainty::Unknown));
    }
}

//! The figures that may be provisioned of a kind of disk. [`provision`](crate::provision) reads it forwards, from a size to figures; the
//! planner backwards, from figures to the cheapest size.

use iobound_units::Bytes;

use crate::clouds::disk_kind::Sold;
use crate::clouds::names::DiskType;
use crate::era::Era;
use crate::error::CatalogError;
use crate::performance::{Performance, RuleReader};
use crate::rules::Rules;

/// The bounds of a kind of disk in one era.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// GiB, the least and the most.
    pub gib: [u64; 2],
    /// Size of a disk for which none is given, and its source; `None`: the vendor states no default.
    pub default_size: Option<(Bytes, String)>,
    /// Bytes of a megabyte as the kind counts them.
    pub megabyte: u64,
    /// IOPS and throughput.
    pub performance: Performance,
    /// The source's key.
    pub source: String,
}

impl Bounds {
    /// The bounds of a kind in an era; `None`: it is sold in tiers.
    pub(crate) fn of(rules: &Rules, disk: DiskType, era: Era) -> Result<Option<Bounds>, CatalogError> {
        let Sold::Apart { performance, source, .. } = disk.kind().sold else { return Ok(None) };
        let reader = RuleReader { rules, disk, era };
        let default_size = rules.get(disk.word(), "size_default", era);
        let default_size =
            default_size.map(|rule| Ok((Bytes::gib(rule.count()?), rule.source.clone()))).transpose()?;
        Ok(Some(Bounds {
            gib: [reader.count("size_min")?, reader.count("size_max")?],
            default_size,
            megabyte: disk.kind().megabyte,
            performance: performance(&reader)?,
            source: reader.rule(source)?.source.clone(),
        }))
    }

    /// Size of a disk: the given one, else the vendor's default.
    ///
    /// # Errors
    /// Returns an error if none is given and the vendor states no default; `text` is the disk as it was written.
    pub fn size_or_default(
        &self,
        disk: DiskType,
        text: &str,
        size: Option<Bytes>,
    ) -> Result<Bytes, CatalogError> {
        size.or(self.default_size.as_ref().map(|(size, _)| *size)).ok_or_else(|| CatalogError::Spec {
            text: text.to_string(),
            why: format!("a size is missing: {}@1TiB", disk.word()),
        })
    }

    /// I/O units and bytes a second that come with the disk, free of charge; none where nothing is provisioned on top.
    pub fn included(&self) -> (u64, u64) {
        match &self.performance {
            Performance::Chosen(chosen) if chosen.included => (chosen.ios[0], chosen.bytes[0]),
            Performance::Tied(tied) => tied.included,
            Performance::Chosen(_)
            | Performance::Pooled(_)
            | Performance::ByIos(_)
            | Performance::BySize(_)
            | Performance::Streaming(_) => (0, 0),
        }
    }

    /// True if a disk has no figures unless they are given.
    pub fn must_be_given(&self) -> bool {
        match &self.performance {
            Performance::Chosen(chosen) => !chosen.included,
            other => matches!(other, Performance::ByIos(_)),
        }
    }

    /// True if I/O units are provisioned.
    pub fn has_own_ios(&self) -> bool {
        match &self.performance {
            Performance::Tied(tied) => tied.provisions_ios(),
            other => matches!(other, Performance::Chosen(_) | Performance::ByIos(_)),
        }
    }

    /// True if bytes are.
    pub fn has_own_bytes(&self) -> bool {
        match &self.performance {
            Performance::Tied(tied) => tied.provisions_bytes(),
            other => matches!(other, Performance::Chosen(_)),
        }
    }
}

//! Charge of an I/O at a limiter, by the rules of its scope.

use iobound_model::{ByteCharge, Charge, Merge};
use iobound_units::Bytes;

use crate::era::Era;
use crate::error::CatalogError;
use crate::rules::{Rule, Rules};

/// Upper limit of merging; a larger value is a typing error.
const MOST: Bytes = Bytes::gib(1);

/// More streams than this are not looked through for each I/O.
const MOST_STREAMS: u64 = 64;

/// A charge, and how it merges with others in words, with the source.
pub(super) struct Charging {
    pub(super) charge: Charge,
    pub(super) merging: Option<(String, String)>,
}

/// Reads `charge_kib`, and where contiguous I/Os are merged `merge_from_kib` and `charge_bytes`.
pub(super) fn charging(rules: &Rules, scope: &str, era: Era) -> Result<Charging, CatalogError> {
    let alone = |charge| Ok(Charging { charge, merging: None });
    if rules.require(scope, "charge_kib", era)?.value == "each" {
        return alone(Charge::Each);
    }
    let unit = rules.kib(scope, "charge_kib", era)?;
    if unit == Bytes::ZERO {
        return Err(wrong(scope, "charge_kib", "0 KiB is not a unit: write 256, or `each`".into()));
    }
    let Some(from) = rules.get(scope, "merge_from_kib", era).filter(|rule| rule.value != "never") else {
        return alone(Charge::Per(unit));
    };
    if unit > MOST {
        return Err(wrong(scope, "charge_kib", format!("I/Os are merged up to {MOST} at most")));
    }
    let least = rules.kib(scope, "merge_from_kib", era)?;
    if least > unit {
        let why =
            format!("I/Os of {least} and more are merged up to {unit}: a least size up to that, or `never`");
        return Err(wrong(scope, "merge_from_kib", why));
    }
    let bytes = match rules.get(scope, "charge_bytes", era) {
        None => ByteCharge::Moved,
        Some(rule) => byte_charge(scope, rule)?,
    };
    let mut said = format!("sequential I/Os of {least} and more, up to {unit}");
    if bytes == ByteCharge::WholeUnits {
        said.push_str("; throughput counts whole units");
    }
    let streams = match rules.get(scope, "merge_streams", era) {
        None => 1,
        Some(rule) => rule.count()?.min(MOST_STREAMS),
    };
    let charge = Charge::Merged(Merge { unit, least, bytes, streams: streams.max(1) as u16 });
    Ok(Charging { charge, merging: Some((said, from.source.clone())) })
}

fn byte_charge(scope: &str, rule: &Rule) -> Result<ByteCharge, CatalogError> {
    match rule.value.as_str() {
        "units" => Ok(ByteCharge::WholeUnits),
        "moved" => Ok(ByteCharge::Moved),
        other => {
            Err(wrong(scope, "charge_bytes", format!("`{other}` is not a charge: write units or moved")))
        }
    }
}

fn wrong(scope: &str, parameter: &str, why: String) -> CatalogError {
    CatalogError::File { file: format!("rule {scope} {parameter}"), line: 0, why }
}

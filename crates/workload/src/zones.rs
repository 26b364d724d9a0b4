//! Hot and cold zones of a region, as bytes.

use iobound_units::Percent;

use crate::{HotZone, ZoneRange};

/// A zone with its ends within the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneExtent {
    /// Its first byte.
    pub start: u64,
    /// The byte after its last.
    pub end: u64,
    /// Its share of the I/Os.
    pub ios: Percent,
}

/// Lays zones over a region of `len` bytes, in order from its start. The I/Os that no zone names go to what the
/// zones leave of the region (DiskSpd's rule for `-rd`); zones without I/Os are gaps.
///
/// # Errors
/// Returns an error with the fix: percentages above 100 %, zones larger than the region, or I/Os left over without
/// room.
pub fn lay_zones(zones: &[HotZone], len: u64) -> Result<Vec<ZoneExtent>, String> {
    let mut extents = Vec::with_capacity(zones.len() + 1);
    let (mut at, mut ios_left, mut range_left) = (0u64, Percent::HUNDRED.ppm(), Percent::HUNDRED.ppm());
    for (index, zone) in zones.iter().enumerate() {
        let number = index + 1;
        ios_left = ios_left.checked_sub(zone.ios.ppm()).ok_or_else(|| {
            "the zones have more than 100 % of the I/Os: make them add up to 100 %".to_string()
        })?;
        let end = match zone.range {
            ZoneRange::Share(share) => {
                range_left = range_left.checked_sub(share.ppm()).ok_or_else(|| {
                    "the zones have more than 100 % of the region: make them add up to 100 %".to_string()
                })?;
                at + (u128::from(len) * u128::from(share.ppm()) / 1_000_000) as u64
            }
            ZoneRange::Bytes(size) => at.saturating_add(size.0),
            ZoneRange::Rest if number == zones.len() => len,
            ZoneRange::Rest => {
                return Err(format!(
                    "zone {number} takes the rest of the region, but other zones follow: put it last"
                ));
            }
        };
        // Shares that add up to the whole end at the end, whatever was rounded off on the way.
        let end = if range_left == 0 { len } else { end };
        if end > len {
            return Err(format!("zone {number} ends beyond the region: make it smaller or --size larger"));
        }
        extents.push(ZoneExtent { start: at, end, ios: zone.ios });
        at = end;
    }
    if let Some(ios) = Percent::from_ppm(ios_left).filter(|rest| rest.ppm() > 0) {
        if at >= len {
            return Err(format!(
                "{ios} of the I/Os have no zone and the zones leave no room: make the shares add up to 100 %"
            ));
        }
        extents.push(ZoneExtent { start: at, end: len, ios });
    }
    Ok(extents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use iobound_units::Bytes;

    fn percent(n: u32) -> Percent {
        Percent::whole(n).unwrap()
    }

    fn share(ios: u32, range: u32) -> HotZone {
        HotZone { ios: percent(ios), range: ZoneRange::Share(percent(range)) }
    }

    #[test]
    fn what_no_zone_names_goes_to_the_rest() {
        // DiskSpd's own example: 90 % of the I/Os on 10 %, 5 % on the next 10 %, 5 % on the other 80 %.
        let laid = lay_zones(&[share(90, 10), share(5, 10)], 1_000).unwrap();
        let plain: Vec<_> = laid.iter().map(|z| (z.start, z.end, z.ios.ppm() / 10_000)).collect();
        assert_eq!(plain, [(0, 100, 90), (100, 200, 5), (200, 1_000, 5)]);
    }

    #[test]
    fn absolute_zones_and_a_rest() {
        let zones = [
            HotZone { ios: percent(90), range: ZoneRange::Bytes(Bytes(300)) },
            HotZone { ios: percent(10), range: ZoneRange::Rest },
        ];
        let laid = lay_zones(&zones, 1_000).unwrap();
        assert_eq!((laid[1].start, laid[1].end), (300, 1_000));
    }

    #[test]
    fn shares_of_a_hundred_reach_the_last_byte() {
        let laid = lay_zones(&[share(33, 33), share(33, 33), share(34, 34)], 1_001).unwrap();
        assert_eq!(laid.last().unwrap().end, 1_001);
    }

    #[test]
    fn impossible_zones_say_how_to_mend_them() {
        let text = |zones: &[HotZone]| lay_zones(zones, 1_000).unwrap_err();
        assert!(text(&[share(90, 10), share(20, 10)]).contains("100 % of the I/Os"));
        assert!(text(&[share(90, 60), share(10, 60)]).contains("100 % of the region"));
        assert!(text(&[share(90, 100)]).contains("no room"));
        let beyond = HotZone { ios: percent(100), range: ZoneRange::Bytes(Bytes(2_000)) };
        assert!(text(&[beyond]).contains("beyond"));
        let rest = HotZone { ios: percent(50), range: ZoneRange::Rest };
        assert!(text(&[rest, share(50, 10)]).contains("put it last"));
    }
}

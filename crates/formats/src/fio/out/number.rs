//! Numbers as fio's text has them.

/// Quantity of a number with a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// A plain number.
    None,
    /// Bytes.
    Byte,
    /// Bytes a second.
    BytePerSecond,
    /// Bits a second; the number is in bytes a second.
    BitPerSecond,
}

const DECIMAL: [&str; 6] = ["", "k", "M", "G", "T", "P"];
const BINARY: [&str; 6] = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];

/// A number with so many digits at most, and the prefix that this needs: `205MiB/s`, `52.6k`. Decimals are
/// rounded into the number, where fio drops the carry.
pub(super) fn prefixed(number: u64, digits: usize, binary: bool, unit: Unit) -> String {
    let suffix = match unit {
        Unit::None => "",
        Unit::Byte => "B",
        Unit::BytePerSecond => "B/s",
        Unit::BitPerSecond => "bit/s",
    };
    let number = if unit == Unit::BitPerSecond { u128::from(number) * 8 } else { u128::from(number) };
    let (thousand, prefixes) = if binary { (1024_u128, BINARY) } else { (1000, DECIMAL) };
    let length = |number: u128| number.to_string().len();
    let (mut whole, mut scale, mut power) = (number, 1, 0);
    while length(whole) > digits && power + 1 < prefixes.len() {
        power += 1;
        scale *= thousand;
        whole = number / scale;
    }
    if power == 0 {
        return format!("{number}{suffix}");
    }
    let decimals = digits.saturating_sub(length(whole) + 1);
    // With one digit to spare there is no room for a decimal beside the point: rounded, as fio does.
    if decimals == 0 {
        let rounded = (number + scale / 2) / scale;
        return format!("{rounded}{}{suffix}", prefixes[power]);
    }
    let ten = 10_u128.pow(decimals as u32);
    let rounded = (number * ten + scale / 2) / scale;
    format!("{}.{:0decimals$}{}{suffix}", rounded / ten, rounded % ten, prefixes[power])
}

/// A time in ns with the unit of its size: `2.00ms`.
pub(super) fn scaled_ns(ns: u64) -> String {
    let (divisor, unit) = match ns {
        2_000_000_000.. => (1e9, "s"),
        2_000_000.. => (1e6, "ms"),
        2_000.. => (1e3, "us"),
        _ => (1.0, "ns"),
    };
    format!("{:.2}{unit}", ns as f64 / divisor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_those_of_fios_text() {
        // As fio 3.33 printed these.
        let bandwidth = |number, binary| prefixed(number, 4, binary, Unit::BytePerSecond);
        assert_eq!(
            (bandwidth(215_323_506, true), bandwidth(215_323_506, false)),
            ("205MiB/s".into(), "215MB/s".into())
        );
        assert_eq!(
            (bandwidth(92_007_500, true), bandwidth(92_007_500, false)),
            ("87.7MiB/s".into(), "92.0MB/s".into())
        );
        assert_eq!(prefixed(430_862_336, 4, true, Unit::Byte), "411MiB");
        assert_eq!(prefixed(1_315_930_112, 4, true, Unit::Byte), "1255MiB");
        assert_eq!(prefixed(52_569, 4, false, Unit::None), "52.6k");
        assert_eq!(prefixed(160_555, 4, false, Unit::None), "161k");
        assert_eq!(prefixed(1_487_100, 6, false, Unit::None), "1487.1k");
        assert_eq!(prefixed(139_810_133, 6, true, Unit::BytePerSecond), "136533KiB/s");
        assert_eq!(prefixed(8_388_608, 6, true, Unit::Byte), "8192.0KiB");
        assert_eq!(prefixed(156_625_000, 4, false, Unit::BitPerSecond), "1253Mbit/s");
        assert_eq!(prefixed(12, 4, true, Unit::Byte), "12B");
    }

    #[test]
    fn a_carry_goes_into_the_number() {
        assert_eq!(prefixed(9_999_600, 4, false, Unit::None), "10000k");
        assert_eq!(prefixed(1_999_600, 5, false, Unit::None), "2000k");
        assert_eq!(prefixed(u64::MAX, 4, true, Unit::Byte), "16384PiB");
    }

    #[test]
    fn a_time_has_the_unit_of_its_size() {
        let shown = [0, 1_999, 2_000, 2_000_000, 5_000_000_000].map(scaled_ns);
        assert_eq!(shown, ["0.00ns", "1999.00ns", "2.00us", "2.00ms", "5.00s"]);
    }
}

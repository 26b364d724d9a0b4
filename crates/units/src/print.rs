use std::fmt;

use crate::{Bandwidth, Iops};

/// A whole number with commas between thousands: 45,512.
pub struct Grouped(pub u64);

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        let mut text = String::with_capacity(digits.len() + digits.len() / 3);
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                text.push(',');
            }
            text.push(digit);
        }
        f.pad(&text)
    }
}

/// A number of things with their noun, in the singular for one: `1 disk`, `1,200 disks`. The noun takes an `s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted<'a>(pub u64, pub &'a str);

impl fmt::Display for Counted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counted(count, noun) = self;
        write!(f, "{} {noun}{}", Grouped(*count), if *count == 1 { "" } else { "s" })
    }
}

impl fmt::Display for Iops {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} IOPS", Grouped(self.0))
    }
}

impl fmt::Display for Bandwidth {
    /// Always MB/s, 10^6 bytes per second, as the clouds publish their limits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_throughput(self.0 as f64))
    }
}

/// A throughput in MB/s (10^6 bytes per second), with the decimals its size deserves.
pub fn format_throughput(bytes_per_s: f64) -> String {
    let mb = bytes_per_s / 1e6;
    if mb == 0.0 || mb >= 1_000.0 {
        format!("{} MB/s", Grouped(mb.round() as u64))
    } else if mb >= 100.0 {
        if (mb - mb.round()).abs() < 0.05 { format!("{mb:.0} MB/s") } else { format!("{mb:.1} MB/s") }
    } else if mb >= 1.0 {
        format!("{mb:.1} MB/s")
    } else {
        format!("{mb:.2} MB/s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        for (n, text) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (45_512, "45,512"), (1_234_567, "1,234,567")]
        {
            assert_eq!(Grouped(n).to_string(), text);
        }
        assert_eq!(format!("{:>8}", Grouped(45_512)), "  45,512");
    }

    #[test]
    fn a_throughput_says_mb_per_s() {
        assert_eq!(format_throughput(186_417_152.0), "186.4 MB/s");
        assert_eq!(format_throughput(512e6), "512 MB/s");
        assert_eq!(format_throughput(1_130.2e6), "1,130 MB/s");
        assert_eq!(format_throughput(256_000.0), "0.26 MB/s");
    }
}

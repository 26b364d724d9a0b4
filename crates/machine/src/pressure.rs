//! Pressure stall information, `/proc/pressure` (Documentation/accounting/psi.rst): share of the time in which a task
//! waited for a resource.

use std::fmt;

use iobound_units::Span;

use crate::World;

/// Awaited resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Disks.
    Io,
    /// Processors.
    Cpu,
    /// Memory.
    Memory,
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Resource::Io => "io",
            Resource::Cpu => "cpu",
            Resource::Memory => "memory",
        })
    }
}

/// Time that was waited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stall {
    /// The share of the last ten seconds, between 0 and 1, as the kernel smooths it.
    pub of_ten_seconds: f64,
    /// All of it since the start of the machine.
    pub total: Span,
}

impl Stall {
    /// The share of the time since an earlier look, between 0 and 1; 0 where none has passed. The total is counted
    /// every two seconds, so that a short interval may have more than it was long.
    pub fn share_since(&self, earlier: &Stall, elapsed: Span) -> f64 {
        if elapsed.is_zero() {
            return 0.0;
        }
        let stalled = self.total.ns().saturating_sub(earlier.total.ns());
        (stalled as f64 / elapsed.ns() as f64).min(1.0)
    }
}

/// Pressure on one resource.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pressure {
    /// At least one task waited.
    pub some: Stall,
    /// All tasks that had work waited; `None` where the kernel does not say, as of processors before 5.13.
    pub full: Option<Stall>,
}

/// The pressure on a resource; `None` where the kernel does not tell: before 4.20, or without `psi=1` where that is
/// its default.
pub fn pressure(world: &World, resource: Resource) -> Option<Pressure> {
    let text = world.text(&format!("/proc/pressure/{resource}"))?;
    let stall = |kind: &str| text.lines().find_map(|line| parse(line.strip_prefix(kind)?));
    Some(Pressure { some: stall("some ")?, full: stall("full ") })
}

/// `avg10=0.95 avg60=0.33 avg300=0.30 total=6753898`: per cent, and microseconds.
fn parse(line: &str) -> Option<Stall> {
    let value =
        |name: &str| line.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
    let percent: f64 = value("avg10")?.parse().ok()?;
    let total: u64 = value("total")?.parse().ok()?;
    (0.0..=100.0)
        .contains(&percent)
        .then(|| Stall { of_ten_seconds: percent / 100.0, total: Span::from_ns(total.saturating_mul(1_000)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Tree;

    #[test]
    fn both_lines_are_read() {
        let tree = Tree::new();
        tree.file(
            "/proc/pressure/io",
            "some avg10=12.50 avg60=0.33 avg300=0.30 total=6753898\nfull avg10=0.41 avg60=0.23 avg300=0.17 total=5054836\n",
        );
        let found = pressure(&tree.world(), Resource::Io).unwrap();
        assert_eq!(found.some, Stall { of_ten_seconds: 0.125, total: Span::from_us(6_753_898) });
        assert_eq!(found.full.unwrap().total, Span::from_us(5_054_836));
        assert_eq!(pressure(&tree.world(), Resource::Cpu), None);
    }

    #[test]
    fn processors_may_have_one_line_and_odd_ones_are_none() {
        let tree = Tree::new();
        tree.file("/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
        assert_eq!(pressure(&tree.world(), Resource::Cpu).unwrap().full, None);
        for odd in [
            "",
            "some",
            "some avg10=x total=1",
            "some avg10=nan total=1",
            "some avg10=1.0",
            "full avg10=1 total=1",
        ] {
            tree.file("/proc/pressure/memory", odd);
            assert_eq!(pressure(&tree.world(), Resource::Memory), None, "{odd}");
        }
    }

    #[test]
    fn the_share_since_a_look_is_what_the_total_grew_by() {
        let stall = |us| Stall { of_ten_seconds: 0.0, total: Span::from_us(us) };
        assert_eq!(stall(1_500_000).share_since(&stall(500_000), Span::from_secs(4)), 0.25);
        assert_eq!(stall(5_000_000).share_since(&stall(0), Span::from_secs(1)), 1.0);
        assert_eq!(stall(0).share_since(&stall(5), Span::from_secs(1)), 0.0);
        assert_eq!(stall(9).share_since(&stall(5), Span::ZERO), 0.0);
    }
}

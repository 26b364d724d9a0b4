//! Requested faults, in the words of a screen.

use iobound_emulate::control::Trouble;
use iobound_model::{Change, DiskId};
use iobound_units::{Instant, Ppm, Span};

/// A fault, of those disks that have not been given another since.
struct Fault {
    of: String,
    disks: Vec<DiskId>,
    /// Number of disks it that was of.
    once: usize,
    how: String,
    until: Instant,
}

/// The faults that there are.
#[derive(Default)]
pub(super) struct Faults {
    disks: Vec<Fault>,
    host: Option<(String, Instant)>,
}

impl Faults {
    /// These changes were made, since it was asked of `of`; nothing is wrong there any more if nothing is said.
    pub(super) fn of_disks(&mut self, of: &str, trouble: Option<Trouble>, changes: &[Change]) {
        let disks: Vec<DiskId> = changes.iter().filter_map(disk_of).collect();
        for fault in &mut self.disks {
            fault.disks.retain(|disk| !disks.contains(disk));
        }
        self.disks.retain(|fault| !fault.disks.is_empty());
        let until = changes.iter().filter_map(until_of).max().unwrap_or(Instant::MAX);
        self.disks.extend(trouble.map(|trouble| Fault {
            of: of.to_string(),
            once: disks.len(),
            disks,
            how: trouble_words(trouble),
            until,
        }));
    }

    /// The host is slower by so much, for so long, or is as it should be.
    pub(super) fn of_host(&mut self, slower: Option<(Ppm, Option<Span>)>, changes: &[Change]) {
        let until = changes.iter().filter_map(until_of).max().unwrap_or(Instant::MAX);
        let words =
            |(latency, lasts)| format!("each I/O takes {}{}", factor_words(latency), lasts_words(lasts));
        self.host = slower.map(|slower| (words(slower), until));
    }

    /// Faults that are not over, each with its remaining time.
    pub(super) fn words(&self, now: Instant) -> Vec<String> {
        let disks = self.disks.iter().map(|fault| {
            let of = match fault.disks.len() {
                left if left < fault.once => format!("{} ({left} of {} disks)", fault.of, fault.once),
                _ => fault.of.clone(),
            };
            (of, &fault.how, fault.until)
        });
        let host = self.host.iter().map(|(how, until)| ("bad host".to_string(), how, *until));
        let all = disks.chain(host).filter(|(.., until)| *until > now);
        all.map(|(of, how, until)| fault_words(&of, how, until, now)).collect()
    }
}

fn disk_of(change: &Change) -> Option<DiskId> {
    if let Change::Fault(disk, _) = change { Some(*disk) } else { None }
}

/// Time at which a fault ends.
fn until_of(change: &Change) -> Option<Instant> {
    match change {
        // One that only stalls is over with its stall.
        Change::Fault(_, fault) if fault.latency == Ppm::ONE && fault.errors == Ppm(0) => {
            Some(fault.stalled_until.min(fault.until))
        }
        Change::Fault(_, fault) => Some(fault.until),
        Change::Host(host) => Some(host.until),
        _ => None,
    }
}

fn factor_words(factor: Ppm) -> String {
    format!("{}x", factor.as_f64())
}

fn lasts_words(lasts: Option<Span>) -> String {
    lasts.map_or(String::new(), |lasts| format!(" for {lasts}"))
}

fn trouble_words(trouble: Trouble) -> String {
    let mut words = Vec::new();
    if trouble.latency != Ppm::ONE {
        words.push(format!("latency {}", factor_words(trouble.latency)));
    }
    if trouble.errors.ppm() > 0 {
        words.push(format!("{} % of I/Os fail", trouble.errors.fraction() * 100.0));
    }
    if let Some(stall) = trouble.stall {
        words.push(format!("nothing completes for {stall}"));
    }
    format!("{}{}", words.join(", "), lasts_words(trouble.lasts))
}

/// A fault in the words of the state, with its remaining time.
fn fault_words(of: &str, how: &str, until: Instant, now: Instant) -> String {
    if until == Instant::MAX {
        return format!("{of}: {how}");
    }
    format!("{of}: {how} ({} s left)", until.since(now).ns() / 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use iobound_units::Percent;

    const SLOW: Trouble =
        Trouble { latency: Ppm(5_000_000), errors: Percent::ZERO, stall: None, lasts: None };

    fn changes(disks: std::ops::Range<u16>, trouble: Option<Trouble>) -> Vec<Change> {
        let fault = trouble.map_or(iobound_model::Fault::NONE, |trouble| iobound_model::Fault {
            latency: trouble.latency,
            until: Instant::MAX,
            ..iobound_model::Fault::NONE
        });
        disks.map(|n| Change::Fault(DiskId(n), fault)).collect()
    }

    #[test]
    fn what_is_said_of_a_volume_is_no_longer_said_of_its_disks() {
        let mut faults = Faults::default();
        let mut ask = |of: &str, trouble: Option<Trouble>, disks| {
            faults.of_disks(of, trouble, &changes(disks, trouble));
            faults.words(Instant::ZERO)
        };
        assert_eq!(ask("data.0", Some(SLOW), 0..1), ["data.0: latency 5x"]);
        assert_eq!(ask("log", Some(SLOW), 2..3), ["data.0: latency 5x", "log: latency 5x"]);
        assert_eq!(ask("data", None, 0..2), ["log: latency 5x"]);
        assert_eq!(ask("all disks", Some(SLOW), 0..3), ["all disks: latency 5x"]);
        assert_eq!(ask("data.1", None, 1..2), ["all disks (2 of 3 disks): latency 5x"]);
        assert!(ask("all disks", None, 0..3).is_empty());
    }

    #[test]
    fn a_host_is_bad_whatever_its_disks_are() {
        let mut faults = Faults::default();
        faults.of_host(Some((Ppm(3_000_000), None)), &[]);
        faults.of_disks("data", None, &changes(0..2, None));
        assert_eq!(faults.words(Instant::ZERO), ["bad host: each I/O takes 3x"]);
        faults.of_host(None, &[]);
        assert!(faults.words(Instant::ZERO).is_empty());
    }
}

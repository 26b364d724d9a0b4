//! A batch script for Slurm.

use std::fmt::Write;

use iobound_units::Span;

use super::{DRAW, Job};

impl Job {
    /// For `sbatch`. Where to meet, the ranks know by themselves: the first host of the step.
    pub(super) fn slurm(&self) -> String {
        let mut script = format!("#!/bin/bash\n# {}. Pass it to sbatch.\n", self.about());
        let mut option = |text: String| {
            let _ = writeln!(script, "#SBATCH {text}");
        };
        option(format!("--job-name={}", self.name));
        option(format!("--nodes={}", self.hosts));
        option(format!("--ntasks={}", self.ranks()));
        option(format!("--ntasks-per-node={}", self.each));
        if !self.names.is_empty() {
            option(format!("--nodelist={}", self.names.join(",")));
        }
        if let Some(time) = self.time {
            option(format!("--time={}", clock(time)));
        }
        option("--exclusive".to_string());
        option(format!("--output={}-%j.out", self.name));
        script.push_str("set -euo pipefail\n\n");
        script.push_str(DRAW);
        // A rank that ends with an error is named in the result; the others go on.
        let _ = write!(script, "\nsrun --kill-on-bad-exit=0 {}\n", self.line());
        script
    }
}

/// A time as Slurm has it, `[D-]HH:MM:SS`; a part of a second is a second.
fn clock(time: Span) -> String {
    let seconds = time.ns().div_ceil(1_000_000_000);
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    let day = if days > 0 { format!("{days}-") } else { String::new() };
    format!("{day}{hours:02}:{minutes:02}:{:02}", seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_as_slurm_has_it() {
        assert_eq!(clock(Span::from_secs(90)), "00:01:30");
        assert_eq!(clock(Span::from_secs(90_061)), "1-01:01:01");
        assert_eq!(clock(Span::from_ms(1)), "00:00:01");
    }
}

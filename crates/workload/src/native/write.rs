//! A workload written back as native TOML, such that reading it gives the same workload.

use super::job::write_job;
use super::lines::Lines;
use super::quantity::exact_span;
use crate::Workload;

impl Workload {
    /// The workload as native TOML. Fields without effect are left away: a stride where nothing is sequential, a
    /// distribution where nothing is random.
    pub fn to_toml(&self) -> String {
        let mut lines = Lines(String::new());
        lines.text("duration", &exact_span(self.duration));
        lines.span("warmup", self.warmup);
        lines.span("cooldown", self.cooldown);
        if self.seed != 0 {
            // TOML's own numbers end at 2^63.
            lines.text("seed", &self.seed.to_string());
        }
        for job in &self.jobs {
            lines.0.push_str("\n[[job]]\n");
            write_job(&mut lines, job);
        }
        lines.0
    }
}

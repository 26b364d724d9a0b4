//! A run on several machines while it goes on: all of them together, and a row for each, the slowest first.

use iobound_measure::Interval;
use iobound_measure::result::fleet::MissingRank;
use iobound_units::Span;

use super::text::missing_words;
use crate::live::{LiveDevice, LivePart, LiveScreen, Rank, Recent, rows_part};
use crate::page::Style;
use crate::run::{Live, Plan, live_line};

/// A rank, for the live display.
#[derive(Clone, Debug, Default)]
pub struct LiveRank {
    /// Name of it among the others.
    pub label: String,
    /// Last event of it: the end of an interval since I/O began, and its figures. `None` before the first.
    pub last: Option<LiveDevice>,
    /// Its activity, if it issues no I/O: `prepares`, `waits`, `done`, `missing`.
    pub state: Option<String>,
}

/// The run so far.
#[derive(Clone, Debug)]
pub struct FleetLive {
    run: Live,
    ranks: Vec<LiveRank>,
    recent: Recent,
    missing: Vec<String>,
    title: String,
}

impl FleetLive {
    /// Nothing has been seen yet of a run that is called so.
    pub fn new(title: String, plan: Plan) -> FleetLive {
        FleetLive {
            run: Live::new(plan),
            ranks: Vec::new(),
            recent: Recent::default(),
            missing: Vec::new(),
            title,
        }
    }

    /// Takes in an interval of all ranks together.
    pub fn take(&mut self, together: &Interval) {
        self.run.take(together);
    }

    /// Takes in what a rank did in an interval that ended so long after the start.
    pub fn take_rank(&mut self, rank: usize, label: &str, at: Span, interval: &Interval) {
        let seconds = interval.length().secs_f64();
        if seconds <= 0.0 {
            return;
        }
        let count = interval.count();
        let sum_ns = interval.read.sum_ns + interval.write.sum_ns;
        let failed = interval.read.errors + interval.write.errors;
        let last = LiveDevice {
            name: label.to_string(),
            iops: count as f64 / seconds,
            throughput_bytes_per_s: interval.bytes() as f64 / seconds,
            mean_us: (count > 0).then(|| sum_ns as f64 / 1e3 / count as f64),
            depth: Some(sum_ns as f64 / interval.length().ns() as f64),
            failed: (failed > 0).then_some(failed),
            ..LiveDevice::default()
        };
        self.recent.take(label, at, last.iops);
        let row = self.row(rank, label);
        (row.last, row.state) = (Some(last), None);
    }

    /// Says what a rank does that issues no I/O.
    pub fn says(&mut self, rank: usize, label: &str, state: &str) {
        self.row(rank, label).state = Some(state.to_string());
    }

    /// A rank that is lost.
    pub fn lost(&mut self, missing: &MissingRank) {
        self.missing.push(missing_words(missing));
        let label = missing.host.clone().unwrap_or_else(|| format!("rank {}", missing.rank));
        let row = self.row(missing.rank as usize, &label);
        (row.last, row.state) = (None, Some("missing".into()));
    }

    fn row(&mut self, rank: usize, label: &str) -> &mut LiveRank {
        if self.ranks.len() <= rank {
            self.ranks.resize_with(rank + 1, LiveRank::default);
        }
        let row = &mut self.ranks[rank];
        if row.label.is_empty() {
            row.label = label.to_string();
        }
        row
    }

    /// The screen: the figures of all ranks, missing ranks, and as many ranks as there is room for.
    pub fn screen(&self) -> LiveScreen {
        let mut parts = vec![LivePart::Figures {
            label: "ranks".into(),
            figures: vec![self.title.clone()],
            rank: Rank::Matters,
        }];
        if !self.missing.is_empty() {
            let mut figures: Vec<String> = self.missing.iter().take(3).cloned().collect();
            figures.extend(self.missing.len().checked_sub(4).map(|more| format!("{} more", more + 1)));
            parts.push(LivePart::Figures { label: "MISSING".into(), figures, rank: Rank::Stays });
        }
        let head = LiveScreen::of(parts).and(self.run.screen());
        let mut busy: Vec<&LiveDevice> = self
            .ranks
            .iter()
            .filter(|rank| rank.state.is_none())
            .filter_map(|rank| rank.last.as_ref())
            .collect();
        busy.sort_by(|a, b| a.iops.total_cmp(&b.iops).then_with(|| a.name.cmp(&b.name)));
        let rows: Vec<LiveDevice> = busy.into_iter().cloned().collect();
        let mut below = Vec::new();
        let idle = self.idle();
        if !idle.is_empty() {
            below.push(LivePart::Figures { label: "others".into(), figures: idle, rank: Rank::Explains });
        }
        if !rows.is_empty() {
            below.push(LivePart::Gap);
            below.push(rows_part("host", &rows, &self.recent));
        }
        head.and(LiveScreen::of(below))
    }

    /// Number of ranks that do what, of those that issue no I/O: `3 prepare`.
    fn idle(&self) -> Vec<String> {
        let mut states: Vec<(&str, usize)> = Vec::new();
        for state in self.ranks.iter().filter_map(|rank| rank.state.as_deref()) {
            match states.iter_mut().find(|(known, _)| *known == state) {
                Some((_, count)) => *count += 1,
                None => states.push((state, 1)),
            }
        }
        states.iter().map(|(state, count)| format!("{count} {state}")).collect()
    }
}

/// An interval of all ranks as one line, for output that is not a terminal.
pub fn fleet_line(together: &Interval, plan: &Plan, ranks: usize, style: Style) -> String {
    let line = live_line(together, plan, style);
    if line.is_empty() { line } else { format!("{line}  {ranks} ranks") }
}

#[cfg(test)]
mod tests {
    use iobound_measure::{IntervalTally, Phase};
    use iobound_units::Instant;

    use super::*;

    fn interval(second: u64, ios: u64) -> Interval {
        let read = IntervalTally {
            count: ios,
            bytes: ios * 4096,
            sum_ns: u128::from(ios) * 1_000_000,
            ..IntervalTally::default()
        };
        Interval {
            start: Instant::from_ns((second - 1) * 1_000_000_000),
            end: Instant::from_ns(second * 1_000_000_000),
            phase: Phase::Counted,
            whole: true,
            read,
            write: IntervalTally::default(),
        }
    }

    fn shown(ranks: u64, height: Option<usize>) -> Vec<String> {
        let plan = Plan {
            begin: Instant::ZERO,
            start: Instant::ZERO,
            end: Some(Instant::from_ns(60_000_000_000)),
            over: None,
        };
        let mut live = FleetLive::new(format!("{ranks} by mpirun"), plan);
        for second in 1..4 {
            live.take(&interval(second, ranks * 1_000));
            for rank in 0..ranks {
                let label = format!("db{rank}");
                live.take_rank(
                    rank as usize,
                    &label,
                    Span::from_secs(second),
                    &interval(second, 1_000 - rank),
                );
            }
        }
        live.says(0, "db0", "done");
        live.lost(&MissingRank { rank: 1, host: Some("db1".into()), why: "said nothing for 5 s".into() });
        live.screen().lines(Style { width: Some(80), color: false, ascii: false }, height)
    }

    #[test]
    fn the_slowest_host_is_first_and_who_is_missing_is_named() {
        let lines = shown(4, None);
        let at = |word: &str| {
            lines.iter().position(|line| line.contains(word)).unwrap_or_else(|| panic!("{lines:#?}"))
        };
        assert!(at("db3  ") < at("db2  "), "{lines:#?}");
        assert!(lines[at("MISSING")].contains("rank 1 (db1): said nothing for 5 s"), "{lines:#?}");
        assert!(lines[at("others")].contains("1 done") && lines[at("others")].contains("1 missing"));
        assert!(
            !lines.iter().any(|line| line.starts_with("  db1 ")),
            "who is missing does nothing: {lines:#?}"
        );
    }

    #[test]
    fn a_thousand_hosts_fit_any_terminal() {
        for height in [10, 24, 50] {
            let lines = shown(1_000, Some(height));
            assert!(lines.len() <= height && lines.iter().any(|line| line.contains(" more")), "{lines:#?}");
            assert!(lines.iter().any(|line| line.contains("db999")), "the slowest stays: {lines:#?}");
        }
    }
}

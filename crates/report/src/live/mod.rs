//! The events now, as a screen that is written over each second: the same for a run, an emulator, a rehearsal, a machine that
//! is watched. What is shown is made here, of whatever was seen; that a terminal is written over is the program's to do.
//!
//! A screen is a list of parts, the most important first in its own order but not in place: where a terminal has too few lines,
//! tables lose rows, and say how many, and then the parts of the highest rank go.

mod recent;
mod tables;

pub use recent::Recent;
pub(crate) use tables::rows_part;
pub use tables::{LiveDevice, LiveLimit, devices_part, limits_part};

use crate::page::{Page, Style};
use crate::spark::sparkline;
use crate::table::{Column, Table};

/// A table keeps so many rows while anything else can go.
const LEAST_ROWS: usize = 3;
/// Narrower than this the bar of a progress is half as long.
const NARROW: usize = 76;

/// Time until a part is left out if there is not enough room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// Never.
    Stays,
    /// After everything that explains the figures.
    Matters,
    /// First.
    Explains,
}

/// A part of a screen.
#[derive(Clone, Debug)]
pub enum LivePart {
    /// Nothing, between two parts. Gaps are the first to go.
    Gap,
    /// A label and what it says.
    Figures {
        /// The label.
        label: String,
        /// Figures, three spaces apart.
        figures: Vec<String>,
        /// The time until it goes.
        rank: Rank,
    },
    /// A label, and values as bars between the least and the most of them.
    Bars {
        /// The label.
        label: String,
        /// The values, the last one on the right.
        values: Vec<f64>,
        /// The least and the most in words, and the time that they span.
        words: [String; 3],
        /// The time until it goes.
        rank: Rank,
    },
    /// A label, how far something has come, and that in words.
    Progress {
        /// The label.
        label: String,
        /// From 0 to 1; `None` where the end is not known.
        share: Option<f64>,
        /// In words.
        words: String,
    },
    /// Rows under titles, the most important first.
    Rows {
        /// The titles, from left to right: what does not fit is left out from the right.
        columns: Vec<Column>,
        /// The rows.
        rows: Vec<Vec<String>>,
        /// The one of the rows may go last: none of before it goes while one behind it stays.
        rank: Rank,
    },
}

/// A screen.
#[derive(Clone, Debug, Default)]
pub struct LiveScreen {
    parts: Vec<LivePart>,
}

impl LiveScreen {
    /// A screen of these parts, from top to bottom.
    pub fn of(parts: Vec<LivePart>) -> LiveScreen {
        LiveScreen { parts }
    }

    /// With more below.
    pub fn and(mut self, below: LiveScreen) -> LiveScreen {
        self.parts.extend(below.parts);
        self
    }

    /// Its lines: at most as wide as the style says, and at most `height` of them if it is given.
    pub fn lines(&self, style: Style, height: Option<usize>) -> Vec<String> {
        let height = height.unwrap_or(usize::MAX);
        let mut parts: Vec<Shown<'_>> =
            self.parts.iter().map(|part| Shown { part, rows: usize::MAX }).collect();
        let mut lines = laid_out(&parts, style);
        if lines.len() > height {
            parts.retain(|shown| !matches!(shown.part, LivePart::Gap));
            lines = laid_out(&parts, style);
        }
        for least in [LEAST_ROWS, 1] {
            for rank in [Rank::Explains, Rank::Matters] {
                // The longest table first, row by row: a line says how many are left out.
                while lines.len() > height {
                    let Some(longest) = parts
                        .iter_mut()
                        .filter(|part| part.can_shrink(least))
                        .max_by_key(|part| part.count())
                    else {
                        break;
                    };
                    longest.rows = longest.count() - 1;
                    lines = laid_out(&parts, style);
                }
                while lines.len() > height
                    && let Some(at) = parts.iter().rposition(|shown| shown.part.rank() == rank)
                {
                    parts.remove(at);
                    lines = laid_out(&parts, style);
                }
            }
        }
        lines.truncate(height);
        lines
    }
}

/// A part, of which so many rows are shown.
struct Shown<'a> {
    part: &'a LivePart,
    rows: usize,
}

impl Shown<'_> {
    fn count(&self) -> usize {
        if let LivePart::Rows { rows, .. } = self.part { rows.len().min(self.rows) } else { 0 }
    }

    fn can_shrink(&self, least: usize) -> bool {
        self.count() > least
    }
}

impl LivePart {
    fn rank(&self) -> Rank {
        match self {
            LivePart::Gap => Rank::Explains,
            LivePart::Progress { .. } => Rank::Stays,
            LivePart::Figures { rank, .. } | LivePart::Bars { rank, .. } | LivePart::Rows { rank, .. } => {
                *rank
            }
        }
    }
}

fn laid_out(parts: &[Shown<'_>], style: Style) -> Vec<String> {
    let mut page = Page::new(style);
    for Shown { part, rows: most } in parts {
        match part {
            LivePart::Gap => page.gap(),
            LivePart::Figures { label, figures, .. } => page.figures(label, figures),
            LivePart::Bars { label, values, words: [low, high, past], .. } => {
                let (least, greatest) =
                    values.iter().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
                let taken = low.chars().count() + high.chars().count() + past.chars().count() + 5;
                let bars = sparkline(values, least, greatest, page.room().saturating_sub(taken));
                page.labelled(label, &format!("{low} {bars} {high} in {past}"));
            }
            LivePart::Progress { label, share, words } => {
                let bar = share.map(|share| progress_bar(share, if page.width() < NARROW { 16 } else { 32 }));
                page.labelled(label, &format!("{}{words}", bar.unwrap_or_default()));
            }
            LivePart::Rows { columns, rows, .. } => {
                let mut table = Table::new(columns.clone());
                rows.iter().take(*most).for_each(|row| table.row(row.clone()));
                table.lines(page.width()).iter().for_each(|line| page.line(line));
                if let Some(more) = rows.len().checked_sub(*most).filter(|more| *more > 0) {
                    let rest = if style.ascii { "..." } else { "…" };
                    page.line(&format!("  {rest} {more} more"));
                }
            }
        }
    }
    let text = page.text();
    let width = style.width.unwrap_or(usize::MAX);
    // The rest is cut: a line that the terminal wraps could not be overwritten.
    text.lines().map(|line| line.chars().take(width).collect()).collect()
}

fn progress_bar(share: f64, width: usize) -> String {
    let done = ((share * width as f64) as usize).min(width);
    format!("[{}{}] ", "#".repeat(done), ".".repeat(width - done))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style(width: usize) -> Style {
        Style { width: Some(width), color: false, ascii: false }
    }

    fn figures(label: &str, rank: Rank) -> LivePart {
        LivePart::Figures { label: label.into(), figures: vec!["1".into()], rank }
    }

    fn disks(count: usize) -> LivePart {
        LivePart::Rows {
            columns: vec![Column::words("device"), Column::figures("IOPS")],
            rows: (0..count).map(|n| vec![format!("disk{n}"), n.to_string()]).collect(),
            rank: Rank::Stays,
        }
    }

    fn screen() -> LiveScreen {
        LiveScreen::of(vec![
            disks(20),
            LivePart::Gap,
            figures("cache", Rank::Matters),
            figures("late", Rank::Explains),
            figures("runs", Rank::Stays),
        ])
    }

    #[test]
    fn a_screen_is_as_high_as_the_terminal_and_says_what_it_leaves_out() {
        assert_eq!(screen().lines(style(80), None).len(), 1 + 20 + 1 + 3);
        for height in 1..30 {
            let lines = screen().lines(style(80), Some(height));
            assert!(lines.len() <= height, "{height}: {lines:?}");
            let shown = lines.iter().filter(|line| line.starts_with("  disk")).count();
            if shown < 20 && shown > 0 && height > 2 {
                assert!(lines.contains(&format!("  … {} more", 20 - shown)), "{height}: {lines:?}");
            }
        }
        // The titles, 5 of 20 rows, what is left out, and three lines.
        let lines = screen().lines(style(80), Some(10));
        assert_eq!((lines.len(), lines[6].as_str()), (10, "  … 15 more"));
        // Three rows are kept while something explains, then what matters.
        let lines = screen().lines(style(80), Some(7));
        assert_eq!(lines[4..], ["  … 17 more", "  cache     1", "  runs      1"], "{lines:?}");
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_however_narrow() {
        for width in 8..100 {
            let lines = screen().lines(style(width), None);
            assert!(lines.iter().all(|line| line.chars().count() <= width), "{width}: {lines:?}");
        }
        let plain = screen().lines(Style { ascii: true, ..style(80) }, Some(9));
        assert!(plain.iter().all(|line| line.is_ascii()), "{plain:?}");
        assert!(plain.contains(&"  ... 16 more".to_string()), "{plain:?}");
    }
}

//! A table that fits its page: words are wrapped, figures never are.

use crate::page::wrap;

/// Content of a column, and so how it is aligned and whether it may be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Words: left, wrapped where the page is too narrow.
    Words,
    /// Figures: right, never wrapped.
    Figures,
}

/// A table in the making.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    heads: Vec<(&'static str, Kind)>,
    rows: Vec<Vec<String>>,
}

/// A column of words is not wrapped to less than this many characters.
const LEAST: usize = 6;

/// Columns that are left out first where the page is too narrow, in this order.
const SPARE: [&str; 2] = ["simulated", "band"];

impl Grid {
    pub(super) fn new(heads: Vec<(&'static str, Kind)>) -> Grid {
        Grid { heads, rows: Vec::new() }
    }

    pub(super) fn row(&mut self, cells: Vec<String>) {
        assert_eq!(cells.len(), self.heads.len(), "a row has a cell for each column");
        self.rows.push(cells);
    }

    /// The table without spare columns that a page of this width has no room for, and their number.
    pub(super) fn fitted(&self, width: usize) -> (Grid, usize) {
        let (mut grid, mut left_out) = (self.clone(), 0);
        for title in SPARE {
            let at = grid.heads.iter().position(|(head, _)| *head == title);
            if let Some(at) = at.filter(|_| grid.least_width() > width) {
                grid.heads.remove(at);
                grid.rows.iter_mut().for_each(|row| drop(row.remove(at)));
                left_out += 1;
            }
        }
        (grid, left_out)
    }

    /// Width with every column of words as narrow as its longest word.
    fn least_width(&self) -> usize {
        let widths = (0..self.heads.len()).map(|index| self.least_of(index));
        widths.sum::<usize>() + (1..self.heads.len()).map(|index| self.gap(index)).sum::<usize>()
    }

    /// Least width of a column that breaks no word.
    fn least_of(&self, index: usize) -> usize {
        let (title, kind) = self.heads[index];
        let cells = self.rows.iter().map(|row| row[index].as_str()).chain([title]);
        let longest = |cell: &str| match kind {
            Kind::Words => cell.split(' ').map(|word| word.chars().count()).max().unwrap_or(0).max(LEAST),
            Kind::Figures => cell.chars().count(),
        };
        cells.map(longest).max().unwrap_or(0)
    }

    /// The lines, the titles first, none longer than `width` unless the figures and the longest words are.
    pub(super) fn lines(&self, width: usize) -> Vec<String> {
        let mut widths: Vec<usize> = (0..self.heads.len()).map(|index| self.width_of(index)).collect();
        let gaps: usize = (1..self.heads.len()).map(|index| self.gap(index)).sum();
        while gaps + widths.iter().sum::<usize>() > width {
            let words = (0..widths.len()).filter(|index| self.heads[*index].1 == Kind::Words);
            let loose = words.filter(|index| widths[*index] > self.least_of(*index));
            let Some(widest) = loose.max_by_key(|index| widths[*index]) else { break };
            widths[widest] -= 1;
        }
        let titles: Vec<String> = self.heads.iter().map(|(title, _)| (*title).to_string()).collect();
        std::iter::once(&titles).chain(&self.rows).flat_map(|row| self.row_lines(row, &widths)).collect()
    }

    fn row_lines(&self, cells: &[String], widths: &[usize]) -> Vec<String> {
        let parts = cells.iter().zip(widths).zip(&self.heads);
        let parts: Vec<Vec<String>> = parts
            .map(|((cell, width), (_, kind))| match kind {
                Kind::Words => wrap(cell, *width),
                Kind::Figures => vec![cell.clone()],
            })
            .collect();
        let height = parts.iter().map(Vec::len).max().unwrap_or(1);
        let line = |n: usize| -> Vec<String> {
            parts.iter().map(|part| part.get(n).cloned().unwrap_or_default()).collect()
        };
        (0..height).map(|n| self.line(&line(n), widths)).collect()
    }

    /// Figures stand close to the column on their left; words need more room.
    fn gap(&self, index: usize) -> usize {
        match self.heads[index].1 {
            Kind::Figures => 1,
            Kind::Words => 2,
        }
    }

    fn width_of(&self, index: usize) -> usize {
        let cells = self.rows.iter().map(|row| row[index].chars().count());
        cells.chain([self.heads[index].0.chars().count()]).max().unwrap_or(0)
    }

    fn line(&self, cells: &[String], widths: &[usize]) -> String {
        let mut line = String::new();
        for (index, (cell, width)) in cells.iter().zip(widths).enumerate() {
            if index > 0 {
                line.push_str(&" ".repeat(self.gap(index)));
            }
            match self.heads[index].1 {
                Kind::Figures => line.push_str(&format!("{cell:>width$}")),
                Kind::Words => line.push_str(&format!("{cell:<width$}")),
            }
        }
        line.trim_end().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_wrapped_before_a_line_is_too_long_and_figures_never() {
        let mut grid =
            Grid::new(vec![("row", Kind::Words), ("IOPS", Kind::Figures), ("bound by", Kind::Words)]);
        grid.row(vec!["a very long name of a row".into(), "1,234,567".into(), "disk IOPS".into()]);
        assert_eq!(grid.lines(100)[1], "a very long name of a row 1,234,567  disk IOPS");
        let narrow = grid.lines(32);
        assert_eq!(narrow[0], format!("{:<11} {:>9}  bound by", "row", "IOPS"));
        assert_eq!(narrow[1], "a very long 1,234,567  disk IOPS");
        assert_eq!(narrow[2], "name of a");
        assert_eq!(narrow[3], "row");
        assert!(grid.lines(32).iter().all(|line| line.chars().count() <= 32));
    }

    #[test]
    fn no_word_is_broken_and_a_spare_column_makes_room() {
        let heads = vec![
            ("configuration", Kind::Words),
            ("predicted", Kind::Figures),
            ("simulated", Kind::Figures),
            ("bound by", Kind::Words),
        ];
        let mut grid = Grid::new(heads);
        grid.row(vec!["DS2 2xStandard".into(), "999".into(), "1,000".into(), "disk IOPS".into()]);
        let (fitted, left_out) = grid.fitted(34);
        assert_eq!(left_out, 1);
        assert_eq!(fitted.lines(34)[0], "configuration predicted  bound by");
        assert_eq!(fitted.lines(34)[1], "DS2                 999  disk IOPS");
        assert_eq!(grid.fitted(60).1, 0);
    }
}

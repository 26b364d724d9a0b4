//! Columns of text.

use crate::page::{Page, wrap};

/// A column of words is not wrapped to less than this.
const LEAST_WORDS: usize = 16;

/// On which side of its column a cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Figures.
    Right,
}

/// A column: its title and alignment.
#[derive(Clone, Debug)]
pub struct Column {
    title: String,
    align: Align,
    /// True if its words are wrapped before columns are left out.
    is_prose: bool,
}

impl Column {
    /// A column of words.
    pub fn words(title: &str) -> Column {
        Column { title: title.into(), align: Align::Left, is_prose: false }
    }

    /// A column of figures.
    pub fn figures(title: &str) -> Column {
        Column { title: title.into(), align: Align::Right, is_prose: false }
    }

    /// A column of words that are wrapped before columns are left out.
    pub fn prose(title: &str) -> Column {
        Column { is_prose: true, ..Column::words(title) }
    }
}

/// A table of text, indented by two.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new(columns: Vec<Column>) -> Table {
        Table { columns, rows: Vec::new() }
    }

    /// Adds a row: one cell for each column.
    pub fn row(&mut self, cells: Vec<String>) {
        assert_eq!(cells.len(), self.columns.len(), "a row has a cell for each column");
        self.rows.push(cells);
    }

    /// The lines, the titles first. If they would be wider than `width`, a last column of words is wrapped, and other
    /// columns of words too if it would have no room. If that is not enough, columns are left out from the right; the first
    /// one stays.
    pub fn lines(&self, width: usize) -> Vec<String> {
        let widths = self.widths(width);
        let titles: Vec<String> = self.columns.iter().map(|column| column.title.clone()).collect();
        std::iter::once(&titles)
            .chain(&self.rows)
            .flat_map(|row| self.row_lines(row, &widths, width))
            .collect()
    }

    /// Adds the lines to a page; columns that have no room are counted below them.
    pub fn put(&self, page: &mut Page) {
        for line in self.lines(page.width()) {
            page.line(&line);
        }
        page.left_out(self.left_out(page.width()));
    }

    /// Number of columns that are left out at this width.
    pub fn left_out(&self, width: usize) -> usize {
        self.columns.len() - self.widths(width).len()
    }

    /// True if nothing is wrapped or left out at this width.
    pub fn fits(&self, width: usize) -> bool {
        let own: Vec<usize> = (0..self.columns.len()).map(|index| self.column_width(index)).collect();
        self.widths(width) == own
    }

    /// The widths of the columns that are shown.
    fn widths(&self, width: usize) -> Vec<usize> {
        let mut widths: Vec<usize> = (0..self.columns.len()).map(|index| self.column_width(index)).collect();
        let needed = |widths: &[usize]| 2 * widths.len() + widths.iter().sum::<usize>();
        let last = widths.len() - 1;
        if needed(&widths) > width && last > 0 && self.columns[last].align == Align::Left {
            let mut narrowed = widths.clone();
            narrowed[last] = narrowed[last].min(LEAST_WORDS);
            while needed(&narrowed) > width {
                let words = (0..last).filter(|index| self.columns[*index].align == Align::Left);
                let widest = words.max_by_key(|index| narrowed[*index]);
                let Some(widest) = widest.filter(|index| narrowed[*index] > LEAST_WORDS) else { break };
                narrowed[widest] -= 1;
            }
            if needed(&narrowed) <= width {
                narrowed[last] += width - needed(&narrowed);
                widths = narrowed;
            }
        }
        while widths.len() > 1 && needed(&widths) > width {
            let mut wrapped = widths.clone();
            for (index, own) in widths.iter().enumerate().filter(|(index, _)| self.columns[*index].is_prose) {
                let room = own.saturating_sub(needed(&wrapped).saturating_sub(width));
                wrapped[index] = room.max(LEAST_WORDS.min(*own));
            }
            if needed(&wrapped) <= width {
                return wrapped;
            }
            widths.pop();
        }
        widths
    }

    fn row_lines(&self, cells: &[String], widths: &[usize], most: usize) -> Vec<String> {
        let parts = cells.iter().zip(widths).zip(&self.columns);
        let parts: Vec<Vec<String>> = parts
            .map(|((cell, width), column)| match column.align {
                Align::Left => wrap(cell, *width),
                Align::Right => vec![cell.clone()],
            })
            .collect();
        let height = parts.iter().map(Vec::len).max().unwrap_or(1);
        let line = |n: usize| -> Vec<String> {
            parts.iter().map(|part| part.get(n).cloned().unwrap_or_default()).collect()
        };
        (0..height).map(|n| self.line(&line(n), widths, most)).collect()
    }

    fn column_width(&self, index: usize) -> usize {
        let cells = self.rows.iter().map(|row| row[index].chars().count());
        cells.chain([self.columns[index].title.chars().count()]).max().unwrap_or(0)
    }

    fn line(&self, cells: &[String], widths: &[usize], most: usize) -> String {
        let mut line = String::from("  ");
        for (index, (cell, width)) in cells.iter().zip(widths).enumerate() {
            if index > 0 {
                line.push_str("  ");
            }
            match self.columns[index].align {
                Align::Left => line.push_str(&format!("{cell:<width$}")),
                Align::Right => line.push_str(&format!("{cell:>width$}")),
            }
        }
        line.trim_end().chars().take(most).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_do_not_fit_are_left_out_from_the_right() {
        let mut table =
            Table::new(vec![Column::words("limit"), Column::figures("used"), Column::words("why")]);
        table.row(vec!["disks IOPS".into(), "30 %".into(), "a long remark".into()]);
        assert_eq!(table.lines(100), ["  limit       used  why", "  disks IOPS  30 %  a long remark"]);
        assert_eq!((table.left_out(100), table.left_out(20)), (0, 1));
        assert_eq!(table.lines(20), ["  limit       used", "  disks IOPS  30 %"]);
    }

    #[test]
    fn reasons_are_kept_by_wrapping_what_they_are_about() {
        let mut table =
            Table::new(vec![Column::figures("price"), Column::words("refused"), Column::words("because")]);
        table.row(vec![
            "1,024".into(),
            "D16as_v7 with twelve disks of sixty-four".into(),
            "48,000 IOPS at most".into(),
        ]);
        let lines = table.lines(50);
        assert_eq!(
            lines,
            [
                "  price  refused                  because",
                "  1,024  D16as_v7 with twelve     48,000 IOPS at",
                "         disks of sixty-four      most",
            ]
        );
        assert_eq!(table.left_out(50), 0);
    }

    #[test]
    fn prose_is_wrapped_before_columns_are_left_out() {
        let mut table =
            Table::new(vec![Column::prose("for"), Column::figures("USD"), Column::words("source")]);
        table.row(vec!["provisioned capacity of a disk".into(), "0.12".into(), "a-list-of-prices".into()]);
        let lines = table.lines(26);
        let wrapped = ["  for                  USD", "  provisioned         0.12", "  capacity of a disk"];
        assert_eq!(lines, wrapped);
        assert_eq!(table.left_out(26), 1);
    }

    #[test]
    fn a_last_column_of_words_is_wrapped_where_there_is_room_for_words() {
        let mut table = Table::new(vec![Column::words("setting"), Column::words("value")]);
        table.row(vec!["diskspd".into(), "-b4K -d60 -h -o8 -t4".into()]);
        assert_eq!(table.lines(27), ["  setting  value", "  diskspd  -b4K -d60 -h -o8", "           -t4"]);
    }
}

//! Comma-separated tables with a header: one line one row, an empty cell is unknown, `-` is known to be unstated
//! (so that a row laid over another can take a figure away).

use std::borrow::Cow;

use crate::error::CatalogError;

/// One row: its cells that are not empty, by column.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) file: Cow<'static, str>,
    pub(crate) line: usize,
    cells: Vec<(Cow<'static, str>, Cow<'static, str>)>,
}

/// A file of the catalogue as it ships, not read yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Csv {
    file: &'static str,
    text: &'static &'static str,
}

impl Csv {
    pub(crate) const fn of(file: &'static str, text: &'static &'static str) -> Csv {
        Csv { file, text }
    }

    pub(crate) fn table(self) -> Table {
        let (header, body) = self.text.split_once('\n').unwrap_or((*self.text, ""));
        Table { file: self.file, header: header.trim_end().split(',').collect(), body }
    }
}

/// A file of `data/`. The text is a static: the compiler copies the text of a constant into every unit that uses it.
macro_rules! csv {
    ($file:literal) => {{
        static TEXT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/", $file));
        $crate::table::Csv::of($file, &TEXT)
    }};
}
pub(crate) use csv;

/// A table that ships with the program.
pub(crate) struct Table {
    file: &'static str,
    header: Vec<&'static str>,
    body: &'static str,
}

impl Table {
    pub(crate) fn columns(&self) -> &[&'static str] {
        &self.header
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.rows_where(|_| true)
    }

    /// The rows whose raw line passes a test that is cheaper than splitting it.
    pub(crate) fn rows_where<'a>(
        &'a self,
        test: impl Fn(&str) -> bool + 'a,
    ) -> impl Iterator<Item = Row> + 'a {
        self.body
            .lines()
            .enumerate()
            .filter(move |(_, line)| !line.is_empty() && test(line))
            .map(|(index, line)| self.row(index + 2, line))
    }

    /// The rows whose first cell is `first`, whatever its case.
    pub(crate) fn rows_named(&self, first: &str) -> Vec<Row> {
        self.all_named(first).collect()
    }

    /// The first of them.
    pub(crate) fn row_named(&self, first: &str) -> Option<Row> {
        self.all_named(first).next()
    }

    fn all_named<'a>(&'a self, first: &'a str) -> impl Iterator<Item = Row> + 'a {
        self.rows_where(move |line| {
            line.as_bytes().get(first.len()) == Some(&b',')
                && line.as_bytes()[..first.len()].eq_ignore_ascii_case(first.as_bytes())
        })
    }

    fn row(&self, line: usize, text: &'static str) -> Row {
        let cells = split(text).unwrap_or_default();
        let named = self
            .header
            .iter()
            .zip(cells)
            .filter(|(_, cell)| !cell.is_empty())
            .map(|(column, cell)| (Cow::Borrowed(*column), cell));
        Row { file: Cow::Borrowed(self.file), line, cells: named.collect() }
    }
}

/// `eastus=1/3 westus=2` as pairs.
pub(crate) fn by_region(text: &str) -> Vec<(String, String)> {
    let pair = |word: &str| word.split_once('=').map(|(region, what)| (region.to_string(), what.to_string()));
    text.split_whitespace().filter_map(pair).collect()
}

/// The cells of a line of a file that does not outlive its reading.
pub(crate) fn split_owned(line: &str) -> Option<Vec<String>> {
    Some(split(line)?.into_iter().map(Cow::into_owned).collect())
}

/// The cells of a line; a cell may be quoted, with `""` for a quotation mark. `None` where a quote stays open.
pub(crate) fn split(line: &str) -> Option<Vec<Cow<'_, str>>> {
    let mut cells = Vec::new();
    let mut rest = line;
    loop {
        if let Some(quoted) = rest.strip_prefix('"') {
            let mut cell = String::new();
            let mut left = quoted;
            loop {
                let (before, after) = left.split_once('"')?;
                cell.push_str(before);
                match after.strip_prefix('"') {
                    Some(more) => {
                        cell.push('"');
                        left = more;
                    }
                    None => {
                        left = after;
                        break;
                    }
                }
            }
            cells.push(Cow::Owned(cell));
            match left.strip_prefix(',') {
                Some(more) => rest = more,
                None if left.is_empty() => return Some(cells),
                None => return None,
            }
        } else {
            match rest.split_once(',') {
                Some((cell, more)) => {
                    cells.push(Cow::Borrowed(cell));
                    rest = more;
                }
                None => {
                    cells.push(Cow::Borrowed(rest));
                    return Some(cells);
                }
            }
        }
    }
}

impl Row {
    pub(crate) fn new(file: &str, line: usize) -> Row {
        Row { file: Cow::Owned(file.to_string()), line, cells: Vec::new() }
    }

    pub(crate) fn push(&mut self, column: String, cell: String) {
        if !cell.is_empty() {
            self.cells.push((Cow::Owned(column), Cow::Owned(cell)));
        }
    }

    /// The row with its file as the source of what names none.
    pub(crate) fn with_source(mut self, columns: &[&str]) -> Row {
        for column in columns {
            if self.text(column).is_none() {
                let file = self.file.to_string();
                self.push(column.to_string(), file);
            }
        }
        self
    }

    pub(crate) fn cells(&self) -> impl Iterator<Item = (&str, &str)> {
        self.cells.iter().map(|(column, cell)| (column.as_ref(), cell.as_ref()))
    }

    /// Lays another row over this one: its cells win, the others stay.
    pub(crate) fn overlay(&mut self, other: &Row) {
        for (column, cell) in &other.cells {
            match self.cells.iter_mut().find(|(have, _)| have == column) {
                Some(slot) => slot.1 = cell.clone(),
                None => self.cells.push((column.clone(), cell.clone())),
            }
        }
        self.file = other.file.clone();
        self.line = other.line;
    }

    pub(crate) fn text(&self, column: &str) -> Option<&str> {
        self.cells
            .iter()
            .find(|(have, _)| have == column)
            .map(|(_, cell)| cell.as_ref())
            .filter(|cell| *cell != "-")
    }

    pub(crate) fn owned(&self, column: &str) -> Option<String> {
        self.text(column).map(str::to_string)
    }

    pub(crate) fn required(&self, column: &str) -> Result<String, CatalogError> {
        self.owned(column).ok_or_else(|| self.error(format!("`{column}` is missing")))
    }

    pub(crate) fn error(&self, why: impl Into<String>) -> CatalogError {
        CatalogError::File { file: self.file.to_string(), line: self.line, why: why.into() }
    }

    /// A whole number.
    pub(crate) fn count(&self, column: &str) -> Result<Option<u64>, CatalogError> {
        self.scaled(column, 0)
    }

    /// A decimal × 10^6: MB/s become bytes a second, milliseconds become nanoseconds, factors become ppm.
    pub(crate) fn micro(&self, column: &str) -> Result<Option<u64>, CatalogError> {
        self.scaled(column, 6)
    }

    /// A decimal × 10^`places`.
    pub(crate) fn scaled(&self, column: &str, places: u32) -> Result<Option<u64>, CatalogError> {
        let Some(text) = self.text(column) else { return Ok(None) };
        decimal(text, places).map(Some).ok_or_else(|| {
            let decimals = if places == 0 {
                "a whole number".into()
            } else {
                format!("a number of at most {places} decimals")
            };
            self.error(format!("`{column}` is `{text}`: {decimals} was expected, such as 200"))
        })
    }

    pub(crate) fn flag(&self, column: &str) -> Result<Option<bool>, CatalogError> {
        match self.text(column) {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(text) => Err(self.error(format!("`{column}` is `{text}`: true or false was expected"))),
        }
    }
}

/// A decimal × 10^`places`; `None` where it is no number, has more decimals or is too large.
pub(crate) fn decimal(text: &str, places: u32) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) || fraction.len() > places as usize {
        return None;
    }
    let scale = 10u64.checked_pow(places)?;
    let part = if fraction.is_empty() {
        0
    } else {
        fraction.parse::<u64>().ok()? * 10u64.checked_pow(places - fraction.len() as u32)?
    };
    whole.parse::<u64>().ok()?.checked_mul(scale)?.checked_add(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_exactly() {
        assert_eq!(decimal("1.02", 6), Some(1_020_000));
        assert_eq!(decimal("24.576", 6), Some(24_576_000));
        assert_eq!(decimal("5000.0", 0), Some(5_000));
        assert_eq!(decimal("0.000008", 9), Some(8_000));
        for bad in ["", ".5", "1.5.2", "-1", "1e3", "12x", "0.0000001"] {
            assert_eq!(decimal(bad, 6), None, "{bad}");
        }
    }

    #[test]
    fn quoted_cells_keep_their_commas() {
        let cells = split("a,\"b, \"\"c\"\"\",,d").unwrap();
        assert_eq!(cells, ["a", "b, \"c\"", "", "d"]);
        assert_eq!(split("\"open"), None);
        assert_eq!(split("\"a\"b"), None);
    }

    #[test]
    fn a_row_laid_over_another_can_take_a_figure_away() {
        let mut row = Row::new("below", 1);
        row.push("iops".into(), "500".into());
        row.push("mbps".into(), "60".into());
        let mut over = Row::new("above", 2);
        over.push("mbps".into(), "-".into());
        row.overlay(&over);
        assert_eq!((row.text("iops"), row.text("mbps")), (Some("500"), None));
    }
}

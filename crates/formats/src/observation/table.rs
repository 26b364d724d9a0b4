//! Tables as databases and spreadsheets print them: CSV, tab-separated, psql's and sqlcmd's aligned text.

use std::borrow::Cow;

use super::{Clock, lines};
use crate::error::{At, Trouble};

/// The most cells of a file: some hundred MiB of memory.
const CELLS: usize = 4 << 20;

/// A cell and its place.
#[derive(Clone, Debug)]
pub struct Cell<'a> {
    /// Its text as written.
    pub text: Cow<'a, str>,
    at: usize,
    len: usize,
}

/// A line of a table.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    source: usize,
    at: usize,
    /// Its cells.
    pub cells: Vec<Cell<'a>>,
}

impl Row<'_> {
    /// The text of a column, without white space around it; empty where there is none.
    pub fn text(&self, column: usize) -> &str {
        self.cells.get(column).map_or("", |cell| cell.text.trim())
    }

    /// The place of a column's cell.
    pub fn place(&self, column: usize) -> At {
        match self.cells.get(column) {
            Some(cell) => At { source: self.source, at: cell.at, len: cell.len.max(1) },
            None => self.line(),
        }
    }

    /// The place of the line.
    pub fn line(&self) -> At {
        At { source: self.source, at: self.at, len: 1 }
    }
}

/// Rows below one header.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    /// The header as it was written.
    pub header: Row<'a>,
    /// The names of the columns in lower case.
    pub names: Vec<String>,
    /// The lines below the header.
    pub rows: Vec<Row<'a>>,
    /// The last time that stood in a line before it.
    pub clock: Option<Clock>,
}

impl Table<'_> {
    /// The column of a name in lower case.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|own| own == name)
    }
}

/// Separators of the lines of a table.
#[derive(Clone, Debug)]
enum Split {
    At(char),
    /// Columns of a fixed width, each from and to a byte.
    Spans(Vec<(usize, usize)>),
}

/// The tables of a text whose header `is_header` knows by the names of its columns, in lower case. What stands around
/// them, as counts of rows and times do, is passed over.
pub fn tables<'a>(
    text: &'a str,
    source: usize,
    is_header: impl Fn(&[String]) -> bool,
    trouble: &mut Trouble,
) -> Vec<Table<'a>> {
    let mut tables: Vec<Table<'a>> = Vec::new();
    let (mut split, mut clock, mut cells) = (None::<(Split, &str)>, None, 0);
    let mut rest = lines(text).peekable();
    while let Some((at, line)) = rest.next() {
        if line.trim().is_empty() || is_rule(line) || is_count(line) {
            continue;
        }
        let repeated = split.clone().filter(|(_, header)| *header == line).map(|(split, _)| split);
        let next = rest.peek().map_or("", |(_, line)| line);
        let found = match repeated {
            Some(known) => Some(known),
            None if tables.is_empty() => header_of(line, next, &is_header),
            None => None,
        };
        if let Some(known) = found {
            let header = Row { source, at, cells: cut(line, at, &known) };
            let names = header.cells.iter().map(|cell| plain(&cell.text)).collect();
            tables.push(Table { header, names, rows: Vec::new(), clock: clock.take() });
            split = Some((known, line));
            continue;
        }
        let Some((known, table)) = split.as_ref().map(|(known, _)| known).zip(tables.last_mut()) else {
            clock = Clock::read(line).or(clock);
            continue;
        };
        let is_prose = match known {
            Split::At(mark) => !line.contains(*mark) && table.names.len() > 1,
            Split::Spans(_) => false,
        };
        if is_prose {
            clock = Clock::read(line).or(clock);
            continue;
        }
        let row = Row { source, at, cells: cut(line, at, known) };
        // typeperf's "Exiting, please wait..." below cells that are all in quotes is no row.
        let is_quoted = |line: &str| line.trim_start_matches([' ', '\u{feff}']).starts_with('"');
        let is_alien = split.as_ref().is_some_and(|(_, header)| is_quoted(header) && !is_quoted(line));
        if row.cells.len() != table.names.len() && is_alien {
            continue;
        }
        if row.cells.len() != table.names.len() {
            trouble.add(
                row.line(),
                format!("the line has {} fields, and the header {}", row.cells.len(), table.names.len()),
                "give the unchanged table; a decimal comma in CSV needs quotes around the figure",
            );
            if trouble.is_full() {
                return tables;
            }
            continue;
        }
        cells += row.cells.len();
        if cells > CELLS {
            let help = "cut the file to the time to explain";
            trouble.add(row.line(), format!("the file has more than {CELLS} cells"), help);
            return tables;
        }
        table.rows.push(row);
    }
    tables
}

/// A name of a column as it is compared.
fn plain(name: &str) -> String {
    name.trim().trim_start_matches('\u{feff}').to_lowercase()
}

/// Separator of the lines, if this is a header: the one that makes most columns of it.
fn header_of(line: &str, next: &str, is_header: &impl Fn(&[String]) -> bool) -> Option<Split> {
    let marks = ['\t', ',', ';', '|'].map(Split::At);
    let mut best: Option<(usize, Split)> = None;
    for split in marks.into_iter().chain(spans_of(next).map(Split::Spans)) {
        let names: Vec<String> = cut(line, 0, &split).iter().map(|cell| plain(&cell.text)).collect();
        if is_header(&names) && best.as_ref().is_none_or(|(most, _)| names.len() > *most) {
            best = Some((names.len(), split));
        }
    }
    best.map(|(_, split)| split)
}

/// The columns above a line of dashes, as sqlcmd draws one.
fn spans_of(line: &str) -> Option<Vec<(usize, usize)>> {
    if !line.contains('-') || !line.bytes().all(|byte| matches!(byte, b'-' | b' ')) {
        return None;
    }
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for (at, byte) in line.bytes().enumerate() {
        match spans.last_mut() {
            Some((_, to)) if byte == b'-' && *to == at => *to = at + 1,
            _ if byte == b'-' => spans.push((at, at + 1)),
            _ => {}
        }
    }
    Some(spans)
}

/// A line that is drawn below a header or around a table.
fn is_rule(line: &str) -> bool {
    line.contains('-') && line.bytes().all(|byte| matches!(byte, b'-' | b'+' | b'|' | b' '))
}

/// `(12 rows)`, `(12 rows affected)`.
fn is_count(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('(')
        && (line.ends_with("rows)") || line.ends_with("row)") || line.ends_with("affected)"))
}

/// The cells of a line.
fn cut<'a>(line: &'a str, at: usize, split: &Split) -> Vec<Cell<'a>> {
    match split {
        Split::At(mark) => delimited(line, at, *mark),
        Split::Spans(spans) => {
            let mut cells = Vec::with_capacity(spans.len());
            for (index, (from, to)) in spans.iter().enumerate() {
                // The last one goes on to the end: sqlcmd cuts nothing there.
                let to = if index + 1 == spans.len() { line.len() } else { *to };
                let (from, to) = (boundary(line, *from), boundary(line, to));
                let text = line.get(from..to).unwrap_or_default();
                cells.push(Cell { text: text.into(), at: at + from, len: text.len() });
            }
            cells
        }
    }
}

fn boundary(line: &str, at: usize) -> usize {
    let mut at = at.min(line.len());
    while !line.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Cells between marks; a cell in quotes may hold the mark, and a quote written twice.
fn delimited(line: &str, at: usize, mark: char) -> Vec<Cell<'_>> {
    let mut cells = Vec::new();
    let mut from = 0;
    loop {
        let rest = &line[from..];
        let lead = rest.len() - rest.trim_start_matches([' ', '\u{feff}']).len();
        let body = &rest[lead..];
        let (text, used) = match body.strip_prefix('"').and_then(quoted) {
            Some((text, len)) => {
                let after = lead + 1 + len;
                let end = rest[after..].find(mark).map_or(rest.len(), |end| after + end);
                (text, end)
            }
            None => {
                let end = rest.find(mark).unwrap_or(rest.len());
                (Cow::from(&rest[..end]), end)
            }
        };
        cells.push(Cell { text, at: at + from, len: used });
        from += used;
        match line[from..].chars().next() {
            Some(next) => from += next.len_utf8(),
            None => return cells,
        }
    }
}

/// Text before the closing quote, and the length of both in bytes.
fn quoted(body: &str) -> Option<(Cow<'_, str>, usize)> {
    let mut from = 0;
    loop {
        let close = from + body[from..].find('"')?;
        match body[close + 1..].starts_with('"') {
            true => from = close + 2,
            false => {
                let text = &body[..close];
                let text = if text.contains('"') { text.replace("\"\"", "\"").into() } else { text.into() };
                return Some((text, close + 1));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tool;

    fn cells(text: &str) -> (Vec<Vec<String>>, usize) {
        let mut trouble = Trouble::new(Tool::Fio);
        trouble.source(None, text);
        let found = tables(text, 0, |names| names.contains(&"reads".to_string()), &mut trouble);
        let rows = found.iter().flat_map(|table| &table.rows);
        let texts = rows.map(|row| (0..row.cells.len()).map(|n| row.text(n).to_string()).collect());
        (texts.collect(), trouble.count())
    }

    #[test]
    fn a_table_is_read_however_it_is_printed() {
        let expected = vec![vec!["client, \"a\"".to_string(), "7".to_string()], vec!["b".into(), "8".into()]];
        for text in [
            "who,reads\n\"client, \"\"a\"\"\",7\nb,8\n",
            "\u{feff}\"who\";\"reads\"\r\n\"client, \"\"a\"\"\";7\r\nb;8\r\n",
            "who\treads\nclient, \"a\"\t7\nb\t8\n",
            "     who     | reads \n-------------+-------\n client, \"a\" |     7\n b           |     8\n(2 rows)\n",
            "who          reads      \n------------ -----------\nclient, \"a\"            7\nb                      8\n\n(2 rows affected)\n",
        ] {
            assert_eq!(cells(text), (expected.clone(), 0), "{text}");
        }
    }

    #[test]
    fn a_header_that_is_repeated_begins_another_table_and_a_short_line_is_told() {
        let text = "Mon 22:16:45\nwho,reads\na,1\nMon 22:16:55\nwho,reads\na,2\nb\nc,3,4\n";
        let mut trouble = Trouble::new(Tool::Fio);
        trouble.source(None, text);
        let found = tables(text, 0, |names| names.contains(&"reads".to_string()), &mut trouble);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].clock.unwrap().until(found[1].clock.unwrap()), Some(10.0));
        assert_eq!(trouble.count(), 1);
    }

    #[test]
    fn columns_of_a_fixed_width_end_at_whole_characters() {
        let text = "whö reads\n--- -----\néé 7\n";
        assert_eq!(cells(text).1, 0);
    }
}

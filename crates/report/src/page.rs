//! A page of text: labelled lines that fit a width.

/// Layout of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// The most characters of a line; `None`: as many as it takes.
    pub width: Option<usize>,
    /// True if what matters most is set bold, for terminals.
    pub color: bool,
    /// True if only ASCII is printed: `us` for `µs`, bars of other signs.
    pub ascii: bool,
}

impl Style {
    /// The text as this style has it: each character that it can't show is replaced by one that it can, so that
    /// no line gets longer.
    pub(crate) fn shown(self, text: &str) -> String {
        if self.ascii { ascii(text) } else { text.into() }
    }
}

/// The text in ASCII, as many characters: `us` for `µs`, bars of other signs, `?` for what has no likeness.
pub fn ascii(text: &str) -> String {
    if text.is_ascii() { text.into() } else { text.chars().map(to_ascii).collect() }
}

/// The nearest ASCII character; `?` without one.
fn to_ascii(c: char) -> char {
    match c {
        'µ' | 'μ' => 'u',
        '×' => 'x',
        '÷' => '/',
        '·' => ';',
        // A text that was cut: one sign stands for the rest.
        '±' | '…' => '~',
        '≤' | '←' => '<',
        '≥' | '→' => '>',
        '\u{a0}' | '\u{202f}' => ' ',
        '–' | '—' | '−' => '-',
        '‘' | '’' => '\'',
        '“' | '”' => '"',
        // The levels of a sparkline: the more ink, the higher.
        '▁' => '_',
        '▂' => '.',
        '▃' => '-',
        '▄' => '=',
        '▅' => '+',
        '▆' => '*',
        '▇' => '%',
        '█' => '#',
        c if c.is_ascii() => c,
        _ => '?',
    }
}

/// Text in the making.
#[derive(Clone, Debug)]
pub struct Page {
    style: Style,
    text: String,
}

/// Column at which text begins, right of its label.
const INDENT: usize = 12;

impl Page {
    /// An empty page.
    pub fn new(style: Style) -> Page {
        Page { style, text: String::new() }
    }

    /// The most characters of a line.
    pub fn width(&self) -> usize {
        self.style.width.unwrap_or(usize::MAX)
    }

    /// True if lines are as long as they like.
    pub fn is_wide(&self) -> bool {
        self.style.width.is_none()
    }

    /// An empty line, unless the page is empty or has one there.
    pub fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// A line without wrapping, for tables that fit already.
    pub fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    /// A line about columns that had no room, if there are any.
    pub fn left_out(&mut self, columns: usize) {
        if columns > 0 {
            self.paragraph(&format!("columns left out: {columns} (--wide has all)"));
        }
    }

    /// Text from the left margin, wrapped between words.
    pub fn paragraph(&mut self, text: &str) {
        for line in wrap(text, self.width()) {
            self.line(&line);
        }
    }

    /// A label and what it says, wrapped between words below itself.
    pub fn labelled(&mut self, label: &str, text: &str) {
        let lines = wrap(text, self.beside(label));
        self.lines(label, lines, false);
    }

    /// As [`Page::labelled`], in bold where the style has it.
    pub fn stressed(&mut self, label: &str, text: &str) {
        let lines = wrap(text, self.beside(label));
        self.lines(label, lines, self.style.color);
    }

    /// A label and figures, three spaces apart; those that do not fit go to the next line, whole.
    pub fn figures(&mut self, label: &str, figures: &[String]) {
        let mut lines: Vec<String> = Vec::new();
        for figure in figures.iter().filter(|figure| !figure.is_empty()) {
            match lines.last_mut() {
                Some(line) if line.chars().count() + 3 + figure.chars().count() <= self.beside(label) => {
                    line.push_str("   ");
                    line.push_str(figure);
                }
                _ => lines.extend(wrap(figure, self.beside(label))),
            }
        }
        self.lines(label, lines, false);
    }

    /// A list below a label, each item wrapped by itself.
    pub fn list(&mut self, label: &str, items: &[String]) {
        let room = self.beside(label);
        self.lines(label, items.iter().flat_map(|item| wrap(item, room)).collect(), false);
    }

    /// The page's text.
    pub fn text(self) -> String {
        self.style.shown(&self.text)
    }

    /// Number of characters right of a label.
    pub(crate) fn room(&self) -> usize {
        self.beside("")
    }

    fn beside(&self, label: &str) -> usize {
        self.width().saturating_sub(column(label)).max(1)
    }

    fn lines(&mut self, label: &str, lines: Vec<String>, bold: bool) {
        for (index, line) in lines.iter().enumerate() {
            let name = if index == 0 { label } else { "" };
            let text = format!("  {name:<width$}{line}", width = column(label) - 2);
            if bold {
                self.text.push_str(&format!("\x1b[1m{}\x1b[0m\n", text.trim_end()));
            } else {
                self.line(&text);
            }
        }
    }
}

/// Width of the column of a label, with the space after it.
fn column(label: &str) -> usize {
    INDENT.max(label.chars().count() + 3)
}

/// The text in lines of at most `width` characters, broken between words; a longer word is broken itself.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let (mut line, mut length) = (String::new(), 0);
    for word in text.split(' ') {
        let mut word = word;
        let mut chars = word.chars().count();
        if length > 0 && length + 1 + chars > width {
            lines.push(std::mem::take(&mut line));
            length = 0;
        }
        while chars > width {
            let end = word.char_indices().nth(width).map_or(word.len(), |(at, _)| at);
            lines.push(word[..end].to_string());
            word = &word[end..];
            chars -= width;
        }
        if length > 0 {
            line.push(' ');
            length += 1;
        }
        line.push_str(word);
        length += chars;
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_longer_than_the_page_is_wide() {
        let long = "a word and anotherwordthatislongerthantheroomthereisforit and 10,666-21,326";
        for width in [20, 30, 60, 100] {
            let mut page = Page::new(Style { width: Some(width), color: false, ascii: false });
            page.paragraph(long);
            page.labelled("notes", long);
            page.labelled("not reached", long);
            page.figures("expected", &[long.into(), "15,236 IOPS".into(), "62.4 MB/s".into()]);
            let text = page.text();
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
            let words = |text: &str| text.split_whitespace().collect::<String>();
            assert!(words(&text).contains(&words(long)), "{text}");
        }
    }

    #[test]
    fn a_space_follows_a_label_as_wide_as_its_column() {
        let mut page = Page::new(Style { width: None, color: false, ascii: false });
        page.labelled("not reached", "a burst");
        assert_eq!(page.text(), "  not reached a burst\n");
    }

    #[test]
    fn figures_stay_on_a_line_as_long_as_they_fit() {
        let mut page = Page::new(Style { width: Some(60), color: false, ascii: false });
        let figures = ["15,236 IOPS", "62.4 MB/s", "mean 2.1 ms", "band 10,666-21,326"];
        page.figures("expected", &figures.map(String::from));
        assert_eq!(
            page.text(),
            "  expected  15,236 IOPS   62.4 MB/s   mean 2.1 ms\n            band 10,666-21,326\n"
        );
    }

    #[test]
    fn a_plain_page_is_ascii_and_as_wide() {
        let page = |ascii| {
            let mut page = Page::new(Style { width: Some(60), color: false, ascii });
            page.labelled("seconds", "42,000 ▁▂▃▄▅▆▇█ 51,000 · p50 88 µs · 1 – 2 × 日本");
            page.text()
        };
        assert_eq!(page(true), "  seconds   42,000 _.-=+*%# 51,000 ; p50 88 us ; 1 - 2 x ??\n".to_string());
        assert_eq!(page(true).chars().count(), page(false).chars().count());
    }

    #[test]
    fn only_a_style_with_color_has_escapes() {
        for color in [true, false] {
            let mut page = Page::new(Style { width: None, color, ascii: false });
            page.stressed("BOUND BY", "queue depth");
            assert_eq!(page.text().contains('\x1b'), color);
        }
    }
}

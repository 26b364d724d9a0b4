//! The words of a line of an inventory, as Python's shlex takes them apart: quotes, backslashes, and a comment behind a
//! `#` that begins a word.

/// A word, and where it stands in its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HostWord {
    /// The word without its quotes.
    pub(super) text: String,
    /// Start in bytes.
    pub(super) at: usize,
    /// Number of bytes that it takes with its quotes.
    pub(super) len: usize,
}

/// The words of a line.
///
/// # Errors
/// Returns the place of a quotation mark that is not closed.
pub(super) fn split(line: &str) -> Result<Vec<HostWord>, usize> {
    let mut words = Vec::new();
    let mut open: Option<HostWord> = None;
    let mut quote: Option<(char, usize)> = None;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let word = |open: &mut Option<HostWord>, c: Option<char>| {
            let word = open.get_or_insert_with(|| HostWord { text: String::new(), at, len: 0 });
            word.text.extend(c);
        };
        match (quote, c) {
            (Some((mark, _)), c) if c == mark => quote = None,
            (Some(('"', _)), '\\') if chars.peek().is_some_and(|(_, next)| matches!(next, '"' | '\\')) => {
                word(&mut open, chars.next().map(|(_, next)| next));
            }
            (Some(_), c) => word(&mut open, Some(c)),
            (None, '\'' | '"') => {
                quote = Some((c, at));
                word(&mut open, None);
            }
            (None, '\\') => word(&mut open, chars.next().map(|(_, next)| next)),
            (None, '#') if open.is_none() => break,
            (None, c) if c.is_whitespace() => {
                words.extend(open.take().map(|word| HostWord { len: at - word.at, ..word }));
            }
            (None, c) => word(&mut open, Some(c)),
        }
    }
    if let Some((_, at)) = quote {
        return Err(at);
    }
    words.extend(open.map(|word| HostWord { len: line.len() - word.at, ..word }));
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Vec<String> {
        split(line).unwrap().into_iter().map(|word| word.text).collect()
    }

    // The expected words are those of Python's shlex.split(line, comments=True).
    #[test]
    fn a_line_is_taken_apart_as_a_shell_does() {
        assert_eq!(texts(r#"db1 a=1 b="x y" c='#z' # said"#), ["db1", "a=1", "b=x y", "c=#z"]);
        assert_eq!(texts(r#"a\ b "c\"d" e#f"#), ["a b", "c\"d", "e#f"]);
        assert_eq!(texts("  # nothing"), Vec::<String>::new());
        assert_eq!(split("a 'b"), Err(2));
        assert_eq!(split("é b=ü").unwrap()[1], HostWord { text: "b=ü".into(), at: 3, len: 4 });
    }
}

//! Comma-separated values: RFC 4180 with a plain newline.

/// A line of cells, quoted where they need it.
pub(crate) fn line<C: AsRef<str>>(cells: impl IntoIterator<Item = C>) -> String {
    let mut text = String::new();
    for (index, cell) in cells.into_iter().enumerate() {
        let cell = cell.as_ref();
        if index > 0 {
            text.push(',');
        }
        if cell.contains(['"', ',', '\n', '\r']) {
            text.push_str(&format!("\"{}\"", cell.replace('"', "\"\"")));
        } else {
            text.push_str(cell);
        }
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_with_a_comma_or_a_quotation_mark_is_quoted() {
        assert_eq!(line(["a", "1,5", "5\" disk"]), "a,\"1,5\",\"5\"\" disk\"\n");
    }
}

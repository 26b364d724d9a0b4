//! Comma-separated values: RFC 4180 with a plain newline.

use serde_json::Value;

/// A value of a document as a cell; `null` is an empty one.
pub(crate) fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

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

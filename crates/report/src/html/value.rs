//! Reading of documents: a missing key is unknown, like `null`.

use serde_json::Value;

/// Value at a path of keys: `latency_us.mean`.
pub(super) fn at<'a>(value: &'a Value, path: &str) -> &'a Value {
    const NULL: &Value = &Value::Null;
    path.split('.').fold(value, |value, key| value.get(key).unwrap_or(NULL))
}

/// Beyond this nothing is a figure of a disk, and sums of some of them would be beyond all numbers.
const MOST: f64 = 1e30;

/// A figure.
pub(super) fn number(value: &Value, path: &str) -> Option<f64> {
    at(value, path).as_f64().filter(|figure| figure.abs() < MOST)
}

/// A text; empty if it is not a text.
pub(super) fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    at(value, path).as_str().unwrap_or_default()
}

/// A list; empty if it is not a list.
pub(super) fn list<'a>(value: &'a Value, path: &str) -> &'a [Value] {
    at(value, path).as_array().map_or(&[], Vec::as_slice)
}

/// A list of texts, in a line.
pub(super) fn words(value: &Value, path: &str) -> String {
    let words: Vec<&str> = list(value, path).iter().filter_map(Value::as_str).collect();
    words.join(", ")
}

/// A time stamp to the second: `2026-11-25 20:56:31 UTC` of `2026-11-25T20:56:31.389855735Z`.
pub(super) fn moment(stamp: &str) -> String {
    match stamp.strip_suffix('Z').and_then(|stamp| stamp.split_once('T')) {
        Some((day, time)) => format!("{day} {} UTC", time.split('.').next().unwrap_or(time)),
        None => stamp.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_stamps_are_shown_to_the_second() {
        assert_eq!(moment("2026-11-25T20:56:31.389855735Z"), "2026-11-25 20:56:31 UTC");
        assert_eq!(moment("2026-11-25T20:56:31Z"), "2026-11-25 20:56:31 UTC");
        assert_eq!(moment("yesterday"), "yesterday");
    }

    #[test]
    fn what_is_not_there_is_unknown() {
        let value = serde_json::json!({ "a": { "b": 1.5 }, "c": null, "d": ["x", "y"] });
        assert_eq!(number(&value, "a.b"), Some(1.5));
        assert_eq!((number(&value, "c"), number(&value, "a.b.c"), text(&value, "z")), (None, None, ""));
        assert_eq!(number(&serde_json::json!({ "a": 1e300 }), "a"), None);
        assert_eq!(words(&value, "d"), "x, y");
    }
}

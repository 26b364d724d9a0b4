//! A question's line as the fields that another program gives.

use iobound_app::options::Field;

/// The verb and the fields of words such as `predict`, `--vm=DS14`, `--find-knee`.
pub(crate) fn fields_of<'a>(words: &[&'a str]) -> (Vec<&'a str>, Vec<Field>) {
    let length = match words {
        ["catalog" | "results", second, ..] if !second.starts_with('-') => 2,
        _ => 1,
    };
    let (verb, rest) = words.split_at(length);
    let positional = match verb {
        ["compare"] => "sides",
        ["result"] => "result",
        ["catalog", "show"] => "name",
        ["catalog", "import"] => "files",
        _ => "run",
    };
    let field =
        |name: &str, value: Option<&str>| Field { name: name.into(), value: value.map(str::to_string) };
    let fields = rest.iter().map(|word| match word.strip_prefix("--") {
        None => field(positional, Some(word)),
        Some(flag) => match flag.split_once('=') {
            Some((name, value)) => field(name, Some(value)),
            None => field(flag, None),
        },
    });
    (verb.to_vec(), fields.collect())
}

//! Parts that the tables of foreign command lines share.

use iobound_formats::{Foreign, FormatError};

/// Subject of each note, in order.
pub(crate) fn about(foreign: &Foreign) -> Vec<&str> {
    foreign.notes.iter().map(|note| note.about.as_str()).collect()
}

/// True if a note about this says that.
pub(crate) fn says(foreign: &Foreign, about: &str, words: &str) -> bool {
    foreign.notes.iter().any(|note| note.about.contains(about) && note.says.contains(words))
}

/// Asserts that each text is refused with an answer that holds all its words and points at `under`.
pub(crate) fn assert_refused(
    read: impl Fn(&str) -> Result<Foreign, FormatError>,
    table: &[(&str, &str, &[&str])],
) {
    let mut wrong = Vec::new();
    for (text, under, words) in table {
        let error = match read(text) {
            Ok(foreign) => {
                wrong.push(format!("`{text}` was taken: {:?}", foreign.workload.jobs));
                continue;
            }
            Err(error) => error,
        };
        let said = error.to_string();
        let missing: Vec<_> = words.iter().filter(|word| !said.contains(**word)).collect();
        let place = &error.problems[0].place;
        let (caret, width) = (place.caret as usize, place.width as usize);
        let pointed: String = place.text.chars().skip(caret).take(width).collect();
        if !missing.is_empty() || !pointed.starts_with(under) {
            wrong.push(format!("`{text}` wants {missing:?} and a caret at `{under}`:\n{said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

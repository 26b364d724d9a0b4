//! What the tables of foreign command lines share.

use iobound_formats::{Foreign, FormatError};

/// What each note is about, in order.
pub(crate) fn about(foreign: &Foreign) -> Vec<&str> {
    foreign.notes.iter().map(|note| note.about.as_str()).collect()
}

/// Whether a note about this says that.
pub(crate) fn says(foreign: &Foreign, about: &str, words: &str) -> bool {
    foreign.notes.iter().any(|note| note.about.contains(about) && note.says.contains(words))
}

/// The error's text, which must hold all the words and point at `under`.
pub(crate) fn assert_refused(result: Result<Foreign, FormatError>, text: &str, under: &str, words: &[&str]) {
    let error = match result {
        Ok(foreign) => panic!("`{text}` was taken: {foreign:#?}"),
        Err(error) => error,
    };
    let said = error.to_string();
    for word in words {
        assert!(said.contains(word), "`{word}` is missing from the answer to `{text}`:\n{said}");
    }
    let place = &error.problems[0].place;
    let pointed: String = place.text.chars().skip(place.caret as usize).take(place.width as usize).collect();
    assert!(pointed.starts_with(under), "`{text}` is pointed at `{pointed}`, not at `{under}`:\n{said}");
}

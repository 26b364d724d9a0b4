//! Words of a command line that a person pastes into a shell.

use std::path::Path;

use shlex::Quoter;

/// One word in the form that a POSIX shell reads as this word alone.
///
/// A word of letters, digits and `-_./:,=@%+` stays as it is. Any other word is quoted, in single quotes wherever that is
/// possible, so that a shell expands nothing in it.
pub fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_string();
    }
    let quoted = Quoter::new().allow_nul(true).quote(word);
    quoted.expect("zero bytes are the one thing that a quoter refuses, and they are allowed").into_owned()
}

/// A path of this machine in the form that its shells read as this path alone.
pub fn shell_path(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { windows_word(&text) } else { shell_word(&text) }
}

/// One word in the form that `cmd` and PowerShell read as this word alone: in double quotes, which both have, unless it is
/// plain. No path of Windows has a double quote in it.
fn windows_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || r"-_./:\=+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_string();
    }
    format!("\"{word}\"")
}

/// The words of a line that a person wrote as one argument, taken apart as shells of this machine do it; `None` where a
/// quote is not closed.
pub fn split_here(line: &str) -> Option<Vec<String>> {
    if cfg!(windows) { windows_split(line) } else { shell_split(line) }
}

/// The words of a line of Windows: blanks separate them, except in double quotes, and a backslash is a character like others.
fn windows_split(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), None::<String>, false);
    for c in line.chars() {
        match c {
            '"' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            c if c.is_whitespace() && !is_quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    (!is_quoted).then_some(words)
}

/// Words as one line for a POSIX shell, the program first.
pub fn shell_line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words = words.into_iter().enumerate().map(|(n, word)| match n {
        // A shell reads a first word with an equals sign as an assignment, unless it is quoted.
        0 if word.contains('=') && !word.contains('\'') => format!("'{word}'"),
        _ => shell_word(word),
    });
    words.collect::<Vec<String>>().join(" ")
}

/// The words of a line, taken apart as a POSIX shell does it; `None` where a quote is not closed.
fn shell_split(line: &str) -> Option<Vec<String>> {
    shlex::split(line)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_words_stay_and_others_are_quoted_so_that_nothing_is_expanded() {
        assert_eq!(shell_line(["run", "/mnt/data", "--read", "70%"]), "run /mnt/data --read 70%");
        assert_eq!(shell_line(["a", "", "b c", "$(id)", "`id`", "{x}"]), "a '' 'b c' '$(id)' '`id`' '{x}'");
        assert_eq!(shell_line(["a=b", "c=d"]), "'a=b' c=d");
        assert_eq!(shell_split("a 'b c' ''"), Some(vec!["a".into(), "b c".into(), String::new()]));
        assert_eq!(shell_split("a 'b"), None);
    }

    #[test]
    fn words_of_windows_keep_their_backslashes() {
        for (line, words) in [
            (r"F:\ --depth 16", vec![r"F:\", "--depth", "16"]),
            (r#""C:\Program Files\ssh.exe" -4 """#, vec![r"C:\Program Files\ssh.exe", "-4", ""]),
            (r"  'a' b ", vec!["'a'", "b"]),
            ("", vec![]),
        ] {
            assert_eq!(windows_split(line), Some(words.into_iter().map(String::from).collect()), "{line}");
        }
        assert_eq!(windows_split("a \"b"), None);
        for (word, shown) in [
            (r"\\.\PhysicalDrive2", r"\\.\PhysicalDrive2"),
            ("#2", "\"#2\""),
            (r"e:\my data", "\"e:\\my data\""),
            ("", "\"\""),
        ] {
            assert_eq!(windows_word(word), shown);
            assert_eq!(windows_split(&windows_word(word)), Some(vec![word.to_string()]));
        }
    }

    proptest! {
        #[test]
        fn any_words_come_back_from_their_line(words in prop::collection::vec("[^\0]{0,12}", 0..6)) {
            prop_assert_eq!(shell_split(&shell_line(words.iter().map(String::as_str))), Some(words));
        }
    }
}

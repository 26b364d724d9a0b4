//! Words as a shell is given them.

/// A word that any POSIX shell reads as this one word, and shows as it is where it needs no quotes.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | ',' | '=' | '@' | '%' | '+')
    };
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Words as one line for a shell, the program first.
pub(crate) fn line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words = words.into_iter().enumerate().map(|(n, word)| match n {
        // A first word with an equals sign would be an assignment; in quotes it is none.
        0 if word.contains('=') => format!("'{}'", word.replace('\'', r"'\''")),
        _ => quoted(word),
    });
    words.collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    fn through_sh(words: &[String]) -> Vec<String> {
        let typed = line(words.iter().map(String::as_str));
        // What sh makes of the words, each ended by a byte that no word has.
        let asked = format!("printf '%s\\0' {typed}");
        let output = Command::new("sh").args(["-c", &asked]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.split_terminator('\0').map(String::from).collect()
    }

    #[test]
    fn plain_words_are_shown_as_they_are() {
        assert_eq!(line(["run", "/mnt/data", "--read", "70%"]), "run /mnt/data --read 70%");
        assert_eq!(
            line(["run", "--duration=30s", "a'b", "", "{rank}"]),
            r"run --duration=30s 'a'\''b' '' '{rank}'"
        );
    }

    #[test]
    fn a_program_is_no_assignment() {
        assert_eq!(line(["a=b", "c=d"]), "'a=b' c=d");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
        #[test]
        fn any_word_goes_through_a_shell_as_it_is(
            words in prop::collection::vec("[^\0]{0,12}|[ -~\n\t]{0,12}|[$`\"'\\\\!*?~#&;|<>(){}=]{0,6}", 1..6),
        ) {
            prop_assert_eq!(through_sh(&words), words);
        }
    }
}

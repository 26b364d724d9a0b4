//! Text that cannot steer a terminal.
//!
//! File names, foreign files, metadata and other ranks' messages may have control bytes in them. A terminal would obey an
//! escape sequence among them: hide text, write the clipboard, answer in the person's name.

use std::borrow::Cow;

/// Start and end of a bold line in a page of this program.
const BOLD: [&str; 2] = ["\x1b[1m", "\x1b[0m"];

/// The text with every control character, and every character that changes the direction of writing, shown as `\u001b`,
/// which JSON reads as the character itself. Tabs and ends of lines stay unchanged. On a screen, a line that is bold as
/// a whole stays bold.
pub(crate) fn visible(text: &str, is_screen: bool) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        let (line, end) = match line.strip_suffix("\r\n") {
            Some(line) => (line, "\r\n"),
            None => line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n")),
        };
        let [begin, over] = BOLD;
        let bold = line.strip_prefix(begin).and_then(|line| line.strip_suffix(over)).filter(|_| is_screen);
        match bold {
            Some(line) => {
                shown.push_str(begin);
                escape(line, &mut shown);
                shown.push_str(over);
            }
            None => escape(line, &mut shown),
        }
        shown.push_str(end);
    }
    Cow::Owned(shown)
}

fn is_hidden(c: char) -> bool {
    let turns_the_writing =
        matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns_the_writing || (c.is_control() && c != '\n' && c != '\t')
}

fn escape(line: &str, shown: &mut String) {
    for c in line.chars() {
        if is_hidden(c) {
            shown.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            shown.push(c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_control_character_is_left_and_json_reads_the_same() {
        let text = "a\u{1b}]0;title\u{7}\u{9b}31m\u{7f}\r\tb\nc\r\n";
        assert_eq!(visible("a\u{202e}b", true), "a\\u202eb");
        let shown = visible(text, true);
        assert_eq!(shown, "a\\u001b]0;title\\u0007\\u009b31m\\u007f\\u000d\tb\nc\r\n");
        let json = serde_json::json!({ "name": "\u{1b}[31m\u{9b}\u{7f}" });
        let read: serde_json::Value = serde_json::from_str(&visible(&json.to_string(), false)).unwrap();
        assert_eq!(read, json);
        assert!(matches!(visible("plain\ttext\n", false), Cow::Borrowed(_)));
    }

    #[test]
    fn a_bold_line_of_the_program_stays_on_a_screen_alone() {
        let bold = "\u{1b}[1mtitle\u{1b}[0m\n";
        assert_eq!(visible(bold, true), bold);
        assert_eq!(visible(bold, false), "\\u001b[1mtitle\\u001b[0m\n");
        // Colours, concealed text and a cleared screen are not the program's, nor is what is inside a line.
        assert_eq!(visible("\u{1b}[8m\u{1b}[2J", true), "\\u001b[8m\\u001b[2J");
        assert_eq!(visible("disk \u{1b}[1mred\u{1b}[0m", true), "disk \\u001b[1mred\\u001b[0m");
        assert_eq!(
            visible("\u{1b}[1m\u{1b}[31mred\u{1b}[0m\u{1b}[0m", true),
            "\u{1b}[1m\\u001b[31mred\\u001b[0m\u{1b}[0m"
        );
    }
}

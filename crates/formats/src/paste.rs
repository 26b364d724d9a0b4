//! Cleaning of a pasted command line: from a web page, a document, a terminal with its prompt.
//!
//! Mended, each with a note: typographic dashes, curly quotes, non-breaking and zero-width spaces, a leading
//! prompt, `sudo`, redirections and pipes. Taken as shells do: quotes, and `\`, `^` and a backtick at the end
//! of a line. A backslash before anything but a space or a quote is itself, since Windows paths outnumber
//! escaped letters.

use iobound_workload::Note;

use crate::error::{At, Trouble};
use crate::notes::Notes;

/// One word of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// The word, without quotes, with plain dashes.
    pub text: String,
    /// Start in the pasted text, in bytes.
    pub at: usize,
    /// Length of that text in bytes.
    pub len: usize,
}

/// A pasted command line: its words and what was repaired.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pasted {
    /// The words after the program's name.
    pub words: Vec<Word>,
    /// Changes made to read it.
    pub notes: Vec<Note>,
}

/// A character as it is read, and where it stands in the text.
#[derive(Clone, Copy)]
struct Letter {
    c: char,
    at: usize,
    len: usize,
}

/// Shell whose rules a backslash follows.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    /// It joins lines, and escapes a space or a quote.
    Posix,
    /// It belongs to paths: it joins lines only where it stands alone.
    Windows,
}

/// The words of a pasted command line after the name of `program`, its prompt and `sudo`.
pub(crate) fn words(text: &str, source: usize, program: &str, trouble: &mut Trouble) -> Pasted {
    let mut notes = Notes::default();
    let letters = mend_letters(text, &mut notes);
    let letters = without_prompt(&letters, &mut notes);
    let style = if program == "diskspd" { Style::Windows } else { Style::Posix };
    let words = split(letters, style, source, trouble);
    let words = without_shell(words, source, &mut notes, trouble);
    let words = without_program(words, program, &mut notes);
    Pasted { words, notes: notes.into_vec() }
}

/// Typography back to what a keyboard types.
fn mend_letters(text: &str, notes: &mut Notes) -> Vec<Letter> {
    let mut letters = Vec::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let plain = match c {
            '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => {
                notes.add(c.to_string(), "a typographic dash: read as `-`");
                '-'
            }
            '\u{201c}'..='\u{201f}' | '\u{ab}' | '\u{bb}' => {
                notes.add(c.to_string(), "a typographic quote: read as `\"`");
                '"'
            }
            '\u{2018}'..='\u{201b}' => {
                notes.add(c.to_string(), "a typographic quote: read as `'`");
                '\''
            }
            '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
                notes.add(format!("U+{:04X}", u32::from(c)), "a special space: read as a space");
                ' '
            }
            '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}' => {
                notes.add(format!("U+{:04X}", u32::from(c)), "an invisible character: left out");
                continue;
            }
            _ => c,
        };
        letters.push(Letter { c: plain, at, len: c.len_utf8() });
    }
    letters
}

/// The text that follows a shell's prompt: `$ `, `# `, `> `, `% `, `C:\x>`, `PS C:\x> `, `user@host:~$ `.
fn without_prompt<'a>(letters: &'a [Letter], notes: &mut Notes) -> &'a [Letter] {
    let start = letters.iter().position(|l| !l.c.is_whitespace()).unwrap_or(letters.len());
    let letters = &letters[start..];
    let line: String = letters.iter().map(|l| l.c).take_while(|c| *c != '\n').take(200).collect();
    let length = prompt_length(&line);
    if length > 0 {
        let prompt: String = line.chars().take(length).collect();
        notes.add(prompt.trim(), "a prompt: left out");
    }
    &letters[length..]
}

/// Number of characters of the line's prompt.
fn prompt_length(line: &str) -> usize {
    let chars: Vec<char> = line.chars().collect();
    let space_after = |i: usize| chars.get(i + 1).is_some_and(|c| c.is_whitespace());
    if matches!(chars.first(), Some('$' | '#' | '%')) && space_after(0) || chars.first() == Some(&'>') {
        return 1;
    }
    let path_at = if line.starts_with("PS ") { 3 } else { 0 };
    let drive = chars.get(path_at).is_some_and(char::is_ascii_alphabetic)
        && chars.get(path_at + 1) == Some(&':')
        && chars.get(path_at + 2) == Some(&'\\');
    if let Some(end) = chars.iter().position(|c| *c == '>').filter(|_| drive) {
        let path: String = chars[..end].iter().collect();
        // A program's own path is no prompt: `C:\tools\diskspd.exe -b4K > out.txt`.
        if !path.contains(".exe") && !path.contains(" -") {
            return end + 1;
        }
    }
    // user@host:~/x$ or [user@host x]#
    if let Some(end) = chars.iter().position(|c| matches!(c, '$' | '#')).filter(|end| space_after(*end)) {
        let head: String = chars[..end].iter().collect();
        if head.contains('@') && !head.contains(" -") && !head.contains("--") {
            return end + 1;
        }
    }
    0
}

/// Splits at white space outside quotes; the end of a line is white space, escaped or not.
fn split(letters: &[Letter], style: Style, source: usize, trouble: &mut Trouble) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut open: Option<Word> = None;
    let mut quote: Option<Letter> = None;
    let mut index = 0;
    while index < letters.len() {
        let letter = letters[index];
        let next = letters.get(index + 1).map(|l| l.c);
        index += 1;
        let joins = open.is_none() || style == Style::Posix;
        let mut push = |c: char, first: Letter, last: Letter| {
            let word = open.get_or_insert_with(|| Word { text: String::new(), at: first.at, len: first.len });
            if c != '\0' {
                word.text.push(c);
            }
            word.len = last.at + last.len - word.at;
        };
        match (quote, letter.c) {
            (Some(q), c) if c == q.c => {
                push('\0', letter, letter);
                quote = None;
            }
            (Some(q), '\\') if q.c == '"' && next == Some('"') => {
                push('"', letter, letters[index]);
                index += 1;
            }
            (Some(_), c) => push(c, letter, letter),
            (None, '"' | '\'') => {
                push('\0', letter, letter);
                quote = Some(letter);
            }
            (None, '\\' | '^' | '`') if joins && ends_line(&letters[index..]) => {
                words.extend(open.take());
            }
            (None, '\\') if style == Style::Posix && matches!(next, Some('"' | '\'' | ' ')) => {
                push(letters[index].c, letter, letters[index]);
                index += 1;
            }
            (None, c) if c.is_whitespace() => words.extend(open.take()),
            (None, c) => push(c, letter, letter),
        }
    }
    if let Some(quote) = quote {
        let at = At { source, at: quote.at, len: quote.len };
        trouble.add(at, format!("the quote {} is not closed", quote.c), "add the other one");
    }
    words.extend(open);
    words
}

/// True if only blanks stand between here and the end of the line.
fn ends_line(letters: &[Letter]) -> bool {
    let rest = letters.iter().find(|l| !matches!(l.c, ' ' | '\t' | '\r'));
    rest.is_none_or(|l| l.c == '\n')
}

/// Leaves out what the shell would have taken: redirections, pipes, `&` at the end.
fn without_shell(words: Vec<Word>, source: usize, notes: &mut Notes, trouble: &mut Trouble) -> Vec<Word> {
    let mut kept = Vec::with_capacity(words.len());
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        match word.text.as_str() {
            ">" | ">>" | "1>" | "2>" | "<" | "&>" => {
                let file = words.next().map_or(String::new(), |w| format!(" {}", w.text));
                notes.add(format!("{}{file}", word.text), "the shell's redirection: left out");
            }
            glued if [">", "1>", "2>"].iter().any(|operator| glued.starts_with(operator)) => {
                notes.add(word.text, "the shell's redirection: left out");
            }
            "|" => {
                let rest: Vec<String> = words.by_ref().map(|w| w.text).collect();
                notes.add(format!("| {}", rest.join(" ")), "the pipe of the output: left out");
            }
            "&" if words.peek().is_none() => notes.add("&", "running in the background: left out"),
            "&&" | "||" | ";" => {
                let at = At { source, at: word.at, len: word.len };
                trouble.add(at, "a second command starts here", "give one command at a time");
                break;
            }
            _ => kept.push(word),
        }
    }
    kept
}

/// Leaves out `sudo`, `time` and the program's own name or path.
fn without_program(mut words: Vec<Word>, program: &str, notes: &mut Notes) -> Vec<Word> {
    let mut start = 0;
    while let Some(word) = words.get(start) {
        match word.text.as_str() {
            "sudo" | "time" | "nohup" | "&" => notes.add(word.text.clone(), "not the program: left out"),
            _ => break,
        }
        start += 1;
    }
    if words.get(start).is_some_and(|word| is_program(&word.text, program)) {
        start += 1;
    }
    words.drain(..start);
    words
}

/// True if a word is the program's name, with or without a path, an ending and a version.
fn is_program(word: &str, program: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word).to_ascii_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    name.strip_prefix(program).is_some_and(|rest| {
        rest.is_empty() || rest.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tool;

    fn read(text: &str, program: &str) -> (Vec<String>, Vec<String>) {
        let mut trouble = Trouble::new(Tool::DiskSpd);
        let source = trouble.source(None, text);
        let pasted = words(text, source, program, &mut trouble);
        assert!(trouble.is_empty(), "{text}");
        for word in &pasted.words {
            assert!(text.get(word.at..word.at + word.len).is_some(), "{word:?}");
        }
        (
            pasted.words.into_iter().map(|w| w.text).collect(),
            pasted.notes.into_iter().map(|n| n.about).collect(),
        )
    }

    #[test]
    fn a_line_is_taken_as_people_paste_it() {
        let plain = ["-b4K", "-d60", r"e:\io.dat"];
        for (text, noted) in [
            (r"-b4K -d60 e:\io.dat", vec![]),
            (r"Diskspd.exe –b4K —d60 e:\io.dat", vec!["–", "—"]),
            ("diskspd −b4K\u{a0}-d60 e:\\io.dat", vec!["−", "U+00A0"]),
            (r"C:\tools\amd64\DISKSPD.EXE -b4K -d60 e:\io.dat", vec![]),
            (r"C:\tools> diskspd.exe -b4K -d60 e:\io.dat", vec![r"C:\tools>"]),
            (r"PS C:\Users\me> .\diskspd.exe -b4K -d60 e:\io.dat", vec![r"PS C:\Users\me>"]),
            (r"$ diskspd64 -b4K -d60 'e:\io.dat'", vec!["$"]),
            (r"> diskspd -b4K -d60 “e:\io.dat”", vec!["“", "”", ">"]),
            ("diskspd -b4K ^\r\n  -d60 ^\n e:\\io.dat", vec![]),
            ("diskspd -b4K \\\n  -d60 `  \n e:\\io.dat\n", vec![]),
            (
                r"sudo /usr/bin/diskspd-2.2 -b4K -d60 e:\io.dat > out.txt 2>&1",
                vec!["> out.txt", "2>&1", "sudo"],
            ),
            (r"diskspd -b4K -d60 e:\io.dat | Tee-Object x.txt", vec!["| Tee-Object x.txt"]),
            (r"& .\diskspd.exe -b4K -d60 e:\io.dat", vec!["&"]),
            ("me@vm:~$ diskspd -b4K -d60 e:\\io.dat", vec!["me@vm:~$"]),
        ] {
            let (words, notes) = read(text, "diskspd");
            assert_eq!(words, plain, "{text}");
            assert_eq!(notes, noted, "{text}");
        }
    }

    #[test]
    fn quotes_hold_a_word_together_and_a_backslash_is_itself() {
        let (words, _) = read(r#"fio "--name=a b" --filename=\\.\PhysicalDrive1 --x='' a\ b "q\"q""#, "fio");
        assert_eq!(words, ["--name=a b", r"--filename=\\.\PhysicalDrive1", "--x=", "a b", "q\"q"]);
    }

    #[test]
    fn a_windows_path_may_end_in_a_backslash() {
        assert_eq!(read("diskspd -b4K c:\\ d:\\", "diskspd").0, ["-b4K", "c:\\", "d:\\"]);
        assert_eq!(read("diskspd -b4K \\\nd:\\\n", "diskspd").0, ["-b4K", "d:\\"]);
        assert_eq!(read("fio --name=a\\\n--size=1g \\\n", "fio").0, ["--name=a", "--size=1g"]);
    }

    #[test]
    fn the_programs_name_is_no_word_but_its_likeness_is() {
        for (text, words) in [
            ("./fio a.fio", vec!["a.fio"]),
            ("fio.exe a.fio", vec!["a.fio"]),
            ("fiowrite.ini", vec!["fiowrite.ini"]),
        ] {
            assert_eq!(read(text, "fio").0, words);
        }
    }

    #[test]
    fn what_is_not_one_command_is_said_so() {
        for (text, what) in [("fio a.fio && fio b.fio", "second command"), ("fio 'a.fio", "not closed")] {
            let mut trouble = Trouble::new(Tool::Fio);
            let source = trouble.source(None, text);
            words(text, source, "fio", &mut trouble);
            assert!(trouble.or::<()>(None).unwrap_err().to_string().contains(what));
        }
    }
}

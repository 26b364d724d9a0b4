//! Help on Windows: the examples of Linux in the paths, quotes and options of Windows. `cmd` and PowerShell take them as they are.

use clap::{Arg, Command};

/// Widest line of an example.
const WIDEST: usize = 100;

/// Texts of Linux and what stands for them.
const WORDS: [(&str, &str); 21] = [
    // In TOML, a backslash begins an escape.
    ("\"/mnt/data\"", "\"E:/\""),
    ("--map e:=/mnt/data ", ""),
    ("e:=/mnt/data", r"e:=F:\data"),
    ("E:=/mnt/data", r"E:=F:\data"),
    ("'/mnt/b', '--depth 16'", "F:\\, \"--depth 16\""),
    ("--directory=/mnt/data", r"--directory=E\:\"),
    ("--ioengine=io_uring", "--ioengine=windowsaio"),
    ("/mnt/data/", r"E:\"),
    ("/mnt/data", r"E:\"),
    ("/mnt/a", r"E:\"),
    ("/mnt/b", r"F:\"),
    // PowerShell takes `#2` for a comment.
    ("/dev/nvme1n1", r"\\.\PhysicalDrive2"),
    ("/dev/sdc", r"\\.\PhysicalDrive2"),
    ("/dev/sdd", r"\\.\PhysicalDrive3"),
    ("sdc=", "PhysicalDrive2="),
    ("sdd=", "PhysicalDrive3="),
    ("sdb=", "PhysicalDrive1="),
    ("--nbd unix:iobound.sock", "--nbd tcp:127.0.0.1:10809"),
    ("--fuse disks", "--nbd tcp:127.0.0.1:10809"),
    (" --backing folder", ""),
    (
        "It reads /proc/diskstats. As root and with --record, it also traces the size and offset of each request.",
        "It reads the performance counters PhysicalDisk and LogicalDisk.",
    ),
];

/// The same of further texts, which are whole sentences or the ends of lines.
const SENTENCES: [(&str, &str); 3] = [
    (" As root, it also reads volume tables and the NVMe pages that only root can read.", ""),
    ("(XDG_DATA_HOME, ~/.local/share)", "(XDG_DATA_HOME, LOCALAPPDATA)"),
    (" \\\n", " ^\n"),
];

/// Parts of examples that only Linux has.
const LINUX_ALONE: [&str; 4] = ["--live", "--trace app.trace", "iostat.txt", "--result 1.txt"];

/// Begins examples whose paths are on other machines, which run Linux.
const ELSEWHERE: &str = "  iobound fleet ";

/// A verb with examples for Windows, also those of its options.
pub(crate) fn of(verb: Command) -> Command {
    let verb = verb.mut_args(of_option);
    match verb.get_after_help().map(ToString::to_string) {
        Some(text) => verb.after_help(shown(&text)),
        None => verb,
    }
}

fn of_option(option: Arg) -> Arg {
    match option.get_help().map(ToString::to_string) {
        Some(text) => option.help(replaced(&text, &WORDS)),
        None => option,
    }
}

/// A text with examples, for Windows.
pub(crate) fn shown(text: &str) -> String {
    let lines = text.lines().filter(|line| !LINUX_ALONE.iter().any(|part| line.contains(part)));
    let lines: Vec<String> = lines.map(of_line).collect();
    let end = if text.ends_with('\n') { "\n" } else { "" };
    replaced(&format!("{}{end}", lines.join("\n")), &SENTENCES)
}

fn replaced(text: &str, words: &[(&str, &str)]) -> String {
    words.iter().fold(text.to_string(), |text, (from, to)| text.replace(from, to))
}

fn of_line(line: &str) -> String {
    let (command, comment) = match line.find("  #") {
        Some(at) => (line[..at].trim_end(), line[at..].trim_start()),
        None => (line, ""),
    };
    let is_command = command.starts_with("  iobound ") || command.starts_with("    --");
    let is_elsewhere = command.starts_with(ELSEWHERE);
    let mut shown = if is_elsewhere { command.to_string() } else { replaced(command, &WORDS) };
    if is_command {
        shown = shown.replace('\'', "\"").replace("--copy --", r"--copy .\iobound --");
    }
    if comment.is_empty() {
        return shown;
    }
    // The comments of a block stay in one column, where the commands allow it.
    let column = line.len() - comment.len();
    let wide = format!("{shown:<width$}  {comment}", width = column.saturating_sub(2));
    if wide.chars().count() > WIDEST { shown } else { wide }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Program;

    /// The words of a line as `cmd` passes them.
    fn words(line: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut is_quoted = false;
        for c in line.trim().chars() {
            match c {
                '"' => is_quoted = !is_quoted,
                ' ' if !is_quoted => words.push(String::new()),
                c => words.last_mut().expect("there is one").push(c),
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }

    #[test]
    fn examples_for_windows_have_its_paths_and_quotes_and_are_read() {
        let mut count = 0;
        for verb in Program::command().get_subcommands() {
            let name = verb.get_name().to_string();
            let text = of(verb.clone()).get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in text.lines().filter(|line| line.starts_with("  iobound ")) {
                count += 1;
                assert!(line.chars().count() <= WIDEST, "{name}: {line}");
                let command = line.split("  #").next().unwrap_or_default();
                for linux in ["'", "unix:", "--fuse", "--backing"] {
                    assert!(!command.contains(linux), "{name}: {line}");
                }
                for linux in ["/mnt", "/dev/"] {
                    assert!(command.starts_with(ELSEWHERE) || !command.contains(linux), "{name}: {line}");
                }
                if command.ends_with('^') || command.contains(['<', '>', '|']) {
                    continue;
                }
                let read = Program::command().try_get_matches_from(words(command));
                let is_help = read.as_ref().is_err_and(|error| !error.use_stderr());
                assert!(read.is_ok() || is_help, "{line}: {}", read.unwrap_err());
            }
            assert!(!text.contains("/proc/diskstats"), "{name}");
        }
        assert!(count > 60, "{count} examples");
    }

    #[test]
    fn comments_keep_their_column_or_give_way() {
        let line = "  iobound run /mnt/data                # a file of its own";
        assert_eq!(of_line(line), "  iobound run E:\\                      # a file of its own");
        let long = format!("  iobound probe /dev/sdc /dev/sdd {}  # both", "x".repeat(60));
        assert_eq!(of_line(&long).find('#'), None);
        assert_eq!(of_line("  iobound fleet -- run /mnt/data"), "  iobound fleet -- run /mnt/data");
    }
}

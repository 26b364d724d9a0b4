//! Advice in the words that a foreign verb takes: it has the other tool's options, and the environment for ours.

use iobound_formats::Tool;

/// Flags of a run, which these verbs take from the environment, and whether a value follows.
const OF_THE_RUN: [(&str, bool); 14] = [
    ("--overwrite", true),
    ("--busy-ok", false),
    ("--buffered", false),
    ("--write-through", false),
    ("--engine", true),
    ("--cpus", true),
    ("--on-error", true),
    ("--max-iops", true),
    ("--max-pressure", true),
    ("--strict", false),
    ("--dry-run", false),
    ("--verify", false),
    ("--dedupe", true),
    ("--compressible", true),
];

/// Flags of a workload, in the words of fio, DiskSpd and Iometer.
const OF_THE_WORKLOAD: [(&str, [&str; 3]); 6] = [
    ("--size", ["size=", "-f or -c", "Disk maximum size"]),
    ("--block", ["bs=", "-b", "the size of the access specification"]),
    ("--depth", ["iodepth=", "-o", "the number of outstanding I/Os"]),
    ("--threads", ["numjobs=", "-t or -F", "the number of workers"]),
    ("--offset", ["offset=", "-B", "the starting sector"]),
    ("--align", ["blockalign=", "-r", "the alignment of the access specification"]),
];

/// The same text with the flags of `iobound run` replaced by what the verb of this tool takes.
pub(crate) fn in_words_of(tool: Tool, text: &str) -> String {
    let column = match tool {
        Tool::Fio => 0,
        Tool::DiskSpd => 1,
        Tool::Iometer => 2,
    };
    let mut words = Vec::new();
    let mut rest = text.split(' ').peekable();
    while let Some(word) = rest.next() {
        let flag = word.trim_start_matches(['(', '`']);
        let opened = &word[..word.len() - flag.len()];
        let bare = flag.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        let tail = &flag[bare.len()..];
        if let Some((name, value)) = OF_THE_RUN.iter().find(|(name, _)| *name == bare) {
            let variable = format!("IOBOUND_{}", name[2..].to_uppercase().replace('-', "_"));
            match rest.next_if(|_| *value && tail.is_empty()) {
                Some(value) => words.push(format!("{opened}{variable}={value}")),
                None if *value => words.push(format!("{opened}{variable}{tail}")),
                None => words.push(format!("{opened}{variable}=true{tail}")),
            }
        } else if let Some((_, said)) = OF_THE_WORKLOAD.iter().find(|(name, _)| *name == bare) {
            words.push(format!("{opened}{}{tail}", said[column]));
        } else {
            words.push(word.to_string());
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_names_what_the_verb_takes() {
        for (said, fio) in [
            (
                "add --overwrite /mnt/x if its content may be lost",
                "add IOBOUND_OVERWRITE=/mnt/x if its content may be lost",
            ),
            (
                "stop the process that uses it, or add --busy-ok",
                "stop the process that uses it, or add IOBOUND_BUSY_OK=true",
            ),
            ("take --engine sync (it waits)", "take IOBOUND_ENGINE=sync (it waits)"),
            ("give a smaller --size, or less", "give a smaller size=, or less"),
            ("nothing to change: --json", "nothing to change: --json"),
        ] {
            assert_eq!(in_words_of(Tool::Fio, said), fio);
        }
        assert_eq!(in_words_of(Tool::DiskSpd, "lower --depth"), "lower -o");
    }
}

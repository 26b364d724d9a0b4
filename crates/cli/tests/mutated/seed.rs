//! Inputs that are right as they stand.

/// Reader of an input.
#[derive(Clone, Copy)]
pub(crate) enum Reader {
    /// A verb, which answers it.
    Verb,
    /// A verb that would go on to targets or devices: its words are read and checked.
    Words,
    /// A parser of the first text, whose answer needs hosts or an emulator that runs.
    Parser(fn(&str) -> bool),
}

/// An input that is answered as it stands.
pub(crate) struct Seed {
    pub(crate) parser: &'static str,
    pub(crate) reader: Reader,
    /// The words, separated by bars, since values may have spaces.
    pub(crate) line: String,
    /// Texts that stand for files, by the names in the words.
    pub(crate) texts: Vec<(String, String)>,
    /// The words themselves are mutated, from this one on.
    pub(crate) words_from: Option<usize>,
}

pub(crate) fn fixture(name: &str) -> String {
    let folder = env!("CARGO_MANIFEST_DIR");
    let paths = [
        format!("{folder}/../formats/tests/observation/fixtures/{name}"),
        format!("{folder}/../catalog/tests/monitoring/fixtures/{name}"),
        format!("{folder}/tests/fixtures/{name}"),
        format!("{folder}/../workload/presets/{name}"),
        format!("{folder}/../lab/experiments/{name}"),
        format!("{folder}/../catalog/data/{name}"),
    ];
    let bytes = paths.iter().find_map(|path| std::fs::read(path).ok());
    let bytes = bytes.unwrap_or_else(|| panic!("there is no fixture {name}"));
    match bytes.strip_prefix(&[0xff, 0xfe]) {
        Some(wide) => {
            let units: Vec<u16> =
                wide.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
            String::from_utf16(&units).expect("UTF-16")
        }
        None => String::from_utf8(bytes).expect("UTF-8"),
    }
}

pub(crate) fn of_files(parser: &'static str, line: &str, texts: &[(&str, String)]) -> Seed {
    let texts = texts.iter().map(|(name, text)| ((*name).to_string(), text.clone())).collect();
    Seed { parser, reader: Reader::Verb, line: line.to_string(), texts, words_from: None }
}

pub(crate) fn of_words(parser: &'static str, line: &str, words_from: usize) -> Seed {
    Seed {
        parser,
        reader: Reader::Verb,
        line: line.to_string(),
        texts: Vec::new(),
        words_from: Some(words_from),
    }
}

impl Seed {
    /// The same, of which the words are read and checked only.
    pub(crate) fn checked(self) -> Seed {
        Seed { reader: Reader::Words, ..self }
    }
}

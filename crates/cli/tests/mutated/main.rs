//! Files and words with figures that nothing reaches: each is answered or refused, in every form of the answer, and none
//! ends in a panic.
//!
//! A few mutations of each input run with the other tests. `IOBOUND_MUTATIONS=10000` runs that many of every parser.
#![allow(clippy::disallowed_methods, reason = "it reads files of the repository and looks at the clock")]

mod catalogs;
#[path = "../common/fields.rs"]
mod fields;
mod files;
mod mutation;
mod seed;
mod words;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use iobound::{Beside, Exit, Failure, ask_with_text, check};
use iobound_report::{Names, Style, html_page};
use serde_json::Value;

use fields::fields_of;
use mutation::{Draw, extremes, mutate};
use seed::{Reader, Seed};

/// The end of an input.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Answered,
    /// With the reason.
    Refused(String),
    Stopped,
}

/// The end of a line with its texts.
fn end(reader: Reader, line: &str, texts: &[(String, String)], patience: Duration) -> End {
    let words: Vec<OsString> = line.split('|').map(OsString::from).collect();
    let until = Instant::now() + patience;
    let stop: Arc<dyn Fn() -> bool + Send + Sync> = Arc::new(move || Instant::now() > until);
    let beside = Beside { texts: texts.iter().cloned().collect::<BTreeMap<_, _>>(), stop: Some(stop) };
    match reader {
        Reader::Verb => answer(&words, beside, texts),
        Reader::Words => check(&words, beside).map_or_else(refusal, |()| End::Answered),
        Reader::Parser(parse) => {
            if parse(&texts[0].1) {
                End::Answered
            } else {
                End::Refused(String::new())
            }
        }
    }
}

/// The answer as document, as text and as a page; or a refusal that says what is wrong.
fn answer(words: &[OsString], beside: Beside, texts: &[(String, String)]) -> End {
    let texts_of: Vec<&str> = words.iter().map(|word| word.to_str().expect("UTF-8")).collect();
    let (verb, fields) = fields_of(&texts_of);
    let (answer, text) = match ask_with_text(
        &verb,
        &fields,
        beside,
        Some(Style { width: None, color: false, ascii: false }),
    ) {
        Ok(answer) => answer,
        Err(refused) => return refusal(refused),
    };
    let document: Value = serde_json::from_str(&answer.document).expect("one JSON document");
    let text = text.unwrap_or_default();
    for wrong in ["NaN", "inf ", "inf\n"] {
        let given = wrong.trim();
        let named = texts.iter().any(|(_, text)| text.contains(given))
            || words.iter().any(|word| word.to_string_lossy().contains(given));
        assert!(named || !text.contains(wrong), "{text}");
    }
    // There is no page of a catalogue, which is an error and no panic.
    let _ = html_page(&document, Names::Kept);
    End::Answered
}

/// A refusal that says why, unless the time was over.
fn refusal(refusal: Failure) -> End {
    if refusal.exit() == Exit::Interrupted {
        return End::Stopped;
    }
    assert!(matches!(refusal.exit(), Exit::BadInput | Exit::Refused), "{refusal:?}");
    assert!(!refusal.what().is_empty());
    End::Refused(refusal.what().to_string())
}

#[test]
fn no_figure_is_a_panic() {
    let asked: Option<usize> =
        std::env::var("IOBOUND_MUTATIONS").ok().map(|count| count.parse().expect("a count"));
    let only = std::env::var("IOBOUND_MUTATED_PARSER").ok();
    let seed =
        std::env::var("IOBOUND_MUTATION_SEED").ok().map_or(7_919, |seed| seed.parse().expect("a number"));
    let extremes = extremes();
    let seeds: Vec<Seed> = [
        files::observations(),
        files::own(),
        catalogs::lists(),
        catalogs::catalogs(),
        words::words(),
        words::checked(),
        words::parsed(),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut parsers: BTreeMap<&str, Vec<&Seed>> = BTreeMap::new();
    for seed in &seeds {
        parsers.entry(seed.parser).or_default().push(seed);
    }
    parsers.retain(|parser, _| only.as_ref().is_none_or(|only| only == parser));
    let parsers = Mutex::new(parsers.into_iter());
    let next = || parsers.lock().expect("nothing panics while it is held").next();
    let panics = Mutex::new(Vec::new());
    let work = || {
        while let Some((parser, seeds)) = next() {
            let found = try_parser(parser, &seeds, asked, &extremes, Draw(seed));
            panics.lock().expect("nothing panics while it is held").extend(found);
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get);
    std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
    let panics = panics.into_inner().expect("nothing panics while it is held");
    assert!(panics.is_empty(), "{} panics:\n{}", panics.len(), panics[..panics.len().min(20)].join("\n"));
}

/// Tries mutations of one parser's inputs; returns those that ended in a panic.
fn try_parser(
    parser: &str,
    seeds: &[&Seed],
    asked: Option<usize>,
    extremes: &[String],
    mut draw: Draw,
) -> Vec<String> {
    let (mut answered, mut refused, mut stopped, mut panics) = (0, 0, 0, Vec::new());
    for seed in seeds {
        let whole = end(seed.reader, &seed.line, &seed.texts, Duration::from_secs(60));
        assert_eq!(whole, End::Answered, "{parser}: {} is answered as it stands", seed.line);
    }
    for n in 0..asked.unwrap_or(4 * seeds.len()) {
        let seed = seeds[n % seeds.len()];
        let (mut line, mut texts) = (seed.line.clone(), seed.texts.clone());
        match seed.words_from {
            Some(from) => {
                let words: Vec<&str> = seed.line.split('|').collect();
                let tail = mutate(&words[from..].join("|"), extremes, &mut draw);
                line = format!("{}|{tail}", words[..from].join("|"));
            }
            None => {
                let place = draw.below(texts.len());
                texts[place].1 = mutate(&texts[place].1, extremes, &mut draw);
            }
        }
        // Of many, most end in the middle of their simulation: what was read is checked by then.
        let patience = if asked.is_some() && !(n / seeds.len()).is_multiple_of(50) { 5 } else { 500 };
        let patience = Duration::from_millis(patience);
        match catch_unwind(AssertUnwindSafe(|| end(seed.reader, &line, &texts, patience))) {
            Ok(End::Answered) => answered += 1,
            Ok(End::Refused(_)) => refused += 1,
            Ok(End::Stopped) => stopped += 1,
            Err(_) => panics.push(format!("{parser}: {line}\n{}", changed(&seed.texts, &texts))),
        }
    }
    println!("{parser}: {answered} answered, {refused} refused, {stopped} stopped");
    assert!(answered + refused + stopped > 0);
    panics
}

/// The lines that a mutation changed.
fn changed(before: &[(String, String)], after: &[(String, String)]) -> String {
    let mut lines = String::new();
    for ((_, before), (_, after)) in before.iter().zip(after) {
        for (before, after) in before.lines().zip(after.lines()) {
            if before != after {
                lines.push_str(&format!("  {after:.300}\n"));
            }
        }
    }
    lines
}

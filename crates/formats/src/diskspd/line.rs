//! The command line: switches with their values glued on, then targets.

use std::collections::BTreeMap;

use super::check::check;
use super::options::{Affinity, Profile, ReadProfile, Target};
use super::switch::Knob;
use super::turn::Switches;
use super::xml;
use crate::error::{At, Trouble};
use crate::notes::Notes;
use crate::paste::{self, Word};

/// Reads a command line and checks it as DiskSpd does; `None` with at least one problem.
pub(super) fn read(
    text: &str,
    profile: &dyn Fn(&str) -> Option<String>,
    trouble: &mut Trouble,
    notes: &mut Notes,
) -> Option<ReadProfile> {
    let source = trouble.source(None, text);
    let pasted = paste::words(text, source, "diskspd", trouble);
    notes.extend(pasted.notes);
    let words = pasted.words;
    let whole = At { source, at: 0, len: text.trim_end().len() };
    let first_target = words.iter().position(|word| !is_switch(&word.text)).unwrap_or(words.len());
    let (switches, targets) = words.split_at(first_target);
    refuse_late_switches(switches, targets, source, trouble);
    let read = match switches.iter().find(|word| letter(&word.text) == Some('X')) {
        Some(named) => from_profile(named, switches, targets, source, profile, trouble)?,
        None => from_switches(switches, targets, whole, trouble, notes),
    };
    check(&read, trouble, notes);
    Some(read)
}

/// True if a word is a switch. A path on Linux also begins with `/`, but goes on with another one, which only
/// the values of four switches can hold.
fn is_switch(word: &str) -> bool {
    let path = word.strip_prefix('/').is_some_and(|rest| {
        rest.contains('/') && !["rd", "Z", "X", "y"].iter().any(|switch| rest.starts_with(switch))
    });
    word.starts_with(['-', '/']) && !path
}

/// The letter of a switch.
fn letter(word: &str) -> Option<char> {
    word.chars().nth(1).filter(|_| is_switch(word))
}

fn at(word: &Word, source: usize) -> At {
    At { source, at: word.at, len: word.len }
}

fn refuse_late_switches(switches: &[Word], targets: &[Word], source: usize, trouble: &mut Trouble) {
    let Some(late) = targets.iter().find(|word| is_switch(&word.text)) else { return };
    let target = targets.first().map_or("", |word| word.text.as_str());
    // `-b 4K`: the value has become the first target.
    let bare = switches.last().filter(|word| word.text.chars().count() == 2);
    match bare {
        Some(bare) if "bBcCdfFgijoOtTwWZ".contains(letter(&bare.text).unwrap_or(' ')) => trouble.add(
            at(bare, source),
            format!("`{}` is separated from its value, so `{target}` is read as a target", bare.text),
            format!("write {}{target}", bare.text),
        ),
        _ => trouble.add(
            at(late, source),
            format!("the switch `{}` follows the target `{target}`", late.text),
            "put every switch before the first target",
        ),
    }
}

fn from_switches(
    switches: &[Word],
    targets: &[Word],
    whole: At,
    trouble: &mut Trouble,
    notes: &mut Notes,
) -> ReadProfile {
    let mut line = Switches::default();
    let mut places = BTreeMap::new();
    // Sizes in blocks need the block size, wherever it stands.
    for others in [false, true] {
        let of_pass = switches.iter().filter(|word| (letter(&word.text) != Some('b')) == others);
        for word in of_pass {
            match line.turn(&word.text) {
                Ok(knobs) => {
                    for knob in knobs {
                        if places.insert((None, None, knob), at(word, whole.source)).is_some()
                            && !matches!(knob, Knob::Cache | Knob::Hints | Knob::Etw | Knob::Events)
                        {
                            notes.add(
                                &word.text,
                                format!("{} is given twice: the last one is used", knob.switch()),
                            );
                        }
                    }
                }
                Err((what, help)) => trouble.add(at(word, whole.source), what, help),
            }
        }
    }
    if targets.is_empty() && switches.is_empty() && trouble.is_empty() {
        trouble.add(
            At { at: whole.len, len: 1, ..whole },
            "there is no target",
            "name a file, #<drive> or <letter>: after the switches: diskspd -b4K -d60 testfile.dat",
        );
    }
    if !line.processors.is_empty() {
        line.span.affinity = Affinity::Processors(line.processors);
    }
    line.target.cache = line.cache.unwrap_or_default();
    line.target.write_through = line.write_through.unwrap_or(false);
    line.target.memory_mapped = line.mapped;
    for word in targets {
        line.span.targets.push(Target { path: word.text.clone(), ..line.target.clone() });
    }
    if let Some(first) = targets.first() {
        places.insert((None, None, Knob::Path), at(first, whole.source));
    } else {
        // A line is often pasted without its file, and a modelled volume needs none.
        line.span.targets.push(line.target.clone());
        notes.add("the target", "none is named, so the I/O goes to every volume");
    }
    line.profile.time_spans.push(line.span);
    ReadProfile { profile: line.profile, places, whole, switches: true }
}

/// `-X<file>` with what may stand beside it: -v -z -R -W -d -C, and targets for the profile's templates.
fn from_profile(
    named: &Word,
    switches: &[Word],
    targets: &[Word],
    source: usize,
    profile: &dyn Fn(&str) -> Option<String>,
    trouble: &mut Trouble,
) -> Option<ReadProfile> {
    let mut line = Switches::default();
    let mut said: Vec<(Knob, At)> = Vec::new();
    for word in switches {
        match letter(&word.text) {
            Some('X') if word == named => {}
            Some('v' | 'z' | 'R' | 'W' | 'd' | 'C') => match line.turn(&word.text) {
                Ok(knobs) => said.extend(knobs.into_iter().map(|knob| (knob, at(word, source)))),
                Err((what, help)) => trouble.add(at(word, source), what, help),
            },
            _ => trouble.add(
                at(word, source),
                format!("`{}` cannot be combined with -X", word.text),
                "with an XML profile, use only -v -z -R -W -d -C and *1,<file> targets",
            ),
        }
    }
    let name: String = named.text.chars().skip(2).collect();
    if name.is_empty() {
        trouble.add(at(named, source), "`-X` names no file", "write -Xprofile.xml");
        return None;
    }
    let Some(text) = profile(&name) else {
        trouble.add(
            at(named, source),
            format!("the XML profile {name} was not found"),
            "give the path of the XML file, or the profile's own text",
        );
        return None;
    };
    let profile_source = trouble.source(Some(&name), &text);
    let mut read = xml::read(&text, profile_source, trouble)?;
    substitute(&mut read.profile, targets, source, trouble);
    for span in &mut read.profile.time_spans {
        for (knob, _) in &said {
            match knob {
                Knob::Seed => span.seed = line.span.seed,
                Knob::Warmup => span.warmup_s = line.span.warmup_s,
                Knob::Duration => span.duration_s = line.span.duration_s,
                Knob::Cooldown => span.cooldown_s = line.span.cooldown_s,
                _ => {}
            }
        }
    }
    for (knob, place) in said {
        match knob {
            Knob::Verbose => {
                read.profile.verbose |= line.profile.verbose;
                read.profile.wait_statistics |= line.profile.wait_statistics;
            }
            Knob::Results => {
                read.profile.result_format = line.profile.result_format;
                read.profile.profile_only = line.profile.profile_only;
            }
            _ => {}
        }
        read.places.insert((None, None, knob), place);
    }
    Some(read)
}

/// Puts the line's targets in the place of a profile's templates: the first for `*1`, the second for `*2`.
fn substitute(profile: &mut Profile, targets: &[Word], source: usize, trouble: &mut Trouble) {
    let mut used = vec![false; targets.len()];
    for span in &mut profile.time_spans {
        for target in &mut span.targets {
            let number = target.path.strip_prefix('*').and_then(|n| n.parse::<usize>().ok());
            let index = number.and_then(|n| n.checked_sub(1)).filter(|n| *n < targets.len());
            if let Some(index) = index {
                target.path = targets[index].text.clone();
                used[index] = true;
            }
        }
    }
    for (word, _) in targets.iter().zip(used).filter(|(_, used)| !used) {
        trouble.add(
            at(word, source),
            format!("`{}` matches no template target of the profile", word.text),
            "a profile's own paths stay; only its paths *1, *2, … are replaced, in this order",
        );
    }
}

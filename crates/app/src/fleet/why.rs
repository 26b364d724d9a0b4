//! Reason why a rank gave up, as the one sentence that the coordinator and the other ranks are given. How the program ends by it is said
//! by how it begins, so that every rank ends as the one did that could not go on.

use crate::{Exit, Failure};

/// Prefix of a sentence that ends the program so.
const BEGINNINGS: [(&str, Exit); 4] = [
    ("bad input: ", Exit::BadInput),
    ("refused: ", Exit::Refused),
    ("I/O error: ", Exit::Io),
    ("interrupted: ", Exit::Interrupted),
];

/// Meaning of a failure for the others.
pub(super) fn sentence(failure: &Failure) -> String {
    let begins = BEGINNINGS.iter().find(|(_, exit)| *exit == failure.exit()).map_or("", |(word, _)| word);
    match failure.help_text() {
        Some(help) => format!("{begins}{} ({help})", failure.what()),
        None => format!("{begins}{}", failure.what()),
    }
}

/// Exit code for such a sentence, whatever precedes it: a lost peer is an I/O error.
pub(super) fn failure(says: &str) -> Failure {
    let found = BEGINNINGS
        .iter()
        .filter_map(|(word, exit)| Some((says.find(word)?, *exit)))
        .min_by_key(|(at, _)| *at)
        .map(|(_, exit)| exit);
    match found {
        Some(Exit::BadInput) => Failure::input(says),
        Some(Exit::Refused) => Failure::refused(says),
        Some(Exit::Interrupted) => Failure::interrupted(says),
        _ => Failure::io(says),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_ends_as_the_one_that_could_not_go_on() {
        for given in [
            Failure::input("there is no /mnt/x").help("mount it"),
            Failure::refused("sdc is mounted"),
            Failure::io("a device does not answer"),
            Failure::interrupted("its person stopped it"),
        ] {
            let heard = format!("rank 2 (db3): {}", sentence(&given));
            assert_eq!(failure(&heard).exit(), given.exit(), "{heard}");
        }
        assert_eq!(failure("rank 2 (db3): it said nothing for 5 s").exit(), Exit::Io);
        // The first word that is one counts: what follows may quote another tool.
        assert_eq!(failure("rank 1: refused: sdc (I/O error: 5)").exit(), Exit::Refused);
    }
}

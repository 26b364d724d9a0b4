//! The verbs that are not there yet: said so, with what answers some of the question today. A verb that lands is taken
//! out of the table; a test sees to that.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::failure::Failure;

/// A verb that is planned, what it will answer, and what there is of it today.
struct Planned {
    verb: &'static str,
    will: &'static str,
    today: &'static str,
}

const fn planned(verb: &'static str, will: &'static str, today: &'static str) -> Planned {
    Planned { verb, will, today }
}

const PLANNED: [Planned; 1] = [planned("fleet", "drive many machines", "`iobound run` drives one")];

/// What is to be said of an unknown verb that is planned; `None` for every other error.
pub(crate) fn not_yet(error: &clap::Error) -> Option<Failure> {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    let Planned { verb, will, today } = PLANNED.iter().find(|planned| planned.verb == word)?;
    let failure = Failure::input(format!("`iobound {verb}` is not in this version: it will {will}"));
    Some(failure.mend(format!("{today}; `iobound --help` lists what there is")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn a_verb_that_is_there_is_planned_no_more() {
        let program = crate::Program::command();
        for planned in PLANNED {
            let is_there = program.get_subcommands().any(|verb| verb.get_name() == planned.verb);
            assert!(!is_there, "take `{}` out of the table", planned.verb);
        }
    }
}

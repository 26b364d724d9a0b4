//! The answer of bare `iobound`: each question with a command that can be pasted.

use crate::arguments::CommonArgs;
use crate::output;
use crate::windows_help;
use iobound_app::Exit;
use iobound_app::Failure;

/// The page: at most 20 lines of at most 80 characters.
const PAGE: &str = "\
iobound: how fast are the disks of a cloud VM, and why are they not faster?

What does this VM with these disks deliver, and what limits it?
  iobound predict --vm DS14 --disk 10xP30 --block 8KiB --read 70% --depth 64
What do the real disks deliver? (--dry-run shows what would be written)
  iobound run . --dry-run
What limits this machine's disks? (watches for ten seconds, without any load)
  iobound explain
What should I buy?
  iobound plan --iops 50000 --block 8KiB --read 70% --capacity 4TiB
How does my application behave on those disks?
  iobound emulate --vm DS14 --disk 10xP30 --nbd unix:iobound.sock
What changes when I change one setting?
  iobound lab

Other verbs: diskspd, fio, iometer, doctor, watch, probe, trace, compare,
             results, fleet, serve, catalog, schema, completions, man
`iobound VERB --help` lists the options of a verb, with examples.
";

/// Prints the page. Options without a verb are errors.
pub(crate) fn show(common: &CommonArgs) -> Result<Exit, Failure> {
    let CommonArgs { json, seed, config, show_config, wide: _, no_color: _, ascii: _, env: _ } = common;
    if *json || *show_config || seed.is_some() || config.is_some() {
        return Err(Failure::input("there is no verb")
            .help("name one, such as iobound predict; iobound --help lists them"));
    }
    if cfg!(windows) { output::write(&windows_help::shown(PAGE)) } else { output::write(PAGE) }
}

#[cfg(test)]
mod tests {
    use super::PAGE;

    #[test]
    fn the_page_has_at_most_20_lines_of_80_characters_and_names_every_verb() {
        assert!(PAGE.lines().count() <= 20, "{} lines", PAGE.lines().count());
        for line in PAGE.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        let command = <crate::Program as clap::CommandFactory>::command();
        for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let name = verb.get_name();
            let is_there = PAGE.split(|c: char| !c.is_alphanumeric()).any(|word| word == name);
            assert!(is_there, "{name} is not on the page");
        }
    }
}

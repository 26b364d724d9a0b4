//! Options that the application declares, as flags of the command line.

use std::ops::{Deref, DerefMut};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use iobound_app::options::{Form, OptionSpec, Options};

/// A set of options as given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Typed<T>(pub(crate) T);

impl<T> Deref for Typed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Typed<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

/// The flag of an option.
fn flag(spec: &OptionSpec) -> Arg {
    let arg = Arg::new(spec.name).help(spec.help());
    let arg = match spec.heading {
        Some(heading) if !spec.form.is_word() => arg.help_heading(heading),
        _ => arg,
    };
    let arg = if spec.form.is_word() { arg } else { arg.long(spec.name) };
    let arg = arg.conflicts_with_all(spec.conflicts).requires_all(spec.needs);
    let named = |arg: Arg| arg.value_name(spec.value);
    let arg = arg.required(spec.form.is_needed());
    match spec.form {
        Form::One | Form::Word | Form::MaybeWord => named(arg).action(ArgAction::Set),
        Form::ForTests => named(arg).action(ArgAction::Set).hide(true),
        Form::Default(value) => named(arg).action(ArgAction::Set).default_value(value),
        Form::Choice(words, missing) => {
            named(arg).action(ArgAction::Set).value_parser(words.to_vec()).default_value(missing)
        }
        Form::Truth => named(arg)
            .action(ArgAction::Set)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .value_parser(["true", "false"]),
        Form::Words | Form::MaybeWords => named(arg).action(ArgAction::Append).num_args(1..),
        Form::Rest => named(arg)
            .action(ArgAction::Append)
            .num_args(1..)
            .trailing_var_arg(true)
            .allow_hyphen_values(true),
        Form::Behind => named(arg).action(ArgAction::Append).num_args(1..).last(true),
        Form::Maybe(missing) => {
            named(arg).action(ArgAction::Set).num_args(0..=1).default_missing_value(missing)
        }
        Form::Line => named(arg).action(ArgAction::Set).allow_hyphen_values(true),
        Form::Alone(missing) => named(arg)
            .action(ArgAction::Set)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value(missing),
        Form::Many => named(arg).action(ArgAction::Append),
        Form::Switch => arg.action(ArgAction::SetTrue),
    }
}

/// Options of a verb that each of its own verbs has as well.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared<T>(pub(crate) Typed<T>);

impl<T: Options> Args for Shared<T> {
    fn augment_args(command: Command) -> Command {
        T::specs().iter().fold(command, |command, spec| command.arg(flag(spec).global(true)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Shared::<T>::augment_args(command)
    }
}

impl<T: Options> FromArgMatches for Shared<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Shared<T>, clap::Error> {
        Typed::from_arg_matches(matches).map(Shared)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl<T: Options> Args for Typed<T> {
    fn augment_args(command: Command) -> Command {
        T::specs().iter().fold(command, |command, spec| command.arg(flag(spec)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Typed::<T>::augment_args(command)
    }
}

impl<T: Options> FromArgMatches for Typed<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Typed<T>, clap::Error> {
        let mut options = Typed(T::default());
        options.update_from_arg_matches(matches)?;
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for spec in T::specs() {
            if matches.value_source(spec.name) != Some(ValueSource::CommandLine) {
                continue;
            }
            let values = match spec.form {
                Form::Switch => vec![matches.get_flag(spec.name).to_string()],
                _ => matches.get_many::<String>(spec.name).unwrap_or_default().cloned().collect(),
            };
            self.0.set(spec.name, values);
        }
        Ok(())
    }
}

//! Options of requests, each declared once: its name, its form, its value and its help.
//!
//! Flags, completions, manual pages, Python's keywords, the fields of a page and the keys of a configuration file come
//! from these declarations. A value is kept as text. The functions that answer a request parse it, so every caller has
//! the same values, defaults and messages.

use iobound_catalog::DiskType;

mod cluster;
mod configuration;
mod fields;
mod machine;
mod need;
mod observed;
mod page;
mod page_field;
mod shape;
mod store;
mod terms;
#[cfg(feature = "load")]
mod words;
mod workload;

pub use cluster::{ClusterOptions, SplitOptions};
pub use configuration::{ConfigurationOptions, details};
pub use fields::{Field, request_of, spec_of};
pub use machine::{MachineOptions, WatchOptions};
pub use need::NeedOptions;
pub use observed::ObservedOptions;
pub use page::PageOptions;
pub use page_field::PageField;
pub use shape::ShapeOptions;
pub use store::StoreOptions;
pub use terms::TermsOptions;
#[cfg(feature = "load")]
pub(crate) use words::read_words;
pub use workload::{FOREIGN, JobOptions, TimeOptions, WorkloadOptions, native};

/// The form in which an option is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// With a value.
    One,
    /// With a value, and left out of the help: for tests.
    ForTests,
    /// With a value that may begin with a dash: a command line of another tool.
    Line,
    /// With a value after `=`, or alone, which stands for this value.
    Alone(&'static str),
    /// With a value, any number of times.
    Many,
    /// Without a value.
    Switch,
    /// With a value, which is this one where none is given.
    Default(&'static str),
    /// With one of these values; the second is that where none is given.
    Choice(&'static [&'static str], Option<&'static str>),
    /// With `true` or `false` after `=`, or alone for `true`.
    Truth,
    /// A word in its place.
    Word,
    /// A word in its place, or none.
    MaybeWord,
    /// Words in their place, at least one.
    Words,
    /// Any number of words in their place.
    MaybeWords,
    /// All words from the first that is not a flag on, including later flags.
    Rest,
    /// All words behind `--`.
    Behind,
    /// With a value, or alone, which stands for this value.
    Maybe(&'static str),
}

impl Form {
    /// True if it is a word in its place, and no flag.
    pub fn is_word(self) -> bool {
        matches!(
            self,
            Form::Word | Form::MaybeWord | Form::Words | Form::MaybeWords | Form::Rest | Form::Behind
        )
    }

    /// True if a request can't be without it.
    pub fn is_needed(self) -> bool {
        matches!(self, Form::Word | Form::Words)
    }

    /// True if it may be given several times.
    pub fn is_many(self) -> bool {
        matches!(self, Form::Many | Form::Words | Form::MaybeWords | Form::Rest | Form::Behind)
    }
}

/// A switch that can be turned off: `true`, `false`, or alone for `true`.
pub const TOGGLE: Form = Form::Alone("true");

/// The declaration of an option.
#[derive(Clone, Debug)]
pub struct OptionSpec {
    /// Its name without dashes: `os-disk`.
    pub name: &'static str,
    /// Its form.
    pub form: Form,
    /// A word for its value: `SIZE`; empty where it takes none.
    pub value: &'static str,
    /// Its help, a line of the declaration each.
    pub help: &'static [&'static str],
    /// The group of the help that it belongs to.
    pub heading: Option<&'static str>,
    /// Options that do not go with it.
    pub conflicts: &'static [&'static str],
    /// Options that it needs beside it.
    pub needs: &'static [&'static str],
    /// Its group and its field in a form of the page.
    pub field: Option<(&'static str, PageField)>,
}

impl OptionSpec {
    /// The help in one line, without a full stop. `{disk types}` stands for those of the catalogue.
    pub fn help(&self) -> String {
        let line = self.help.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
        let line = line.replace("{disk types}", &DiskType::ALL.map(DiskType::word).join(", "));
        line.strip_suffix('.').map(str::to_string).unwrap_or(line)
    }
}

/// A set of options, and the values that were given for them.
pub trait Options: Clone + Default {
    /// The options, in the order of the help.
    fn specs() -> Vec<OptionSpec>;

    /// The values of an option as given; empty if it was not given.
    fn values(&self, name: &str) -> Vec<&str>;

    /// Replaces the values of an option; `false` if there is none of that name. A switch is given `true`.
    fn set(&mut self, name: &str, values: Vec<String>) -> bool;

    /// The value of an option that has one.
    fn get(&self, name: &str) -> Option<&str> {
        self.values(name).first().copied()
    }

    /// Takes the values that `over` gives in place of its own.
    fn lay_over(&mut self, over: &Self) {
        for spec in Self::specs() {
            let values: Vec<String> = over.values(spec.name).into_iter().map(str::to_string).collect();
            if !values.is_empty() {
                self.set(spec.name, values);
            }
        }
    }
}

/// Two sets are one.
impl<A: Options, B: Options> Options for (A, B) {
    fn specs() -> Vec<OptionSpec> {
        A::specs().into_iter().chain(B::specs()).collect()
    }

    fn values(&self, name: &str) -> Vec<&str> {
        let values = self.0.values(name);
        if values.is_empty() { self.1.values(name) } else { values }
    }

    fn set(&mut self, name: &str, values: Vec<String>) -> bool {
        self.0.set(name, values.clone()) || self.1.set(name, values)
    }
}

/// The value of an option in a request.
pub trait OptionValue {
    /// The values as given.
    fn written(&self) -> Vec<&str>;
    /// Replaces them.
    fn give(&mut self, values: Vec<String>);
}

impl OptionValue for Option<String> {
    fn written(&self) -> Vec<&str> {
        self.as_deref().into_iter().collect()
    }

    fn give(&mut self, values: Vec<String>) {
        *self = values.into_iter().next_back();
    }
}

impl OptionValue for Vec<String> {
    fn written(&self) -> Vec<&str> {
        self.iter().map(String::as_str).collect()
    }

    fn give(&mut self, values: Vec<String>) {
        *self = values;
    }
}

impl OptionValue for bool {
    fn written(&self) -> Vec<&str> {
        if *self { vec!["true"] } else { Vec::new() }
    }

    fn give(&mut self, values: Vec<String>) {
        *self = values.last().is_some_and(|value| value == "true");
    }
}

/// The name of an option from the name of its field, with dashes.
#[doc(hidden)]
pub const fn dashed<const N: usize>(field: &str) -> [u8; N] {
    let (from, mut name, mut n) = (field.as_bytes(), [0; N], 0);
    let raw = from.len() - N;
    while n < N {
        name[n] = if from[raw + n] == b'_' { b'-' } else { from[raw + n] };
        n += 1;
    }
    name
}

/// The length of that name: `r#type` is called `type`.
#[doc(hidden)]
pub const fn name_length(field: &str) -> usize {
    let from = field.as_bytes();
    let is_raw = from.len() > 2 && from[0] == b'r' && from[1] == b'#';
    if is_raw { from.len() - 2 } else { from.len() }
}

/// Declares a set of options: a struct whose fields hold the values, with [`Options`] for it. Groups of other sets follow.
///
/// ```text
/// options! {
///     /// A VM size and its disks.
///     pub struct MachineOptions in "Configuration" {
///         /// The VM size
///         vm: Option<String> = Form::One, "NAME";
///     }
///     cluster: ClusterOptions;
/// }
/// ```
macro_rules! options {
    (
        $(#[$about:meta])*
        pub struct $Name:ident $(in $heading:tt)? {
            $(
                $(#[doc = $help:literal])+
                $field:ident: $Type:ty = $form:expr
                    $(, $value:literal $(, not with $($other:literal)and+)? $(, with $needed:literal)?)?
                    $(, on $page_group:literal $page_field:expr)?;
            )*
        }
        $( $(#[$when:meta])* $group:ident: $Group:ty; )*
    ) => {
        $(#[$about])*
        #[allow(
            rustdoc::broken_intra_doc_links,
            reason = "the words are the help's: its brackets mean optional parts"
        )]
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $Name {
            $( $(#[doc = $help])+ pub $field: $Type, )*
            $( $(#[$when])* #[doc = concat!("Options of `", stringify!($Group), "`.")] pub $group: $Group, )*
        }

        impl $crate::options::Options for $Name {
            fn specs() -> Vec<$crate::options::OptionSpec> {
                #[allow(unused_imports, reason = "a set may have no options of its own")]
                use $crate::options::{Form, PageField, TOGGLE};
                let _heading = None::<&'static str>$(.or(Some($heading)))?;
                #[allow(unused_mut, reason = "a set may have no groups")]
                let mut specs = vec![$( $crate::options::OptionSpec {
                    name: $crate::options::name_of!($field),
                    form: $form,
                    value: concat!($($value)?),
                    help: &[$($help),+],
                    heading: _heading,
                    conflicts: &[$($($($other),+)?)?],
                    needs: &[$($($needed)?)?],
                    field: None$(.or(Some(($page_group, $page_field))))?,
                }, )*];
                $( $(#[$when])* specs.extend(<$Group as $crate::options::Options>::specs()); )*
                specs
            }

            fn values(&self, name: &str) -> Vec<&str> {
                #[allow(unused_imports, reason = "a set may have no options of its own")]
                use $crate::options::OptionValue;
                $( if name == $crate::options::name_of!($field) { return self.$field.written(); } )*
                $( $(#[$when])* {
                    let values = $crate::options::Options::values(&self.$group, name);
                    if !values.is_empty() { return values; }
                } )*
                let _ = name;
                Vec::new()
            }

            fn set(&mut self, name: &str, values: Vec<String>) -> bool {
                #[allow(unused_imports, reason = "a set may have no options of its own")]
                use $crate::options::OptionValue;
                $( if name == $crate::options::name_of!($field) {
                    self.$field.give(values);
                    return true;
                } )*
                $( $(#[$when])* if $crate::options::Options::set(&mut self.$group, name, values.clone()) { return true; } )*
                let _ = (name, values);
                false
            }
        }
    };
}

/// The name of the option that a field holds: `os-disk` of `os_disk`.
macro_rules! name_of {
    ($field:ident) => {{
        const BYTES: [u8; $crate::options::name_length(stringify!($field))] =
            $crate::options::dashed(stringify!($field));
        const NAME: &str = match std::str::from_utf8(&BYTES) {
            Ok(name) => name,
            Err(_) => panic!("a field has an ASCII name"),
        };
        NAME
    }};
}

pub(crate) use {name_of, options};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_has_its_fields_name_with_dashes() {
        let names: Vec<&str> = ConfigurationOptions::specs().iter().map(|spec| spec.name).collect();
        assert!(names.contains(&"os-disk") && names.contains(&"vm"), "{names:?}");
    }

    #[test]
    fn what_is_set_by_name_is_read_by_name() {
        let mut options = WorkloadOptions::default();
        assert!(options.set("depth", vec!["8".into()]) && options.set("random", vec!["true".into()]));
        assert!(!options.set("dpeth", vec!["8".into()]));
        assert_eq!(
            (options.get("depth"), options.get("random"), options.get("read")),
            (Some("8"), Some("true"), None)
        );
        assert_eq!(options.jobs.depth.as_deref(), Some("8"));
    }

    #[test]
    fn what_is_laid_over_replaces_what_it_names() {
        let (mut below, mut over) = (JobOptions::default(), JobOptions::default());
        below.set("depth", vec!["8".into()]);
        below.set("map", vec!["e:=a".into()]);
        over.set("depth", vec!["16".into()]);
        below.lay_over(&over);
        assert_eq!((below.depth.as_deref(), below.map.len()), (Some("16"), 1));
    }
}

//! Options given by name: the fields of a page, the keywords of another language.

use super::{Form, OptionSpec, Options};
use crate::{Common, Failure};

/// An option by its name, with its value; `None` where it stands alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name without dashes: `os-disk`.
    pub name: String,
    /// The value.
    pub value: Option<String>,
}

/// The request that these fields make. `seed` and `config` are what every request may say.
///
/// # Errors
/// Returns an error if the request has no such option, a value is missing or empty, or an option is given twice.
pub fn request_of<T: Options>(verb: &str, fields: &[Field]) -> Result<(T, Common), Failure> {
    let (mut request, mut common, specs) = (T::default(), Common::default(), T::specs());
    for Field { name, value } in fields {
        if value.as_deref() == Some("") && !takes_empty(&specs, name) {
            return Err(Failure::input(format!("the value of --{name} is empty")).help("leave it out"));
        }
        match name.as_str() {
            "seed" => common.seed.clone_from(value),
            "config" => common.config.clone_from(value),
            _ => {
                let spec = spec_of(verb, &specs, name)?;
                let earlier: Vec<String> = request.values(name).into_iter().map(str::to_string).collect();
                let value = value_of(spec, value.as_deref())?;
                if !earlier.is_empty() && !spec.form.is_many() {
                    return Err(
                        Failure::input(format!("--{name} is given twice")).help("leave one of them out")
                    );
                }
                request.set(name, earlier.into_iter().chain([value]).collect());
            }
        }
    }
    let is_missing = |spec: &&OptionSpec| spec.form.is_needed() && request.get(spec.name).is_none();
    if let Some(spec) = specs.iter().find(is_missing) {
        return Err(
            Failure::input(format!("{verb} has no {}", spec.name)).help(format!("give {}", spec.value))
        );
    }
    for spec in specs.iter().filter(|spec| request.get(spec.name).is_some()) {
        if let Some(other) = spec.conflicts.iter().find(|other| request.get(other).is_some()) {
            return Err(Failure::input(format!("{} does not go with --{other}", spec.name))
                .help("leave one of them out"));
        }
        if let Some(needed) = spec.needs.iter().find(|needed| request.get(needed).is_none()) {
            return Err(Failure::input(format!("{} needs --{needed}", spec.name))
                .help(format!("add --{needed}, or leave it out")));
        }
    }
    Ok((request, common))
}

/// The declaration of an option that a request has.
///
/// # Errors
/// Returns an error if the request has no option of that name.
pub fn spec_of<'a>(verb: &str, specs: &'a [OptionSpec], name: &str) -> Result<&'a OptionSpec, Failure> {
    specs.iter().find(|spec| spec.name == name).ok_or_else(|| {
        let known: Vec<&str> = specs.iter().map(|spec| spec.name).collect();
        Failure::input(format!("{verb} has no option `{name}`"))
            .help(format!("it takes {}", known.join(", ")))
    })
}

fn takes_empty(specs: &[OptionSpec], name: &str) -> bool {
    specs.iter().any(|spec| spec.name == name && matches!(spec.form, Form::Alone("")))
}

fn value_of(spec: &OptionSpec, value: Option<&str>) -> Result<String, Failure> {
    let name = spec.name;
    match (spec.form, value) {
        (Form::Truth, None) => Ok("true".to_string()),
        (Form::Alone(missing) | Form::Maybe(missing), None) => Ok(missing.to_string()),
        (Form::Switch, None | Some("true")) => Ok("true".to_string()),
        (Form::Switch, Some(other)) => {
            Err(Failure::input(format!("--{name}: `{other}` is not a switch"))
                .help("give true, or leave it out"))
        }
        (Form::Choice(words, _), Some(value)) if !words.contains(&value) => {
            Err(Failure::input(format!("--{name}: unknown value `{value}`"))
                .help(format!("write {}", words.join(" or "))))
        }
        (Form::Truth, Some(value)) if !["true", "false"].contains(&value) => {
            Err(Failure::input(format!("--{name}: `{value}` is not a switch")).help("write true or false"))
        }
        (_, Some(value)) => Ok(value.to_string()),
        (_, None) => {
            Err(Failure::input(format!("--{name} has no value")).help(format!("give {}", spec.value)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::WorkloadOptions;

    fn field(name: &str, value: Option<&str>) -> Field {
        Field { name: name.into(), value: value.map(str::to_string) }
    }

    #[test]
    fn fields_make_a_request() {
        let fields = [
            field("depth", Some("8")),
            field("random", None),
            field("sequential", None),
            field("map", Some("e:=a")),
            field("map", Some("f:=b")),
            field("seed", Some("7")),
        ];
        let (request, common) = request_of::<WorkloadOptions>("predict", &fields).unwrap();
        assert_eq!((request.jobs.depth.as_deref(), request.jobs.random), (Some("8"), true));
        assert_eq!((request.jobs.sequential.as_deref(), request.jobs.map.len()), (Some(""), 2));
        assert_eq!(common.seed.as_deref(), Some("7"));
    }

    #[test]
    fn what_makes_no_request_is_named() {
        for (fields, part) in [
            (vec![field("dpeth", Some("8"))], "predict has no option `dpeth`"),
            (vec![field("depth", None)], "--depth has no value"),
            (vec![field("depth", Some(""))], "the value of --depth is empty"),
            (vec![field("depth", Some("8")), field("depth", Some("9"))], "--depth is given twice"),
            (vec![field("random", Some("maybe"))], "`maybe` is not a switch"),
        ] {
            let why = request_of::<WorkloadOptions>("predict", &fields).unwrap_err();
            assert!(why.what().contains(part), "{}: {part}", why.what());
        }
    }
}

//! The words of a page's address as options by name.

use iobound_app::Failure;
use iobound_app::options::{Field, Form, OptionSpec, spec_of};
use iobound_results::RunId;
use iobound_serve::Word;

/// The words of an address as fields. A page asks with figures and names; what would read or write a file of this machine
/// is not a page's to ask.
///
/// # Errors
/// Returns an error if the verb has no such option, or the option names a file.
pub(super) fn fields(verb: &[&str], specs: &[OptionSpec], words: &[Word]) -> Result<Vec<Field>, Failure> {
    let mut fields = Vec::new();
    let verb = verb.join(" ");
    for Word { name, value } in words {
        let spec = spec_of(&verb, specs, name)?;
        if is_file(spec, value) {
            return Err(Failure::input(format!("{name}={value}: the page cannot read or write files"))
                .help(format!("use the command line: iobound {verb} --{name}")));
        }
        let is_switch = spec.form == Form::Switch;
        let needs_value = !is_switch && !matches!(spec.form, Form::Alone(_) | Form::Truth);
        let value = match value.as_str() {
            // A field that is left empty says nothing.
            "" if needs_value => continue,
            "false" if is_switch => continue,
            "" => None,
            "true" if is_switch => None,
            _ => Some(value.clone()),
        };
        fields.push(Field { name: name.clone(), value });
    }
    Ok(fields)
}

/// True if a value would be the name of a file. A value that can be a file or a line of words is a line if it has
/// blanks; a value that can be a file or a specification is a specification if it has commas.
fn is_file(spec: &OptionSpec, value: &str) -> bool {
    let can_be_file = ["FILE", "RESULT", "PATH", "FOLDER"].iter().any(|word| spec.value.contains(word));
    // A kept run is not a file.
    if RunId::of(value).is_some() {
        return false;
    }
    can_be_file && !(spec.value.contains('|') && (value.contains(' ') || value.contains(',')))
}

#[cfg(test)]
mod tests {
    use iobound_app::catalog::VmsRequest;
    use iobound_app::compare::CompareRequest;
    use iobound_app::options::Options;
    use iobound_app::predict::PredictRequest;

    use super::*;

    fn ask(verb: &[&str], words: &[(&str, &str)]) -> Result<String, String> {
        let words: Vec<Word> =
            words.iter().map(|(name, value)| Word { name: (*name).into(), value: (*value).into() }).collect();
        let specs = match verb {
            ["predict"] => PredictRequest::specs(),
            ["compare"] => CompareRequest::specs(),
            _ => VmsRequest::specs(),
        };
        let fields = fields(verb, &specs, &words).map_err(|failure| failure.what().to_string())?;
        let shown = fields.into_iter().map(|Field { name, value }| match value {
            Some(value) => format!("{name}={value}"),
            None => name,
        });
        Ok(shown.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_page_asks_what_the_command_line_asks() {
        let words =
            [("vm", "DS14"), ("disk", "a=P30"), ("disk", "10xP30"), ("random", "true"), ("depth", "")];
        assert_eq!(ask(&["predict"], &words).unwrap(), "vm=DS14 disk=a=P30 disk=10xP30 random");
        assert_eq!(ask(&["catalog", "vms"], &[("premium", "true")]).unwrap(), "premium=true");
        assert_eq!(
            ask(&["predict"], &[("diskspd", "-b4K -o32"), ("fio", "--name=a --rw=randread")]).unwrap(),
            "diskspd=-b4K -o32 fio=--name=a --rw=randread"
        );
    }

    #[test]
    fn a_page_reads_and_writes_no_files() {
        for (name, value) in [
            ("catalog", "mine.toml"),
            ("workload", "/etc/passwd"),
            ("calibrate", "r.json"),
            ("fio", "jobs.fio"),
            ("iometer", "access.icf"),
            ("diskspd-xml", "profile.xml"),
        ] {
            let why = ask(&["predict"], &[(name, value)]).unwrap_err();
            assert!(why.contains("cannot read or write files"), "{name}: {why}");
        }
        assert_eq!(ask(&["compare"], &[("sides", "r-1"), ("sides", "r-2")]).unwrap(), "sides=r-1 sides=r-2");
        assert!(
            ask(&["compare"], &[("sides", "/etc/passwd")])
                .unwrap_err()
                .contains("cannot read or write files")
        );
        // Those that every verb takes are not a page's at all.
        assert!(ask(&["predict"], &[("config", "vm.toml")]).unwrap_err().contains("predict has no option"));
    }

    #[test]
    fn what_a_verb_does_not_take_is_said() {
        assert!(ask(&["predict"], &[("dsik", "P30")]).unwrap_err().contains("predict has no option"));
    }
}

//! Options in the words of a command line, for an option whose value is one: `run --vs '--depth 16'`.

use super::{Field, Form, Options, request_of};

/// The options that these words give; words that are no flags go to the set's words in their place.
///
/// # Errors
/// Returns one line if there is no such flag, a value is missing, or a flag is given twice.
pub(crate) fn read_words<T: Options>(words: &[String]) -> Result<T, String> {
    let specs = T::specs();
    let in_place = specs.iter().find(|spec| spec.form.is_word());
    let (mut fields, mut words) = (Vec::new(), words.iter().peekable());
    while let Some(word) = words.next() {
        let Some(flag) = word.strip_prefix("--") else {
            let spec = in_place.filter(|_| !word.starts_with('-') || word == "-");
            let spec = spec.ok_or_else(|| format!("unexpected argument '{word}'"))?;
            fields.push(Field { name: spec.name.to_string(), value: Some(word.clone()) });
            continue;
        };
        let (name, given) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value.to_string())),
            None => (flag, None),
        };
        let spec = specs.iter().find(|spec| spec.name == name && !spec.form.is_word());
        let spec = spec.ok_or_else(|| format!("unexpected argument '--{name}'"))?;
        let value = match (given, spec.form) {
            (None, Form::Line) => words.next().cloned(),
            (None, Form::One | Form::ForTests | Form::Many | Form::Default(_) | Form::Choice(..)) => {
                words.next_if(|next| !next.starts_with('-') || next.as_str() == "-").cloned()
            }
            (given, _) => given,
        };
        fields.push(Field { name: name.to_string(), value });
    }
    match request_of::<T>("it", &fields) {
        Ok((options, _)) => Ok(options),
        Err(failure) => Err(failure.what().to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::JobOptions;

    fn read(line: &str) -> Result<JobOptions, String> {
        read_words(&line.split_whitespace().map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn words_give_options() {
        let options = read("--depth 16 --random --sequential=shared --map a=b --map=c=d").unwrap();
        assert_eq!((options.depth.as_deref(), options.random), (Some("16"), true));
        assert_eq!((options.sequential.as_deref(), options.map.len()), (Some("shared"), 2));
        let line = read_words::<JobOptions>(&["--diskspd".to_string(), "-b4K -d2".to_string()]).unwrap();
        assert_eq!(line.diskspd.as_deref(), Some("-b4K -d2"));
    }

    #[test]
    fn wrong_words_are_refused() {
        for (line, part) in [
            ("--dept 4", "'--dept'"),
            ("-x", "'-x'"),
            ("/mnt/b", "'/mnt/b'"),
            ("--depth --random", "--depth has no value"),
            ("--depth 4 --depth 8", "--depth is given twice"),
            ("--random=maybe", "not a switch"),
        ] {
            let why = read(line).unwrap_err();
            assert!(why.contains(part), "{line}: {why}");
        }
    }
}

//! Targets of a run beside the model: real files, folders and block devices, by name.

use crate::error::Problem;
use crate::setting::Settings;

/// The key of a run's real targets.
pub(crate) const TARGET_KEY: &str = "target";

/// The targets that settings name: none where they name none.
pub(crate) fn read_targets(settings: &Settings) -> Result<Vec<String>, Problem> {
    let Some(setting) = settings.get(TARGET_KEY) else { return Ok(Vec::new()) };
    let targets = setting.value.texts();
    let refuse = |why: String| Err(Problem::new(&setting.spot, format!("`{TARGET_KEY}`: {why}")));
    if targets.is_empty() {
        return refuse("the list is empty: name a folder, a file or a block device".into());
    }
    for (index, target) in targets.iter().enumerate() {
        // Whose folder would it be from: the file's or the caller's?
        if !path_of(target).starts_with('/') {
            return refuse(format!(
                "`{target}` is not an absolute path: write the whole path, such as /mnt/data (with a name for jobs: \
                 log=/mnt/log)"
            ));
        }
        if targets[..index].contains(target) {
            return refuse(format!("`{target}` is named twice: name it once"));
        }
    }
    Ok(targets.to_vec())
}

/// The path of `PATH` or `NAME=PATH`.
fn path_of(target: &str) -> &str {
    match target.split_once('=') {
        Some((name, path)) if !name.contains('/') => path,
        _ => target,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setting::{Setting, Value};

    fn read(texts: &[&str]) -> Result<Vec<String>, Problem> {
        let value = Value::Many(texts.iter().map(ToString::to_string).collect());
        read_targets(&Settings::default().under(&[Setting { key: TARGET_KEY, value, spot: 0..0 }]))
    }

    #[test]
    fn a_target_is_a_whole_path_or_a_name_and_one() {
        assert_eq!(read(&["/mnt/a=b", "log=/mnt/log"]).unwrap(), ["/mnt/a=b", "log=/mnt/log"]);
        for (wrong, part) in [
            (&["data"][..], "write the whole path"),
            (&["log=data"], "write the whole path"),
            (&[""], "write the whole path"),
            (&[], "the list is empty"),
            (&["/mnt/a", "/mnt/a"], "twice"),
        ] {
            let message = read(wrong).unwrap_err().message;
            assert!(message.contains(part), "{wrong:?}: {message}");
        }
        assert_eq!(read_targets(&Settings::default()).unwrap(), Vec::<String>::new());
    }
}

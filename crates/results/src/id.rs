use std::fmt;
use std::str::FromStr;

/// The name of a run that is kept: `r-142`. It is never given to another, even when the run is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub i64);

impl RunId {
    /// The id, where a word is one: `r-` and a number. A file of such a name is written `./r-142`.
    pub fn of(word: &str) -> Option<RunId> {
        let digits = word.strip_prefix("r-")?;
        let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| digits.parse().ok().map(RunId)).flatten()
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r-{}", self.0)
    }
}

impl FromStr for RunId {
    type Err = String;

    fn from_str(word: &str) -> Result<RunId, String> {
        RunId::of(word)
            .ok_or_else(|| format!("`{word}` is not a run id: write r- and a number, such as r-142"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_r_and_a_number_and_a_path_is_none() {
        assert_eq!(RunId::of("r-142"), Some(RunId(142)));
        assert_eq!(RunId(142).to_string(), "r-142");
        for word in ["r-", "r-1a", "142", "./r-142", "r--1", "R-1", "r-99999999999999999999"] {
            assert_eq!(RunId::of(word), None, "{word}");
        }
    }
}

//! Values as `ConvertTo-Json` writes them. A list of one is often a plain object, a list in Windows PowerShell 5.1 can be
//! `{"value": [...], "Count": 2}`, and numbers, truth values and names of enumerations can be texts.

use serde_json::{Map, Value};

use super::odd;
use iobound_units::Problem;

/// An object of the file with its place in it, for errors.
pub(super) struct PowerShellObject<'a> {
    map: &'a Map<String, Value>,
    place: String,
}

impl<'a> PowerShellObject<'a> {
    /// The objects of a part: none, one, or a list of them.
    ///
    /// # Errors
    /// Something in it is no object.
    pub(super) fn all(part: &str, value: Option<&'a Value>) -> Result<Vec<PowerShellObject<'a>>, Problem> {
        items(value)
            .into_iter()
            .enumerate()
            .map(|(index, value)| {
                let place = format!("{part}[{index}]");
                match value {
                    Value::Object(map) => Ok(PowerShellObject { map, place }),
                    other => Err(odd(&place, other, "an object")),
                }
            })
            .collect()
    }

    /// A key, whatever the case of its letters; `None` where it is missing or empty.
    fn get(&self, key: &str) -> Option<&'a Value> {
        let found = self.map.iter().find(|(name, _)| name.eq_ignore_ascii_case(key))?.1;
        match found {
            Value::Null => None,
            Value::String(text) if text.trim_matches(['\0', ' ']).is_empty() => None,
            value => Some(value),
        }
    }

    fn odd(&self, key: &str, value: &Value, wanted: &str) -> Problem {
        odd(&format!("{}.{key}", self.place), value, wanted)
    }

    /// A text; a number is taken as its digits.
    pub(super) fn text(&self, key: &str) -> Result<Option<String>, Problem> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.trim().to_string())),
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(other) => Err(self.odd(key, other, "a text")),
        }
    }

    /// A whole number, also as a text.
    pub(super) fn number(&self, key: &str) -> Result<Option<u64>, Problem> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let found = match value {
            Value::Number(number) => number.as_u64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        found.map(Some).ok_or_else(|| self.odd(key, value, "a whole number"))
    }

    /// A whole number that fits 32 bits.
    pub(super) fn small(&self, key: &str) -> Result<Option<u32>, Problem> {
        let Some(number) = self.number(key)? else { return Ok(None) };
        let whole = || self.odd(key, &Value::from(number), "a number below 2^32");
        u32::try_from(number).map(Some).map_err(|_| whole())
    }

    /// True or false, also as a text or as 0 and 1; false where it is missing.
    pub(super) fn truth(&self, key: &str) -> Result<bool, Problem> {
        let Some(value) = self.get(key) else { return Ok(false) };
        match value {
            Value::Bool(truth) => Ok(*truth),
            Value::Number(number) if number.as_u64().is_some_and(|number| number <= 1) => {
                Ok(number.as_u64() == Some(1))
            }
            Value::String(text) if text.trim().eq_ignore_ascii_case("true") => Ok(true),
            Value::String(text) if text.trim().eq_ignore_ascii_case("false") => Ok(false),
            other => Err(self.odd(key, other, "true or false")),
        }
    }

    /// The name of a value of an enumeration, which can stand as its number; an unknown number is a name of its own.
    pub(super) fn named(&self, key: &str, names: &[(u64, &str)]) -> Result<Option<String>, Problem> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        let number = text.parse::<u64>().ok();
        let name = number.and_then(|number| names.iter().find(|(own, _)| *own == number));
        Ok(Some(name.map_or(text, |(_, name)| (*name).to_string())))
    }

    /// Texts: none, one, or a list of them.
    pub(super) fn texts(&self, key: &str) -> Result<Vec<String>, Problem> {
        items(self.get(key))
            .into_iter()
            .filter(|value| !value.is_null())
            .map(|value| match value {
                Value::String(text) => Ok(text.trim().to_string()),
                other => Err(self.odd(key, other, "a text")),
            })
            .collect()
    }
}

/// The items of a value: none of a missing one, itself where it is one alone.
pub(super) fn items(value: Option<&Value>) -> Vec<&Value> {
    match value {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(items)) => items.iter().collect(),
        Some(Value::Object(map)) => match (map.get("value"), map.get("Count")) {
            (Some(Value::Array(items)), Some(_)) if map.len() == 2 => items.iter().collect(),
            _ => value.into_iter().collect(),
        },
        Some(_) => value.into_iter().collect(),
    }
}

//! Arithmetic in values: `(1024*1024)`, `8*4096` after a keyword was put in.

use super::units::Wrong;

/// The deepest nesting of parentheses that is read.
const DEEPEST: u32 = 64;

/// The value of an expression of numbers with units, `+ - * / %` and parentheses, with fractions dropped at the
/// end. `unit` gives the factor of a suffix; a number without one has the factor of the empty suffix.
pub(super) fn evaluate(text: &str, unit: &dyn Fn(&str) -> Option<u64>) -> Result<u64, Wrong> {
    let mut reader = Expression { rest: text.trim(), unit, depth: 0, bare: true };
    // A factor such as seconds belongs to the whole expression where no number has a unit.
    let value = reader.sum().map_err(|why| wrong(text, &why))?;
    if !reader.rest.is_empty() {
        return Err(wrong(text, &format!("`{}` was not expected", reader.rest)));
    }
    let value = if reader.bare { value * unit("").unwrap_or(1) as f64 } else { value };
    if !(0.0..=9_007_199_254_740_992.0).contains(&value) {
        return Err(wrong(text, "the result is negative or too large"));
    }
    Ok(value as u64)
}

fn wrong(text: &str, why: &str) -> Wrong {
    (format!("cannot compute `{text}`: {why}"), "write numbers with + - * / % and parentheses".to_string())
}

struct Expression<'a> {
    rest: &'a str,
    unit: &'a dyn Fn(&str) -> Option<u64>,
    depth: u32,
    bare: bool,
}

impl Expression<'_> {
    fn next(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn take(&mut self, operators: &[char]) -> Option<char> {
        let c = self.next().filter(|c| operators.contains(c))?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn sum(&mut self) -> Result<f64, String> {
        let mut value = self.product()?;
        while let Some(operator) = self.take(&['+', '-']) {
            let other = self.product()?;
            value = if operator == '+' { value + other } else { value - other };
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut value = self.factor()?;
        while let Some(operator) = self.take(&['*', '/', '%']) {
            let other = self.factor()?;
            if operator != '*' && other == 0.0 {
                return Err("it divides by zero".to_string());
            }
            value = match operator {
                '*' => value * other,
                '/' => value / other,
                _ => value % other,
            };
        }
        Ok(value)
    }

    fn factor(&mut self) -> Result<f64, String> {
        if self.take(&['(']).is_some() {
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err(format!("more than {DEEPEST} parentheses"));
            }
            let value = self.sum()?;
            self.depth -= 1;
            return match self.take(&[')']) {
                Some(_) => Ok(value),
                None => Err("a parenthesis is not closed".to_string()),
            };
        }
        self.next();
        let digits = self.rest.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
        let number: f64 = self.rest[..digits].parse().map_err(|_| "a number is missing".to_string())?;
        self.rest = &self.rest[digits..];
        let letters = self.rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (suffix, rest) = self.rest.split_at(letters);
        self.rest = rest;
        if suffix.is_empty() {
            return Ok(number);
        }
        self.bare = false;
        let factor = (self.unit)(suffix).ok_or_else(|| format!("`{suffix}` is not a unit"))?;
        Ok(number * factor as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<u64> {
        evaluate(text, &|letters| match letters {
            "" => Some(1),
            "k" => Some(1024),
            _ => None,
        })
        .ok()
    }

    #[test]
    fn expressions_bind_as_in_school() {
        for (text, expected) in [
            ("(2+3*4)", 14),
            ("((2+3)*4)", 20),
            ("(7/2)", 3),
            ("(7%4)", 3),
            ("(1.5*4k)", 6144),
            ("8 * 16384", 131_072),
            ("(10-3-2)", 5),
        ] {
            assert_eq!(value(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_can_not_be_computed_is_refused() {
        for text in
            ["(1+", "(1", "1)", "(1/0)", "(1-2)", "()", "(4x)", "1 2", "(1^2)", "(9999999999*9999999999)"]
        {
            assert_eq!(value(text), None, "{text}");
        }
        assert_eq!(value(&"(".repeat(100_000)), None);
    }
}

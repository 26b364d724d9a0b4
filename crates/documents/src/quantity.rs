//! Figures with a unit. A figure is rounded once, when the document is made: every form of the answer shows the same one.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Number, Value};

/// From here on a float has no decimals, and a product may overflow: 2^53.
const WHOLE_FROM: f64 = 9_007_199_254_740_992.0;

/// No figure of a disk is this large, and a sum of some larger ones is infinite.
const MOST: f64 = 1e30;

/// `value` with so many decimals (six at most), half away from zero. Multiplication, rounding and division are exact by
/// IEEE 754, so every machine gets the same number.
///
/// # Panics
/// The value is not finite, or more decimals are asked for.
pub fn rounded(value: f64, decimals: usize) -> f64 {
    const SCALES: [f64; 7] = [1.0, 10.0, 100.0, 1_000.0, 10_000.0, 100_000.0, 1_000_000.0];
    assert!(value.is_finite(), "a figure to print is {value}");
    let scale = SCALES[decimals];
    if value.abs() >= WHOLE_FROM {
        return value;
    }
    // Adding zero turns -0.0, which would be printed with its sign, into 0.0.
    (value * scale).round() / scale + 0.0
}

/// A rounded figure as JSON, without a decimal point where it is whole: `51000`, never `51000.0` or `50999.99999999999`.
///
/// # Panics
/// As [`rounded`].
pub fn figure(value: f64, decimals: usize) -> Value {
    exact(rounded(value, decimals))
}

fn exact(value: f64) -> Value {
    integer(value).map_or_else(|| Number::from_f64(value).map_or(Value::Null, Value::Number), Value::from)
}

fn integer(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && value.abs() < WHOLE_FROM).then_some(value as i64)
}

/// The same value with whole figures as integers: `51000`, never `51000.0`.
pub fn whole(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(float) if float.fract() == 0.0 => figure(float, 0),
            _ => Value::Number(number),
        },
        Value::Array(values) => values.into_iter().map(whole).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, whole(value))).collect(),
        other => other,
    }
}

/// A figure with a unit.
pub trait Quantity: Copy {
    /// The unit, as definitions and schemas show it.
    const UNIT: &'static str;

    /// The figure, rounded.
    fn value(self) -> f64;

    /// The figure as the document has it.
    fn exact(self) -> Value {
        exact(self.value())
    }
}

macro_rules! quantities {
    ($($(#[$about:meta])* $name:ident, $unit:literal, $decimals:literal;)*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
        pub struct $name(f64);

        impl $name {
            /// The figure, with the decimals that this unit has.
            ///
            /// # Panics
            /// It is not finite.
            pub fn of(value: f64) -> $name {
                $name::with_decimals(value, $decimals)
            }

            /// The figure, with so many decimals (six at most).
            ///
            /// # Panics
            /// It is not finite, or more decimals are asked for.
            pub fn with_decimals(value: f64, decimals: usize) -> $name {
                $name(rounded(value, decimals))
            }
        }

        impl Quantity for $name {
            const UNIT: &'static str = $unit;

            fn value(self) -> f64 {
                self.0
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match integer(self.0) {
                    Some(whole) => serializer.serialize_i64(whole),
                    None => serializer.serialize_f64(self.0),
                }
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                let value = f64::deserialize(deserializer)?;
                if value.abs() < MOST {
                    Ok($name(value))
                } else {
                    Err(D::Error::custom(format!("{value} is too large for a figure")))
                }
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "number", "x-unit": $unit })
            }
        }
    )*};
}

quantities! {
    /// Completed I/Os per second, with two decimals.
    Iops, "IOPS", 2;
    /// Bytes per second, a whole number.
    BytesPerSecond, "bytes/s", 0;
    /// Microseconds, with three decimals.
    Microseconds, "µs", 3;
    /// Seconds, with six decimals.
    Seconds, "s", 6;
    /// A share or a quotient, with six decimals: 0.25 is 25 %.
    Share, "1", 6;
    /// US dollars, with six decimals.
    Usd, "USD", 6;
    /// A figure whose unit another key of the same object names.
    Amount, "by the figure", 6;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_figure_has_no_decimal_point() {
        let text = |figure: Iops| serde_json::to_string(&figure).unwrap();
        assert_eq!(text(Iops::of(50_999.999_999_999)), "51000");
        assert_eq!(text(Iops::of(0.125)), "0.13");
        assert_eq!(text(Iops::of(-0.001)), "0");
        assert_eq!(Microseconds::of(1.5).exact(), serde_json::json!(1.5));
        assert_eq!(figure(2.0, 3), serde_json::json!(2));
    }

    #[test]
    fn a_figure_that_no_disk_has_is_refused() {
        let error = serde_json::from_str::<Iops>("1e300").unwrap_err();
        assert!(error.to_string().contains("too large for a figure"), "{error}");
    }
}

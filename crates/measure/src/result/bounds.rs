//! Bounds of the figures of a result that came from a file: what is beyond them is no measurement, and sums of it would
//! overflow.

use std::fmt;

use serde::ser::{self, Serialize};

use super::RunResult;

/// The most I/Os a second that are believed: a million times what the largest arrays do.
pub const MOST_IOPS: f64 = 1e12;
/// The most bytes a second, and the most bytes.
pub const MOST_BYTES: f64 = 1e18;
/// The longest latency, in µs: three years.
pub const MOST_US: f64 = 1e14;
/// The longest time, in seconds: three hundred centuries.
pub const MOST_S: f64 = 1e12;
/// The most of any other figure, whole ones included.
pub const MOST: f64 = 1e18;

impl RunResult {
    /// Sees that every figure is one that can be reckoned with: finite, not below zero, and not beyond what any storage
    /// does.
    ///
    /// # Errors
    /// Returns the first figure outside of its bounds: a sentence with its name, its value and the bound.
    pub fn check_figures(&self) -> Result<(), String> {
        self.serialize(Looker { path: &mut Vec::new(), is_key: false }).map_err(|beyond| beyond.0)
    }
}

/// The most that a figure of this name may be.
fn most_of(path: &[String]) -> (f64, &'static str) {
    let is = |name: &str| path.last().is_some_and(|last| last.ends_with(name));
    let within = |name: &str| path.iter().any(|part| part.ends_with(name));
    match () {
        () if within("_per_s") => (MOST_BYTES, " B/s"),
        () if is("iops") || within("per_second") => (MOST_IOPS, " IOPS"),
        () if within("_us") => (MOST_US, " µs"),
        // Moments of histograms have their own check.
        () if within("histograms") => (f64::MAX, ""),
        () if is("_ns") => (f64::MAX, ""),
        () if is("_s") => (MOST_S, " s"),
        () => (MOST, ""),
    }
}

/// A figure beyond its bound.
#[derive(Debug)]
struct Beyond(String);

impl fmt::Display for Beyond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Beyond {}

impl ser::Error for Beyond {
    fn custom<T: fmt::Display>(what: T) -> Beyond {
        Beyond(what.to_string())
    }
}

/// Looks at every number that would be written.
struct Looker<'a> {
    /// Names of the fields down to the figure.
    path: &'a mut Vec<String>,
    /// Expects the name of a field next.
    is_key: bool,
}

impl Looker<'_> {
    fn figure(&self, value: f64) -> Result<(), Beyond> {
        let (most, unit) = most_of(self.path);
        // Differences and shares may be below zero, rates and times may not; nothing of a result is far below it.
        if value.is_finite() && value <= most && value >= -most {
            return Ok(());
        }
        Err(Beyond(format!(
            "{} is {value:e}{unit}: a figure must be between 0 and {most:e}{unit}; correct it in the file, or measure again",
            self.path.join(".")
        )))
    }

    fn inner<T: Serialize + ?Sized>(&mut self, name: Option<&str>, value: &T) -> Result<(), Beyond> {
        self.path.extend(name.map(String::from));
        value.serialize(Looker { path: self.path, is_key: false })?;
        if name.is_some() {
            self.path.pop();
        }
        Ok(())
    }
}

macro_rules! figures {
    ($($name:ident: $type:ty),*) => {
        $(fn $name(self, value: $type) -> Result<(), Beyond> {
            self.figure(value as f64)
        })*
    };
}

macro_rules! nothing {
    ($($name:ident($($type:ty),*)),*) => {
        $(fn $name(self, $(_: $type),*) -> Result<(), Beyond> {
            Ok(())
        })*
    };
}

macro_rules! entered {
    ($($name:ident($($type:ty),*);)*) => {
        $(fn $name(self, $(_: $type),*) -> Result<Self, Beyond> {
            Ok(self)
        })*
    };
}

impl ser::Serializer for Looker<'_> {
    type Ok = ();
    type Error = Beyond;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    figures!(serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64);
    figures!(serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64);
    figures!(serialize_f32: f32, serialize_f64: f64);
    nothing!(serialize_bool(bool), serialize_char(char), serialize_bytes(&[u8]));
    nothing!(serialize_none(), serialize_unit(), serialize_unit_struct(&'static str));
    nothing!(serialize_unit_variant(&'static str, u32, &'static str));

    fn serialize_str(self, text: &str) -> Result<(), Beyond> {
        if self.is_key {
            self.path.push(text.to_string());
        }
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Beyond> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Beyond> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), Beyond> {
        value.serialize(self)
    }

    entered! {
        serialize_seq(Option<usize>);
        serialize_tuple(usize);
        serialize_tuple_struct(&'static str, usize);
        serialize_tuple_variant(&'static str, u32, &'static str, usize);
        serialize_map(Option<usize>);
        serialize_struct(&'static str, usize);
        serialize_struct_variant(&'static str, u32, &'static str, usize);
    }
}

macro_rules! elements {
    ($($of:ident::$name:ident),*) => {
        $(impl ser::$of for Looker<'_> {
            type Ok = ();
            type Error = Beyond;

            fn $name<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Beyond> {
                self.inner(None, value)
            }

            fn end(self) -> Result<(), Beyond> {
                Ok(())
            }
        })*
    };
}

elements!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

macro_rules! fields {
    ($($of:ident),*) => {
        $(impl ser::$of for Looker<'_> {
            type Ok = ();
            type Error = Beyond;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), Beyond> {
                self.inner(Some(name), value)
            }

            fn end(self) -> Result<(), Beyond> {
                Ok(())
            }
        })*
    };
}

fields!(SerializeStruct, SerializeStructVariant);

/// Flattened structs come as maps, with their fields' names as keys.
impl ser::SerializeMap for Looker<'_> {
    type Ok = ();
    type Error = Beyond;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Beyond> {
        key.serialize(Looker { path: self.path, is_key: true })
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Beyond> {
        self.inner(None, value)?;
        self.path.pop();
        Ok(())
    }

    fn end(self) -> Result<(), Beyond> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::{Latency, Source};

    #[test]
    fn a_figure_that_no_storage_reaches_is_refused_with_its_bound() {
        let mut result = RunResult::new(Source::Measured);
        result.total.iops = Some(51_000.0);
        result.total.latency_us = Some(Latency { mean: Some(1.5e6), ..Latency::default() });
        assert_eq!(result.check_figures(), Ok(()));
        for (iops, mean) in [(1e300, 1.0), (f64::INFINITY, 1.0), (f64::NAN, 1.0), (1.0, 1e307), (-1e300, 1.0)]
        {
            result.total.iops = Some(iops);
            result.total.latency_us = Some(Latency { mean: Some(mean), ..Latency::default() });
            let why = result.check_figures().unwrap_err();
            assert!(why.contains("a figure must be between"), "{why}");
        }
        result.total.iops = Some(1e13);
        result.total.latency_us = None;
        let why = result.check_figures().unwrap_err();
        assert!(why.contains("iops is 1e13 IOPS") && why.contains("1e12 IOPS"), "{why}");
    }
}

//! A document's name and version, and its JSON Schema.

use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

/// An answer of the program. Its first key is `schema`.
pub trait Contract: Serialize + JsonSchema {
    /// Name and version: `iobound.compare/1`. The version changes when a key changes its meaning.
    const ID: &'static str;
}

/// The value of the key `schema`: the name and version of the document `D`. Reading another name is an error.
pub struct Version<D>(PhantomData<fn() -> D>);

impl<D> Default for Version<D> {
    fn default() -> Version<D> {
        Version(PhantomData)
    }
}

impl<D> Clone for Version<D> {
    fn clone(&self) -> Version<D> {
        Version::default()
    }
}

impl<D> PartialEq for Version<D> {
    fn eq(&self, _: &Version<D>) -> bool {
        true
    }
}

impl<D> Eq for Version<D> {}

impl<D: Contract> std::fmt::Debug for Version<D> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(D::ID)
    }
}

impl<D: Contract> Serialize for Version<D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(D::ID)
    }
}

impl<'de, D: Contract> Deserialize<'de> for Version<D> {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Version<D>, R::Error> {
        let found = String::deserialize(deserializer)?;
        if found == D::ID {
            Ok(Version::default())
        } else {
            Err(R::Error::custom(format!("the document is {found}, not {}", D::ID)))
        }
    }
}

impl<D: Contract> JsonSchema for Version<D> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Version".into()
    }

    fn schema_id() -> Cow<'static, str> {
        D::ID.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "const": D::ID })
    }
}

/// A description is one paragraph: the line ends of the source mean nothing.
struct Unfold;

impl Transform for Unfold {
    fn transform(&mut self, schema: &mut Schema) {
        if let Some(Value::String(text)) = schema.get_mut("description") {
            *text = text.split_whitespace().collect::<Vec<&str>>().join(" ");
        }
        transform_subschemas(self, schema);
    }
}

/// The JSON Schema (2020-12) of what a document prints. `x-unit` is the unit of a figure.
pub fn schema_of<D: Contract>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<D>();
    schema.insert("$id".into(), D::ID.into());
    Unfold.transform(&mut schema);
    schema
}

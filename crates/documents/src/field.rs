//! The keys of a document, from its schema.

use schemars::Schema;
use serde_json::{Map, Value};

/// A key of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentField {
    /// Its path: `comparisons[].figures[].a`.
    pub path: String,
    /// Its unit; empty for text.
    pub unit: String,
    /// Its definition: the comment of the struct's field.
    pub meaning: String,
}

/// The keys of a document in the order in which they are printed. A key to which forms of the document give different
/// definitions is there once with each.
pub fn fields_of(schema: &Schema) -> Vec<DocumentField> {
    let mut fields = Vec::new();
    if let Some(root) = schema.as_object() {
        Walk { root, fields: &mut fields }.below(root, "");
    }
    fields
}

struct Walk<'a> {
    root: &'a Map<String, Value>,
    fields: &'a mut Vec<DocumentField>,
}

impl<'a> Walk<'a> {
    /// Collects the keys below a schema: of an object, of the items of a list, of each alternative.
    fn below(&mut self, schema: &'a Map<String, Value>, path: &str) {
        let schema = self.resolved(schema);
        for (key, value) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let Some(of) = value.as_object() else { continue };
            // A form of the document in which the key is always null: another form has its definition.
            if text(of, "type") == "null" {
                continue;
            }
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let meaning = text(of, "description").to_string();
            let field = DocumentField { unit: unit(of, key), path: path.clone(), meaning };
            if !self.fields.contains(&field) {
                self.fields.push(field);
            }
            self.below(of, &path);
        }
        if let Some(items) = schema.get("items").and_then(Value::as_object) {
            self.below(items, &format!("{path}[]"));
        }
        for alternative in ["anyOf", "oneOf", "allOf"].iter().filter_map(|word| schema.get(*word)?.as_array())
        {
            for of in alternative.iter().filter_map(Value::as_object) {
                self.below(of, path);
            }
        }
    }

    /// The schema that a reference names, or the schema itself.
    fn resolved(&self, schema: &'a Map<String, Value>) -> &'a Map<String, Value> {
        let name = text(schema, "$ref").strip_prefix("#/$defs/");
        let found = name.and_then(|name| self.root.get("$defs")?.get(name)?.as_object());
        found.unwrap_or(schema)
    }
}

/// The unit: what the schema says, else what the end of the key says.
fn unit(schema: &Map<String, Value>, key: &str) -> String {
    let own = text(schema, "x-unit");
    if !own.is_empty() {
        return own.to_string();
    }
    let types = match schema.get("type") {
        Some(Value::Array(types)) => types.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(one)) => vec![one.as_str()],
        _ => Vec::new(),
    };
    if !types.iter().any(|kind| ["number", "integer"].contains(kind)) {
        return String::new();
    }
    let ends = [
        ("bytes_per_s", "bytes/s"),
        ("bytes", "bytes"),
        ("_us", "µs"),
        ("_s", "s"),
        ("_kib", "KiB"),
        ("_percent", "%"),
        ("iops", "IOPS"),
    ];
    ends.iter().find(|(end, _)| key.ends_with(end)).map_or("", |(_, unit)| unit).to_string()
}

fn text<'a>(schema: &'a Map<String, Value>, key: &str) -> &'a str {
    schema.get(key).and_then(Value::as_str).unwrap_or_default()
}

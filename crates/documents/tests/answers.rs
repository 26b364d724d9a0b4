//! `python/iobound/answers.py` has the documents as types. To renew it: `IOBOUND_REFRESH=1 cargo test -p iobound-documents`.
#![allow(clippy::disallowed_methods, reason = "it reads and writes the module")]

use std::collections::BTreeMap;
use std::path::Path;

use iobound_documents::entry_of;
use serde_json::{Map, Value};

type Object = Map<String, Value>;

/// The documents that the Python module answers with, by verb.
const VERBS: [&str; 7] = ["catalog", "catalog import", "compare", "explain", "plan", "predict", "run"];

/// Words of Python that no key of a class may be.
const KEYWORDS: [&str; 3] = ["from", "in", "is"];

const HEAD: &str = r#""""The answers as types: each is the document of --json, so that editors complete and check its keys.

Written from the documents of the program by `IOBOUND_REFRESH=1 cargo test -p iobound-documents`; not by hand. Figures
have their unit in brackets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired
"#;

#[test]
fn the_module_has_the_types_of_the_documents() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/iobound/answers.py");
    let written = module();
    if std::env::var_os("IOBOUND_REFRESH").is_some() {
        std::fs::write(&path, written).expect("the module can be written");
        return;
    }
    let stands = std::fs::read_to_string(&path).expect("the module is there");
    assert!(
        stands == written,
        "python/iobound/answers.py is stale; renew it: IOBOUND_REFRESH=1 cargo test -p iobound-documents"
    );
}

/// The text of the module.
fn module() -> String {
    let (mut types, mut unions) = (BTreeMap::new(), BTreeMap::new());
    let results = entry_of("results").expect("results has a document");
    for entry in VERBS.iter().map(|verb| entry_of(verb).expect("the verb has a document")).chain([results]) {
        let schema = serde_json::to_value((entry.schema)()).expect("a schema is JSON");
        let root = schema.as_object().expect("a schema is an object");
        let definitions = root.get("$defs").and_then(Value::as_object);
        let parts = definitions.into_iter().flatten().map(|(name, of)| (name.as_str(), of));
        for (name, of) in parts.chain([(text(root, "title"), &schema)]) {
            let of = of.as_object().expect("a definition is an object");
            if of.contains_key("properties") {
                assert!(!of.contains_key("anyOf"), "{name}: alternatives beside keys have no type here");
                put(&mut types, name, class(name, of));
            } else {
                put(&mut unions, name, format!("{name} = {}\n", type_of(of, true)));
            }
        }
    }
    let names: Vec<String> =
        types.keys().chain(unions.keys()).map(|name: &String| format!("    {name:?},\n")).collect();
    let classes: Vec<String> = types.into_values().map(|of| format!("\n\n{of}")).collect();
    let unions: Vec<String> = unions.into_values().map(|of| format!("\n{of}")).collect();
    format!("{HEAD}\n__all__ = [\n{}]\n{}\n{}", names.concat(), classes.concat(), unions.concat())
}

/// Puts a type; one that several documents have is the same in each.
fn put(types: &mut BTreeMap<String, String>, name: &str, text: String) {
    let first = types.entry(name.to_string()).or_insert_with(|| text.clone());
    assert_eq!(first, &text, "two documents have a type {name}, and they differ");
}

/// An object as a class, or as a call where a key is a word of Python.
fn class(name: &str, of: &Object) -> String {
    let properties = of["properties"].as_object().expect("keys are an object");
    let required: Vec<&str> = of
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let keys = properties.iter().map(|(key, value)| {
        let value = value.as_object().cloned().unwrap_or_default();
        let plain = type_of(&value, false);
        // What may be absent is never null: its struct leaves it out instead.
        let kind = match plain.strip_suffix(" | None") {
            _ if required.contains(&key.as_str()) => plain,
            Some(present) => format!("NotRequired[{present}]"),
            None => format!("NotRequired[{plain}]"),
        };
        (key, kind, about(&value))
    });
    if properties.keys().any(|key| KEYWORDS.contains(&key.as_str())) {
        let keys = keys.map(|(key, kind, about)| {
            format!("{}        {key:?}: {:?},\n", comment(&about, "        # "), kind.replace('"', "'"))
        });
        let keys = keys.collect::<String>();
        return format!("{name} = TypedDict(\n    \"{name}\",\n    {{\n{keys}    }},\n)\n");
    }
    let keys = keys.map(|(key, kind, about)| {
        let about = wrapped(&format!("\"\"\"{about}\"\"\""), "    ");
        format!("\n    {key}: {kind}\n{about}")
    });
    let says = wrapped(&format!("\"\"\"{}\"\"\"", text(of, "description")), "    ");
    format!("class {name}(TypedDict):\n{says}{}", keys.collect::<String>())
}

/// The definition of a key, with its unit.
fn about(of: &Object) -> String {
    let unit = match text(of, "x-unit") {
        "" | "1" => String::new(),
        unit => format!(" [{unit}]"),
    };
    format!("{}{unit}", text(of, "description"))
}

/// The type of a value. `in_code`: it is evaluated, so that alternatives are a `Union`.
fn type_of(of: &Object, in_code: bool) -> String {
    if let Some(name) = text(of, "$ref").strip_prefix("#/$defs/") {
        return name.to_string();
    }
    if let Some(value) = of.get("const") {
        return format!("Literal[{value}]");
    }
    if let Some(values) = of.get("enum").and_then(Value::as_array) {
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        return format!("Literal[{}]", values.join(", "));
    }
    for word in ["anyOf", "oneOf"] {
        if let Some(alternatives) = of.get(word).and_then(Value::as_array) {
            let types: Vec<String> =
                alternatives.iter().filter_map(Value::as_object).map(|of| type_of(of, in_code)).collect();
            // Rows of several kinds: no checker can tell which one a key is asked of.
            if types.len() > 2 && types.iter().all(|of| of.starts_with("list[")) {
                return "list[dict[str, Any]]".into();
            }
            return joined(types, in_code);
        }
    }
    let kinds = match of.get("type") {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => return "Any".into(),
    };
    let one = |kind: &str| match kind {
        "string" => "str".to_string(),
        "boolean" => "bool".into(),
        "integer" => "int".into(),
        // A whole figure is an int, which is a float to a type checker.
        "number" => "float".into(),
        "null" => "None".into(),
        "array" => match of.get("items").and_then(Value::as_object) {
            Some(items) => format!("list[{}]", type_of(items, in_code)),
            None => "list[Any]".into(),
        },
        _ => "dict[str, Any]".into(),
    };
    joined(kinds.into_iter().map(one).collect(), in_code)
}

fn joined(types: Vec<String>, in_code: bool) -> String {
    let mut distinct: Vec<String> = Vec::new();
    let mut literals: Vec<String> = Vec::new();
    for of in types {
        match of.strip_prefix("Literal[").and_then(|rest| rest.strip_suffix(']')) {
            Some(values) => literals.push(values.to_string()),
            None if !distinct.contains(&of) => distinct.push(of),
            None => {}
        }
    }
    if !literals.is_empty() {
        distinct.insert(0, format!("Literal[{}]", literals.join(", ")));
    }
    match distinct.as_slice() {
        [one] => one.clone(),
        _ if in_code => format!("Union[{}]", distinct.join(", ")),
        _ => distinct.join(" | "),
    }
}

fn text<'a>(of: &'a Object, key: &str) -> &'a str {
    of.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn comment(text: &str, before: &str) -> String {
    if text.is_empty() { String::new() } else { wrapped(text, before) }
}

/// The text in lines, each with this before it.
fn wrapped(text: &str, before: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is a line");
        if !last.is_empty() && before.chars().count() + last.chars().count() + 1 + word.chars().count() > 105
        {
            lines.push(word.to_string());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines.iter().map(|line| format!("{before}{line}\n")).collect()
}

//! The experiment file as it is written: what every table says, before anything is looked up.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{Problem, Spot};
use crate::published::{Published, read_published};
use crate::setting::{Setting, Value, all_keys, key_of};
use iobound_workload::nearest;

/// An experiment file.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) source: String,
    pub(crate) region: Option<(String, Spot)>,
    pub(crate) price: bool,
    pub(crate) base: Vec<Setting>,
    pub(crate) entries: Vec<Entry>,
}

/// A `[[run]]` or a `[[sweep]]`.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) spot: Spot,
    pub(crate) from: Option<(String, Spot)>,
    pub(crate) settings: Vec<Setting>,
    pub(crate) sweep: Option<Sweep>,
    pub(crate) published: Option<Published>,
    pub(crate) no_figure: Option<String>,
    pub(crate) assumed: Vec<String>,
    pub(crate) note: Option<String>,
}

impl Document {
    /// Everything that is set anywhere: by key.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static str> {
        let own = self.entries.iter().flat_map(|entry| &entry.settings);
        let swept =
            self.entries.iter().filter_map(|entry| entry.sweep.as_ref()).flat_map(|sweep| &sweep.keys);
        self.base.iter().chain(own).map(|setting| setting.key).chain(swept.copied())
    }
}

/// Range of a sweep: keys, and their values together.
#[derive(Debug)]
pub(crate) struct Sweep {
    pub(crate) keys: Vec<&'static str>,
    pub(crate) rows: Vec<SweepRow>,
}

/// One step of a sweep: a value for each key.
#[derive(Debug)]
pub(crate) struct SweepRow {
    pub(crate) label: String,
    pub(crate) values: Vec<String>,
    pub(crate) spot: Spot,
}

const EXPERIMENT_KEYS: [&str; 6] = ["about", "currency", "name", "price", "region", "source"];
const ENTRY_KEYS: [&str; 8] =
    ["assumed", "expect-no-figure", "from", "labels", "name", "note", "over", "published"];

/// Reads the text; every problem found goes to `problems`.
pub(crate) fn read(text: &str, problems: &mut Vec<Problem>) -> Option<Document> {
    let document = match DeTable::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let spot = error.span().unwrap_or(0..0);
            problems.push(Problem::new(&spot, format!("this is not TOML: {}", error.message())));
            return None;
        }
    };
    let mut read = Document {
        name: String::new(),
        about: String::new(),
        source: String::new(),
        region: None,
        price: false,
        base: Vec::new(),
        entries: Vec::new(),
    };
    let tables = document.get_ref();
    // The experiment first: runs take its source where they name none.
    for (key, value) in tables {
        match key.get_ref().as_ref() {
            "experiment" => read_experiment(value, &mut read, problems),
            "base" => match value.get_ref().as_table() {
                Some(table) => read.base = settings(table, &[], problems),
                None => problems.push(Problem::new(&value.span(), "`base` is a table: write [base]")),
            },
            "run" | "sweep" => {}
            other => {
                let message = format!("`{other}`: [experiment], [base], [[run]] or [[sweep]] was expected");
                problems.push(Problem::new(&key.span(), message));
            }
        }
    }
    for (key, value) in tables {
        let kind = key.get_ref().as_ref();
        if !matches!(kind, "run" | "sweep") {
            continue;
        }
        let Some(list) =
            value.get_ref().as_array().filter(|list| list.iter().all(|of| of.get_ref().is_table()))
        else {
            problems
                .push(Problem::new(&value.span(), format!("`{kind}` is a list of tables: write [[{kind}]]")));
            continue;
        };
        for item in list {
            if let Some(table) = item.get_ref().as_table() {
                let entry = read_entry(table, item.span(), kind == "sweep", &read.source, problems);
                read.entries.extend(entry);
            }
        }
    }
    read.entries.sort_by_key(|entry| entry.spot.start);
    if read.entries.is_empty() && problems.is_empty() {
        problems.push(Problem::new(&(0..0), "the file has no runs: add a [[run]] or a [[sweep]]"));
    }
    Some(read)
}

fn read_experiment(value: &Spanned<DeValue<'_>>, read: &mut Document, problems: &mut Vec<Problem>) {
    let Some(table) = value.get_ref().as_table() else {
        problems.push(Problem::new(&value.span(), "`experiment` is a table: write [experiment]"));
        return;
    };
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let text = one(value).map_err(|message| Problem::new(&value.span(), format!("`{name}`: {message}")));
        let text = match text {
            Ok(text) => text,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        match name {
            "name" => read.name = text,
            "about" => read.about = text,
            "source" => read.source = text,
            "region" => read.region = Some((text, value.span())),
            "price" if text == "true" || text == "false" => read.price = text == "true",
            "price" => problems.push(Problem::new(&value.span(), "`price`: write true or false")),
            "currency" if text == "USD" => {}
            "currency" => {
                let message = format!("`currency`: prices are in USD, not in {text}: leave it out");
                problems.push(Problem::new(&value.span(), message));
            }
            _ => problems.push(unknown(name, &key.span(), &EXPERIMENT_KEYS)),
        }
    }
}

fn read_entry(
    table: &DeTable<'_>,
    spot: Spot,
    is_sweep: bool,
    source: &str,
    problems: &mut Vec<Problem>,
) -> Option<Entry> {
    let find =
        |name: &str| table.iter().find(|(key, _)| key.get_ref().as_ref() == name).map(|(_, value)| value);
    let before = problems.len();
    let mut text = |name: &str| -> Option<(String, Spot)> {
        let value = find(name)?;
        match one(value) {
            Ok(text) => Some((text, value.span())),
            Err(message) => {
                problems.push(Problem::new(&value.span(), format!("`{name}`: {message}")));
                None
            }
        }
    };
    let (name, from, note, no_figure) = (text("name"), text("from"), text("note"), text("expect-no-figure"));
    let name_spot = name.as_ref().map_or_else(|| spot.clone(), |(_, spot)| spot.clone());
    if name.as_ref().is_none_or(|(name, _)| name.trim().is_empty())
        && find("name").is_none_or(|_| name.is_some())
    {
        let kind = if is_sweep { "sweep" } else { "run" };
        problems.push(Problem::new(&name_spot, format!("the [[{kind}]] has no name: add name = \"…\"")));
    }
    let published = find("published")
        .and_then(|value| read_published(value, source).map_err(|problem| problems.push(problem)).ok());
    if let (Some(value), Some(_)) = (find("published"), &no_figure) {
        let message = "`published` does not go with `expect-no-figure`: give only one of them";
        problems.push(Problem::new(&value.span(), message));
    }
    let mut beside: Vec<&str> = ENTRY_KEYS.to_vec();
    if is_sweep {
        beside.push("values");
    }
    let sweep = if is_sweep { read_sweep(&find, &spot, problems) } else { None };
    if !is_sweep {
        for key in ["over", "labels", "values"] {
            if let Some(value) = find(key) {
                problems.push(Problem::new(&value.span(), format!("`{key}` is a key of a [[sweep]]")));
            }
        }
        beside.push("values");
    }
    let assumed = find("assumed").map_or(Vec::new(), |value| match many(value) {
        Ok(texts) => texts,
        Err(message) => {
            problems.push(Problem::new(&value.span(), format!("`assumed`: {message}")));
            Vec::new()
        }
    });
    let settings = settings(table, &beside, problems);
    let no_figure = no_figure.map(|(words, _)| if words == "true" { String::new() } else { words });
    (problems.len() == before).then(|| Entry {
        name: name.map_or(String::new(), |(name, _)| name),
        spot: name_spot,
        from,
        settings,
        sweep,
        published,
        no_figure,
        assumed,
        note: note.map(|(note, _)| note),
    })
}

fn read_sweep<'a, 'i: 'a>(
    find: &impl Fn(&str) -> Option<&'a Spanned<DeValue<'i>>>,
    spot: &Spot,
    problems: &mut Vec<Problem>,
) -> Option<Sweep> {
    let (Some(over), Some(values)) = (find("over"), find("values")) else {
        let message = "a [[sweep]] varies the values of a key: write over = \"depth\" and values = [1, 2, 4]";
        problems.push(Problem::new(spot, message));
        return None;
    };
    let mut fail = |spot: Spot, message: String| problems.push(Problem { spot, message });
    let names = match many(over) {
        Ok(names) if !names.is_empty() => names,
        _ => {
            fail(over.span(), "`over`: write the name of a key, or a list of names".into());
            return None;
        }
    };
    let mut keys = Vec::new();
    for name in &names {
        match key_of(name) {
            Some(key) => keys.push(key),
            None => {
                let problem = unknown(name, &over.span(), &[]);
                fail(problem.spot, problem.message);
                return None;
            }
        }
    }
    let Some(list) = values.get_ref().as_array().filter(|list| !list.is_empty()) else {
        fail(values.span(), "`values`: write a list, such as [1, 2, 4]".into());
        return None;
    };
    let labels = match find("labels").map(many) {
        None => None,
        Some(Ok(labels)) if labels.len() == list.len() => Some(labels),
        Some(_) => {
            let spot = find("labels").map_or(spot.clone(), Spanned::span);
            fail(spot, format!("`labels`: write a name for each of the {} values", list.len()));
            return None;
        }
    };
    let mut rows = Vec::new();
    for (index, item) in list.iter().enumerate() {
        let texts = if keys.len() == 1 { one(item).map(|text| vec![text]) } else { many(item) };
        match texts {
            Ok(texts) if texts.len() == keys.len() => rows.push(SweepRow {
                label: labels.as_ref().map_or_else(|| texts.join(" "), |labels| labels[index].clone()),
                values: texts,
                spot: item.span(),
            }),
            _ => {
                let message = match keys.as_slice() {
                    [key] => format!("`values`: write a value of `{key}`"),
                    keys => format!("`values`: write a list of {}: {}", keys.len(), keys.join(", ")),
                };
                fail(item.span(), message);
            }
        }
    }
    Some(Sweep { keys, rows })
}

/// The settings of a table; `beside` are its keys that are none.
fn settings(table: &DeTable<'_>, beside: &[&str], problems: &mut Vec<Problem>) -> Vec<Setting> {
    let mut settings = Vec::new();
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        if beside.contains(&name) {
            continue;
        }
        let Some(known) = key_of(name) else {
            problems.push(unknown(name, &key.span(), beside));
            continue;
        };
        let read = match value.get_ref() {
            DeValue::Array(_) => many(value).map(Value::Many),
            _ => one(value).map(Value::One),
        };
        match read {
            Ok(value_read) => settings.push(Setting { key: known, value: value_read, spot: value.span() }),
            Err(message) => problems.push(Problem::new(&value.span(), format!("`{name}`: {message}"))),
        }
    }
    settings
}

fn unknown(name: &str, spot: &Spot, beside: &[&str]) -> Problem {
    let mut known: Vec<&str> = all_keys().collect();
    known.extend(beside);
    let message = match nearest(name, known.iter().copied()).as_slice() {
        [] => format!("unknown key `{name}`: a run has the keys of a configuration and of a workload"),
        near => format!("unknown key `{name}`: did you mean {}?", near.join(" or ")),
    };
    Problem::new(spot, message)
}

fn one(value: &Spanned<DeValue<'_>>) -> Result<String, String> {
    match value.get_ref() {
        DeValue::String(text) => Ok(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Ok(number.as_str().replace('_', "")),
        DeValue::Float(number) => Ok(number.as_str().to_string()),
        DeValue::Boolean(on) => Ok(on.to_string()),
        DeValue::Integer(_) => Err("write a decimal number".into()),
        DeValue::Datetime(_) => Err("write text or a number, not a date".into()),
        DeValue::Array(_) => Err("write one value, not a list".into()),
        DeValue::Table(_) => Err("write text, a number or true, not a table".into()),
    }
}

fn many(value: &Spanned<DeValue<'_>>) -> Result<Vec<String>, String> {
    match value.get_ref().as_array() {
        Some(items) => items.iter().map(one).collect(),
        None => one(value).map(|text| vec![text]),
    }
}

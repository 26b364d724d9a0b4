//! A page taken apart as a browser would: its elements with their attributes, its text, its data. What is not well-formed,
//! loads something or is no page of ours fails.
#![allow(dead_code, reason = "each test takes what it needs of these")]

use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::Value;

/// An element: its name and attributes.
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
}

impl Element {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// A page.
pub(crate) struct Read {
    pub(crate) elements: Vec<Element>,
    /// Text without markup.
    pub(crate) text: String,
    /// Data of the charts.
    pub(crate) charts: Value,
    /// The document, where the page holds it.
    pub(crate) document: Option<Value>,
}

impl Read {
    /// The exact figures of the tables.
    pub(crate) fn figures(&self) -> Vec<&str> {
        let data = self.elements.iter().filter(|element| element.name == "data");
        data.map(|element| element.get("value").expect("a figure is exact")).collect()
    }

    pub(crate) fn count(&self, name: &str) -> usize {
        self.elements.iter().filter(|element| element.name == name).count()
    }
}

/// The content of the element that opens so, taken out of the page: scripts and styles are no XML.
fn take(page: &mut String, open: &str, close: &str) -> Option<String> {
    let from = page.find(open)? + open.len();
    let to = from + page[from..].find(close)?;
    let inside = page[from..to].to_string();
    page.replace_range(from..to, "");
    Some(inside)
}

/// Reads a page.
#[track_caller]
pub(crate) fn read(page: &str) -> Read {
    let body = page.strip_prefix("<!DOCTYPE html>\n").expect("a page says what it is");
    let mut body = body.to_string();
    let style = take(&mut body, "<style>", "</style>").expect("a page has its style");
    assert!(!style.contains("url(") && !style.contains("@import"), "the style loads something");
    let parse = |text: String| serde_json::from_str::<Value>(&text).expect("data is JSON");
    let document = take(&mut body, "id=\"document\">", "</script>").map(parse);
    let charts = take(&mut body, "id=\"charts\">", "</script>").map(parse).expect("a page has its charts");
    let script = take(&mut body, "<script>", "</script>").expect("a page has its script");
    for loading in ["fetch(", "XMLHttpRequest", "import(", "sendBeacon", "WebSocket"] {
        assert!(!script.contains(loading), "the script has {loading}");
    }
    let mut reader = Reader::from_str(&body);
    let (mut elements, mut text) = (Vec::new(), String::new());
    loop {
        match reader.read_event().unwrap_or_else(|error| panic!("not well-formed: {error}")) {
            Event::Start(tag) | Event::Empty(tag) => {
                let attributes = tag.attributes().map(|attribute| {
                    let attribute = attribute.expect("attributes are in quotes, each once");
                    let key = attribute.key.as_ref().to_string();
                    let value = quick_xml::escape::unescape(&attribute.value);
                    (key, value.expect("it is escaped").into_owned())
                });
                let attributes: Vec<_> = attributes.collect();
                elements.push(Element { name: tag.name().as_ref().to_string(), attributes });
            }
            Event::Text(part) => text.push_str(&part),
            Event::GeneralRef(name) => {
                text.push_str(match &*name {
                    "amp" => "&",
                    "lt" => "<",
                    "gt" => ">",
                    "quot" => "\"",
                    "#39" => "'",
                    other => panic!("&{other}; is none of the page's"),
                });
            }
            Event::End(_) => text.push('\n'),
            Event::Eof => break,
            other => panic!("a page has no {other:?}"),
        }
    }
    let page = Read { elements, text, charts, document };
    check(&page);
    page
}

/// What holds of every page: it loads nothing, and everything in it has a name for who does not see it.
fn check(page: &Read) {
    const LOADING: [&str; 12] = [
        "img", "iframe", "object", "embed", "link", "base", "form", "video", "audio", "source", "use",
        "image",
    ];
    let mut ids: Vec<&str> = Vec::new();
    for element in &page.elements {
        assert!(!LOADING.contains(&element.name.as_str()), "a page has no {}", element.name);
        for (name, value) in &element.attributes {
            assert!(
                !name.starts_with("on") && name != "src" && name != "style",
                "{name} on {}",
                element.name
            );
            assert!(name != "href" || value.starts_with('#'), "{value} leads out of the page");
            assert!(!["d", "x", "y", "width"].contains(&name.as_str()) || !value.contains("NaN"), "{value}");
        }
        ids.extend(element.get("id"));
        let is_picture = element.name == "svg" && element.get("role") == Some("img");
        assert!(
            !is_picture || element.get("aria-label").is_some_and(|label| !label.is_empty()),
            "an svg has no label"
        );
    }
    let mut once = ids.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), ids.len(), "an id is there twice");
    for target in page.elements.iter().filter_map(|element| element.get("href")) {
        assert!(ids.contains(&&target[1..]), "{target} leads nowhere");
    }
    let policy =
        page.elements.iter().find(|element| element.get("http-equiv") == Some("Content-Security-Policy"));
    let policy = policy.and_then(|meta| meta.get("content")).expect("a page has a policy");
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
    assert_eq!(page.count("h1"), 1, "a page has one title");
    assert_eq!(page.count("table"), page.count("caption"), "every table has a caption");
    assert_eq!(page.count("figure"), page.count("figcaption"), "every figure has one");
    let charts = page.charts.as_array().expect("charts are a list");
    for chart in charts {
        let id = chart["id"].as_str().expect("a chart has a place");
        assert!(ids.contains(&id), "{id} has no place");
    }
}

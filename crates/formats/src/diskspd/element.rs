//! A profile's elements as a small tree. What is outside `Profile` (the figures of a result) is passed over,
//! so that a result of many megabytes costs no memory.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::error::{At, Trouble};

/// The largest text that is read, in bytes. Results with a bucket every millisecond stay below it.
const LARGEST: usize = 256 << 20;
/// The deepest nesting that is read. A profile has eight levels.
const DEEPEST: usize = 64;
/// The most elements that a profile may have.
const MOST: usize = 200_000;

/// An element, with what it holds.
#[derive(Debug, Default)]
pub(super) struct Element {
    pub name: String,
    /// Names and values, as written.
    pub attributes: Vec<(String, String)>,
    /// All text directly inside, trimmed.
    pub text: String,
    pub children: Vec<Element>,
    pub at: At,
}

impl Element {
    /// The value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// The `Profile` element of a profile or of a result; `None` with a problem.
pub(super) fn read_profile(text: &str, source: usize, trouble: &mut Trouble) -> Option<Element> {
    let whole = At { source, at: 0, len: 1 };
    if text.len() > LARGEST {
        trouble.add(
            whole,
            format!("more than {} MiB of XML", LARGEST >> 20),
            "give the Profile element only",
        );
        return None;
    }
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    let (mut depth, mut count) = (0usize, 0usize);
    let mut profile = None;
    loop {
        let from = reader.buffer_position() as usize;
        let event = reader.read_event();
        let to = reader.buffer_position() as usize;
        let at = At { source, at: from, len: to.saturating_sub(from).clamp(1, 200) };
        match event {
            Err(error) => {
                let at = At { source, at: reader.error_position() as usize, len: 1 };
                trouble.add(at, format!("no well-formed XML: {error}"), "give the file as DiskSpd wrote it");
                return None;
            }
            Ok(Event::Start(start)) => {
                depth += 1;
                count += usize::from(!open.is_empty());
                if depth > DEEPEST || count > MOST {
                    let what = format!("more than {DEEPEST} levels or {MOST} elements of XML");
                    trouble.add(at, what, "give a profile of DiskSpd's");
                    return None;
                }
                if !open.is_empty() || (profile.is_none() && start.local_name().as_ref() == "Profile") {
                    open.push(element(&start, at, trouble)?);
                }
            }
            Ok(Event::Empty(start)) => {
                if open.is_empty() {
                    continue;
                }
                let child = element(&start, at, trouble)?;
                close(&mut open, child, &mut profile);
            }
            Ok(Event::End(_)) => {
                depth = depth.saturating_sub(1);
                if let Some(child) = open.pop() {
                    close(&mut open, child, &mut profile);
                }
            }
            Ok(Event::Text(written)) => {
                if let Some(inside) = open.last_mut() {
                    inside.text.push_str(&written.xml_content(XmlVersion::Explicit1_0));
                }
            }
            Ok(Event::CData(written)) => {
                if let Some(inside) = open.last_mut() {
                    inside.text.push_str(&written.xml_content(XmlVersion::Explicit1_0));
                }
            }
            Ok(Event::GeneralRef(reference)) => {
                if let Some(inside) = open.last_mut() {
                    match resolved(&reference) {
                        Some(c) => inside.text.push(c),
                        None => trouble.add(at, "an entity that XML does not define", "write the character"),
                    }
                }
            }
            Ok(Event::Eof) => break,
            Ok(_) => {}
        }
    }
    if profile.is_none() {
        let what =
            if open.is_empty() { "there is no Profile element" } else { "the Profile element is not closed" };
        trouble.add(whole, what, "give a profile (-Rpxml) or a result (-Rxml) of DiskSpd's");
    }
    profile
}

/// Puts a finished element where it belongs.
fn close(open: &mut [Element], mut child: Element, profile: &mut Option<Element>) {
    child.text = child.text.trim().to_string();
    match open.last_mut() {
        Some(parent) => parent.children.push(child),
        None => *profile = Some(child),
    }
}

fn element(start: &BytesStart<'_>, at: At, trouble: &mut Trouble) -> Option<Element> {
    let name = start.local_name().as_ref().to_string();
    let mut attributes = Vec::new();
    for attribute in start.attributes() {
        match attribute {
            Ok(attribute) => {
                attributes.push((attribute.key.as_ref().to_string(), attribute.value.into_owned()))
            }
            Err(error) => {
                trouble.add(at, format!("an attribute can't be read: {error}"), "write name=\"value\"");
                return None;
            }
        }
    }
    Some(Element { name, attributes, at, ..Element::default() })
}

/// The character of `&#65;`, `&amp;` and the other four that XML defines.
fn resolved(reference: &quick_xml::events::BytesRef<'_>) -> Option<char> {
    if let Ok(Some(c)) = reference.resolve_char_ref() {
        return Some(c);
    }
    match reference.as_ref() {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => None,
    }
}

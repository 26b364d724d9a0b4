//! The elements of a profile or a result as a small tree. What is not asked for (the figures of a result where its
//! profile is wanted, the intervals of each target where the figures are) is passed over, so that a result of many
//! megabytes costs little memory.

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::error::{At, Trouble};

/// The largest text that is read, in bytes. Results with a bucket every millisecond stay below it.
const LARGEST: usize = 256 << 20;
/// The deepest nesting that is read. A profile has eight levels.
const DEEPEST: usize = 64;
/// The most elements that are kept. A profile has a few for each target; a result about fifteen for each target of
/// each thread, and one for each interval.
const MOST: usize = 1_000_000;

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
    /// The first child of that name.
    pub(super) fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The children of that name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Part of a text that is kept.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    /// The name of the element that is kept, with what it holds.
    pub root: &'static str,
    /// True if an element, by its parent's name and its own, is passed over with all that it holds.
    pub pass: fn(&str, &str) -> bool,
    /// Advice if the root is missing or the text is too long.
    pub help: &'static str,
}

/// The profile, in a profile or in a result.
const PROFILE: Wanted = Wanted {
    root: "Profile",
    pass: |_, _| false,
    help: "give a profile (-Rpxml) or a result (-Rxml) of DiskSpd's",
};

/// The `Profile` element of a profile or of a result; `None` with a problem.
pub(super) fn read_profile(text: &str, source: usize, trouble: &mut Trouble) -> Option<Element> {
    read(text, source, PROFILE, trouble)
}

/// The first element of that name; `None` with a problem.
pub(super) fn read(text: &str, source: usize, wanted: Wanted, trouble: &mut Trouble) -> Option<Element> {
    let whole = At { source, at: 0, len: 1 };
    if text.len() > LARGEST {
        trouble.add(whole, format!("more than {} MiB of XML", LARGEST >> 20), wanted.help);
        return None;
    }
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    let (mut depth, mut count) = (0usize, 0usize);
    // How deep inside an element that is passed over.
    let mut passed = 0usize;
    let mut root = None;
    loop {
        let from = reader.buffer_position() as usize;
        let event = reader.read_event();
        let to = reader.buffer_position() as usize;
        let at = At { source, at: from, len: to.saturating_sub(from).clamp(1, 200) };
        let passes = |start: &BytesStart<'_>, open: &[Element]| {
            open.last().is_some_and(|parent| (wanted.pass)(&parent.name, start.local_name().as_ref()))
        };
        match event {
            Err(error) => {
                let at = At { source, at: reader.error_position() as usize, len: 1 };
                trouble.add(at, format!("not well-formed XML: {error}"), "give DiskSpd's unchanged file");
                return None;
            }
            Ok(Event::Start(start)) => {
                depth += 1;
                if depth > DEEPEST {
                    trouble.add(at, format!("more than {DEEPEST} levels of XML"), wanted.help);
                    return None;
                }
                if passed > 0 || passes(&start, &open) {
                    passed += 1;
                } else if !open.is_empty() || (root.is_none() && start.local_name().as_ref() == wanted.root) {
                    count += 1;
                    open.push(element(&start, at, trouble)?);
                }
            }
            Ok(Event::Empty(start)) => {
                if open.is_empty() || passed > 0 || passes(&start, &open) {
                    continue;
                }
                count += 1;
                let child = element(&start, at, trouble)?;
                close(&mut open, child, &mut root);
            }
            Ok(Event::End(_)) => {
                depth = depth.saturating_sub(1);
                if passed > 0 {
                    passed -= 1;
                } else if let Some(child) = open.pop() {
                    close(&mut open, child, &mut root);
                }
            }
            Ok(Event::Text(written)) => {
                if let Some(inside) = open.last_mut().filter(|_| passed == 0) {
                    inside.text.push_str(&written.xml_content(XmlVersion::Explicit1_0));
                }
            }
            Ok(Event::CData(written)) => {
                if let Some(inside) = open.last_mut().filter(|_| passed == 0) {
                    inside.text.push_str(&written.xml_content(XmlVersion::Explicit1_0));
                }
            }
            Ok(Event::GeneralRef(reference)) => {
                if let Some(inside) = open.last_mut().filter(|_| passed == 0) {
                    match resolved(&reference) {
                        Some(c) => inside.text.push(c),
                        None => trouble.add(at, "an entity that XML does not define", "write the character"),
                    }
                }
            }
            Ok(Event::Eof) => break,
            Ok(_) => {}
        }
        if count > MOST {
            trouble.add(at, format!("more than {MOST} elements of XML"), wanted.help);
            return None;
        }
    }
    if root.is_none() {
        let name = wanted.root;
        let what = if open.is_empty() {
            format!("there is no {name} element")
        } else {
            format!("the {name} element is not closed")
        };
        trouble.add(whole, what, wanted.help);
    }
    root
}

/// Puts a finished element where it belongs.
fn close(open: &mut [Element], mut child: Element, root: &mut Option<Element>) {
    child.text = child.text.trim().to_string();
    match open.last_mut() {
        Some(parent) => parent.children.push(child),
        None => *root = Some(child),
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
                trouble.add(at, format!("cannot read an attribute: {error}"), "write name=\"value\"");
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
    resolve_predefined_entity(reference)?.chars().next()
}

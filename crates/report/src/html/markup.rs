//! Markup in which text cannot become tags: text of a document is escaped on its way in, and only words of the source
//! are written unescaped.

use std::fmt::Write;

/// A piece of HTML or SVG, well-formed as XML.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Markup {
    text: String,
}

/// Tags without content.
const EMPTY: [&str; 3] = ["meta", "br", "link"];

impl Markup {
    pub(super) fn new() -> Markup {
        Markup::default()
    }

    /// Text, whatever it holds.
    pub(super) fn text(&mut self, text: &str) {
        escape(text, &mut self.text);
    }

    /// An element, with what is put into it.
    pub(super) fn element(
        &mut self,
        tag: &'static str,
        attributes: &[(&'static str, &str)],
        inside: impl FnOnce(&mut Markup),
    ) {
        let _ = write!(self.text, "<{tag}");
        for (name, value) in attributes {
            let _ = write!(self.text, " {name}=\"");
            escape(value, &mut self.text);
            self.text.push('"');
        }
        if EMPTY.contains(&tag) {
            self.text.push_str("/>");
            return;
        }
        self.text.push('>');
        inside(self);
        let _ = write!(self.text, "</{tag}>");
    }

    /// The same, with the element added.
    #[must_use]
    pub(super) fn with(
        mut self,
        tag: &'static str,
        attributes: &[(&'static str, &str)],
        inside: impl FnOnce(&mut Markup),
    ) -> Markup {
        self.element(tag, attributes, inside);
        self
    }

    /// An element with text in it.
    pub(super) fn line(&mut self, tag: &'static str, attributes: &[(&'static str, &str)], text: &str) {
        self.element(tag, attributes, |inside| inside.text(text));
    }

    /// Other markup.
    pub(super) fn add(&mut self, other: &Markup) {
        self.text.push_str(&other.text);
    }

    /// Source text, unescaped: a style sheet, a script.
    pub(super) fn asset(&mut self, text: &'static str) {
        self.text.push_str(text);
    }

    /// JSON within a script element: no `<` is left, so that nothing in it ends the element or opens a comment.
    pub(super) fn json(&mut self, value: &serde_json::Value) {
        let text = value.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
        self.text.push_str(&text);
    }

    /// Text with the marks of the definitions: `code` and *stress*.
    pub(super) fn prose(&mut self, text: &str) {
        for (number, part) in text.split('`').enumerate() {
            if number % 2 == 1 {
                self.line("code", &[], part);
                continue;
            }
            for (number, part) in part.replace("**", "*").split('*').enumerate() {
                if number % 2 == 1 { self.line("em", &[], part) } else { self.text(part) }
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}

/// Escapes what has a meaning in HTML, in text and in attributes. Controls that no document may hold become U+FFFD.
fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' => out.push(c),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_becomes_no_tag_wherever_it_stands() {
        let hostile = "<img src=x onerror=\"alert('1')\"> & \u{1}";
        let mut markup = Markup::new();
        markup.line("p", &[("title", hostile)], hostile);
        let markup = markup.into_text();
        let escaped = "&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; &amp; \u{fffd}";
        assert_eq!(markup, format!("<p title=\"{escaped}\">{escaped}</p>"));
    }

    #[test]
    fn json_ends_no_script() {
        let value = serde_json::json!({ "name": "</script><!-- & \u{2028}" });
        let mut markup = Markup::new();
        markup.json(&value);
        let text = markup.into_text();
        assert!(!text.contains(['<', '>', '&']), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }

    #[test]
    fn definitions_keep_their_code_and_stress() {
        let mut markup = Markup::new();
        markup.prose("a *unit* is `ceil(a*b)` <b>");
        assert_eq!(markup.into_text(), "a <em>unit</em> is <code>ceil(a*b)</code> &lt;b&gt;");
    }
}

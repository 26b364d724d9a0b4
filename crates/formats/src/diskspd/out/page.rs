use std::fmt::{Arguments, Display, Write};

use quick_xml::escape::partial_escape;

/// Text that grows.
#[derive(Default)]
pub(super) struct Page(String);

impl Page {
    /// Adds text.
    pub(super) fn put(&mut self, text: Arguments<'_>) {
        self.0.write_fmt(text).expect("writing to memory does not fail");
    }

    /// Adds a line.
    pub(super) fn line(&mut self, text: Arguments<'_>) {
        self.put(text);
        self.0.push('\n');
    }

    /// All of it.
    pub(super) fn into_string(self) -> String {
        self.0
    }
}

/// XML that grows, each level two spaces further in, an element on each line: scripts scan it by lines.
#[derive(Default)]
pub(super) struct Markup {
    page: Page,
    indent: usize,
}

impl Markup {
    /// A line as it stands.
    pub(super) fn line(&mut self, text: Arguments<'_>) {
        let indent = self.indent;
        self.page.line(format_args!("{:indent$}{text}", ""));
    }

    /// Opens an element with these attributes.
    pub(super) fn open(&mut self, name: &str, attributes: &[(&str, &dyn Display)]) {
        let attributes = written(attributes);
        self.line(format_args!("<{name}{attributes}>"));
        self.indent += 2;
    }

    /// Closes it.
    pub(super) fn close(&mut self, name: &str) {
        self.indent -= 2;
        self.line(format_args!("</{name}>"));
    }

    /// An element with attributes and nothing inside.
    pub(super) fn empty(&mut self, name: &str, attributes: &[(&str, &dyn Display)]) {
        let attributes = written(attributes);
        self.line(format_args!("<{name}{attributes}/>"));
    }

    /// An element with a text inside.
    pub(super) fn leaf(&mut self, name: &str, value: impl Display) {
        let value = escaped(&value.to_string());
        self.line(format_args!("<{name}>{value}</{name}>"));
    }

    /// An element with attributes and a text inside.
    pub(super) fn marked(&mut self, name: &str, attributes: &[(&str, &dyn Display)], value: impl Display) {
        let (attributes, value) = (written(attributes), escaped(&value.to_string()));
        self.line(format_args!("<{name}{attributes}>{value}</{name}>"));
    }

    /// All of it.
    pub(super) fn into_string(self) -> String {
        self.page.into_string()
    }
}

fn written(attributes: &[(&str, &dyn Display)]) -> String {
    attributes.iter().map(|(name, value)| format!(" {name}=\"{}\"", escaped(&value.to_string()))).collect()
}

/// Escapes characters of XML markup as entities, and replaces characters that XML cannot hold by U+FFFD. DiskSpd escapes nothing,
/// so that a path with an ampersand makes its result unreadable.
fn escaped(text: &str) -> String {
    let is_beyond_xml =
        |c: char| c < ' ' && !matches!(c, '\t' | '\n' | '\r') || matches!(c, '\u{fffe}' | '\u{ffff}');
    partial_escape(text.replace(is_beyond_xml, "\u{fffd}")).replace('"', "&quot;")
}

/// A size as DiskSpd's text has it: the largest binary unit that it reaches, whole or to two decimals; plain
/// below 1 KiB.
pub(super) fn size(bytes: u64) -> String {
    let Some((scale, unit)) = scale(bytes) else { return bytes.to_string() };
    if bytes.is_multiple_of(scale) {
        format!("{}{unit}", bytes / scale)
    } else {
        format!("{:.2}{unit}", bytes as f64 / scale as f64)
    }
}

/// The same with its number in six columns.
pub(super) fn size_in_column(bytes: u64) -> String {
    let Some((scale, unit)) = scale(bytes) else { return format!("{bytes:>6}   ") };
    if bytes.is_multiple_of(scale) {
        format!("{:>6}{unit}", bytes / scale)
    } else {
        format!("{:>6.2}{unit}", bytes as f64 / scale as f64)
    }
}

fn scale(bytes: u64) -> Option<(u64, &'static str)> {
    [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")]
        .into_iter()
        .map(|(shift, unit)| (1u64 << shift, unit))
        .find(|(scale, _)| bytes >= *scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_diskspds() {
        // 52,428,800,000 is what -c50000M makes: 48.83GiB in its tables.
        for (bytes, text) in [
            (0, "0"),
            (512, "512"),
            (4096, "4KiB"),
            (10 << 20, "10MiB"),
            (52_428_800_000, "48.83GiB"),
            (496 << 30, "496GiB"),
            (1 << 40, "1TiB"),
        ] {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn what_xml_would_read_as_a_mark_is_written_as_an_entity() {
        let mut markup = Markup::default();
        markup.open("Results", &[]);
        markup.leaf("Path", r#"C:\a & b\<"x">"#);
        markup.empty("Group", &[("Group", &0)]);
        markup.close("Results");
        assert_eq!(
            markup.into_string(),
            "<Results>\n  <Path>C:\\a &amp; b\\&lt;&quot;x&quot;&gt;</Path>\n  <Group Group=\"0\"/>\n</Results>\n"
        );
    }
}

//! A reader of XML for tests: elements, attributes and text, made to the published schema and to nothing of ours.

/// An element.
#[derive(Debug, Default)]
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) text: String,
    pub(crate) children: Vec<Node>,
}

impl Node {
    pub(crate) fn find(&self, name: &str) -> Option<&Node> {
        self.children.iter().find(|child| child.name == name)
    }

    pub(crate) fn all(&self, name: &str) -> Vec<&Node> {
        self.children.iter().filter(|child| child.name == name).collect()
    }

    /// The text of an element by the names on the way to it.
    pub(crate) fn at(&self, path: &[&str]) -> &str {
        let node = path.iter().fold(self, |node, name| {
            node.find(name).unwrap_or_else(|| panic!("{} has no {name}", node.name))
        });
        &node.text
    }

    pub(crate) fn number(&self, path: &[&str]) -> f64 {
        self.at(path).parse().unwrap_or_else(|_| panic!("{path:?} is `{}`", self.at(path)))
    }

    pub(crate) fn attribute(&self, name: &str) -> &str {
        let found = self.attributes.iter().find(|(key, _)| key == name);
        &found.unwrap_or_else(|| panic!("{} has no attribute {name}", self.name)).1
    }
}

/// The root of a text.
pub(crate) fn parse(text: &str) -> Node {
    let mut open = vec![Node::default()];
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let said = plain(rest[..at].trim());
        open.last_mut().unwrap().text.push_str(&said);
        let end = rest[at..].find('>').expect("a mark ends") + at;
        let mark = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = mark.strip_prefix('/') {
            let node = open.pop().unwrap();
            assert_eq!(node.name, name, "elements are closed in order");
            open.last_mut().unwrap().children.push(node);
        } else if let Some(mark) = mark.strip_suffix('/') {
            open.last_mut().unwrap().children.push(element(mark));
        } else {
            open.push(element(mark));
        }
    }
    assert_eq!(open.len(), 1, "all elements are closed");
    assert!(rest.trim().is_empty(), "nothing stands after the root");
    let mut root = open.pop().unwrap();
    assert_eq!(root.children.len(), 1, "one root");
    root.children.pop().unwrap()
}

fn element(mark: &str) -> Node {
    let (name, mut rest) = mark.split_once(' ').unwrap_or((mark, ""));
    let mut attributes = Vec::new();
    while let Some((key, after)) = rest.split_once("=\"") {
        let (value, next) = after.split_once('"').expect("a value ends");
        attributes.push((key.trim().to_string(), plain(value)));
        rest = next;
    }
    Node { name: name.to_string(), attributes, ..Node::default() }
}

fn plain(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

//! The modules of each crate: which file uses which, and that a type's name means one thing.

use std::collections::{BTreeMap, BTreeSet};

use crate::workspace::{assert_none, crates, files, read, root};

/// The most files of a cycle.
const LARGEST_CYCLE: usize = 4;

/// A module's path in its crate: `["prepare", "mark"]`; none for the root.
type Module = Vec<String>;

/// A `use`: its path, the name that it has here, and whether it only passes the name on.
struct Use {
    path: Vec<String>,
    name: String,
    is_passed_on: bool,
}

/// The code of one crate, by module, without comments and the tests at a file's foot.
struct Sources {
    code: BTreeMap<Module, String>,
    uses: BTreeMap<Module, Vec<Use>>,
}

impl Sources {
    fn of_crate(name: &str) -> Sources {
        let folder = root().join("crates").join(name).join("src");
        let relative = |path: &std::path::Path| {
            path.strip_prefix(&folder).expect("the file is in the folder").display().to_string()
        };
        let of = |path: std::path::PathBuf| (relative(&path), read(&path));
        let all = files(&folder, &[".rs"]).into_iter().map(of);
        // Messages that are generated from `fleet.proto` have the names of what they carry.
        let is_own = |text: &str| !text.contains("@generated");
        Sources::of(all.filter(|(path, text)| !is_of_tests(path) && is_own(text)))
    }

    fn of(files: impl Iterator<Item = (String, String)>) -> Sources {
        let code: BTreeMap<Module, String> =
            files.map(|(path, text)| (module_of(&path), code_of(&text))).collect();
        let uses = code.iter().map(|(module, code)| (module.clone(), uses_of(code))).collect();
        Sources { code, uses }
    }

    /// The path from the crate's root, where it leads into the crate.
    fn absolute(&self, module: &Module, path: &[String]) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([module.as_slice(), rest].concat()),
            "super" => {
                let ups = path.iter().take_while(|part| *part == "super").count();
                let above = module.len().checked_sub(ups)?;
                Some([&module[..above], &path[ups..]].concat())
            }
            _ => {
                let child = [module.as_slice(), path].concat();
                if self.code.contains_key(&child[..module.len() + 1]) {
                    return Some(child);
                }
                // A name that another `use` brings in: `use linux as platform; pub use platform::open;`.
                let alias = self.uses.get(module)?.iter().find(|it| it.name == *first && it.path != path)?;
                (alias.path != [first.clone()])
                    .then(|| self.absolute(module, &[&alias.path, rest].concat()))?
            }
        }
    }

    /// The module that has what a path names, through any `pub use` on the way.
    fn definer(&self, path: &[String], depth: usize) -> Module {
        let known = (0..=path.len()).rev().find(|n| self.code.contains_key(&path[..*n]));
        let module = path[..known.unwrap_or(0)].to_vec();
        let Some(name) = path.get(module.len()).filter(|_| depth < 8) else { return module };
        let passed = self.uses.get(&module).into_iter().flatten().find(|it| it.name == *name);
        let onward = passed.and_then(|it| self.absolute(&module, &it.path)).filter(|onward| onward != path);
        match onward {
            Some(onward) => self.definer(&[onward.as_slice(), &path[module.len() + 1..]].concat(), depth + 1),
            None => module,
        }
    }

    /// Uses of modules by other modules. A name that is only re-exported is used by those who import it.
    fn graph(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let mut graph = BTreeMap::new();
        for (module, code) in &self.code {
            let used = self.uses[module].iter().filter(|it| !it.is_passed_on).map(|it| it.path.clone());
            let paths = used.chain(inline_paths(code));
            let definers = paths.filter_map(|path| Some(self.definer(&self.absolute(module, &path)?, 0)));
            graph.insert(module.clone(), definers.filter(|other| other != module).collect());
        }
        graph
    }
}

/// Files that only tests have.
fn is_of_tests(path: &str) -> bool {
    path.contains("tests") || path.ends_with("fixture.rs")
}

fn module_of(path: &str) -> Module {
    let path = path.trim_end_matches(".rs");
    let parts = path.split('/').map(str::to_string);
    let mut module: Module = parts.collect();
    if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        module.pop();
    }
    module
}

fn code_of(text: &str) -> String {
    let code = text
        .lines()
        .take_while(|line| !line.starts_with("#[cfg(test)]") && !line.starts_with("#[cfg(all(test"));
    code.map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<&str>>().join("\n")
}

/// The text of each `use`, and whether it is `pub`.
fn use_items(code: &str) -> impl Iterator<Item = (&str, bool)> {
    let starts = code.match_indices("use ").filter(|(at, _)| {
        let line = code[..*at].rfind('\n').map_or(0, |end| end + 1);
        let before = code[line..*at].trim();
        before.is_empty() || (before.starts_with("pub") && !before.contains(' '))
    });
    starts.filter_map(move |(at, word)| {
        let line = code[..at].rfind('\n').map_or(0, |end| end + 1);
        let item = code[at + word.len()..].split(';').next()?;
        Some((item, code[line..at].trim().starts_with("pub")))
    })
}

fn uses_of(code: &str) -> Vec<Use> {
    let mut uses = Vec::new();
    for (item, is_passed_on) in use_items(code) {
        for one in single_uses(item) {
            let (path, alias) = one.split_once(" as ").unwrap_or((&one, ""));
            let mut path: Vec<String> = path.split("::").map(|part| part.trim().to_string()).collect();
            if path.last().is_some_and(|last| matches!(last.as_str(), "self" | "*")) {
                path.pop();
            }
            let Some(last) = path.last() else { continue };
            let name = if alias.trim().is_empty() { last.clone() } else { alias.trim().to_string() };
            uses.push(Use { path, name, is_passed_on });
        }
    }
    uses
}

/// `a::{b, c::{d, e}}` as `a::b`, `a::c::d`, `a::c::e`.
fn single_uses(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((prefix, rest)) = tree.split_once('{') else { return vec![tree.to_string()] };
    let body = rest.rsplit_once('}').map_or(rest, |(body, _)| body);
    let (mut parts, mut depth) = (vec![String::new()], 0_u32);
    for c in body.chars() {
        match c {
            ',' if depth == 0 => parts.push(String::new()),
            _ => {
                depth = match c {
                    '{' => depth + 1,
                    '}' => depth.saturating_sub(1),
                    _ => depth,
                };
                parts.last_mut().expect("there is one").push(c);
            }
        }
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| single_uses(part)).map(|part| format!("{prefix}{part}")).collect()
}

/// Paths in the code that no `use` brought in: `crate::sys::bind(own)`, `super::listing(entry)`.
fn inline_paths(code: &str) -> Vec<Vec<String>> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let lines = code.lines().filter(|line| !line.contains("use "));
    let words = lines.flat_map(|line| line.split(move |c: char| !is_word(c)));
    words
        .filter(|word| word.starts_with("crate::") || word.starts_with("super::"))
        .map(|word| word.split("::").filter(|part| !part.is_empty()).map(str::to_string).collect())
        .collect()
}

/// The groups of modules that reach each other.
fn cycles(graph: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<BTreeSet<Module>> {
    let reached = |from: &Module| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(module) = open.pop() {
            let next = graph.get(&module).into_iter().flatten();
            open.extend(next.filter(|next| seen.insert((*next).clone())).cloned());
        }
        seen
    };
    let reach: BTreeMap<&Module, BTreeSet<Module>> = graph.keys().map(|it| (it, reached(it))).collect();
    let mut found = BTreeSet::new();
    for (module, all) in &reach {
        if all.contains(*module) {
            let group = all.iter().filter(|other| reach.get(other).is_some_and(|it| it.contains(*module)));
            found.insert(group.cloned().collect::<BTreeSet<Module>>());
        }
    }
    found.into_iter().collect()
}

/// True if all are one folder's `mod.rs` and files or folders directly in it.
fn is_of_one_folder(cycle: &BTreeSet<Module>) -> bool {
    let folders = cycle.iter().flat_map(|module| [module.as_slice(), &module[..module.len().max(1) - 1]]);
    let is_in = |module: &Module, folder: &[String]| {
        module == folder || module.split_last().map(|it| it.1) == Some(folder)
    };
    folders.into_iter().any(|folder| cycle.iter().all(|module| is_in(module, folder)))
}

fn forbidden_cycles(sources: &Sources) -> Vec<String> {
    let cycles = cycles(&sources.graph());
    let forbidden = cycles.iter().filter(|cycle| cycle.len() > LARGEST_CYCLE || !is_of_one_folder(cycle));
    let shown = |module: &Module| if module.is_empty() { "lib".to_string() } else { module.join("/") };
    forbidden.map(|cycle| cycle.iter().map(shown).collect::<Vec<String>>().join(", ")).collect()
}

#[test]
fn modules_use_each_other_in_one_direction() {
    let mut wrong = Vec::new();
    for name in crates() {
        let cycles = forbidden_cycles(&Sources::of_crate(&name));
        wrong.extend(cycles.iter().map(|cycle| format!("{name}: {cycle}")));
    }
    assert_none(&wrong, "these modules use each other: move what they share into a module of its own");
}

/// Types of a crate by name, with the modules that declare them. Each platform of `sys` may have its own.
fn types(sources: &Sources) -> BTreeMap<String, Vec<String>> {
    let mut types: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (module, code) in &sources.code {
        if module.iter().any(|part| part == "unsupported" || part == "windows") {
            continue;
        }
        for line in code.lines() {
            let words: Vec<&str> = line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).collect();
            let is_outer = !line.starts_with(char::is_whitespace);
            let keyword =
                words.iter().position(|word| ["struct", "enum", "trait", "type", "union"].contains(word));
            let is_visibility = |word: &&str| ["pub", "crate", "super", "in", "unsafe", ""].contains(word);
            if let Some(at) = keyword.filter(|at| is_outer && words[..*at].iter().all(is_visibility))
                && let Some(name) = words.get(at + 1)
            {
                types.entry((*name).to_string()).or_default().push(module.join("/"));
            }
        }
    }
    types
}

#[test]
fn a_types_name_is_unique_in_its_crate() {
    let mut wrong = Vec::new();
    for name in crates() {
        let types = types(&Sources::of_crate(&name));
        let twins = types.iter().filter(|(_, modules)| modules.len() > 1);
        wrong.extend(twins.map(|(twin, modules)| format!("{name}: {twin} in {}", modules.join(", "))));
    }
    assert_none(&wrong, "give each type a name of its own");
}

#[test]
fn a_cycle_is_found_through_names_that_are_passed_on() {
    let sources = |files: &[(&str, &str)]| {
        Sources::of(files.iter().map(|(path, text)| ((*path).to_string(), (*text).to_string())))
    };
    let cyclic = sources(&[
        ("lib.rs", "mod a;\nmod b;\npub use a::inner::A;\n"),
        ("a/mod.rs", "pub mod inner;\n"),
        ("a/inner.rs", "use crate::b::{B, C as D};\npub struct A(B);\n"),
        ("b.rs", "pub struct B;\nfn f() -> crate::A { crate::A(B) }\n"),
    ]);
    assert_eq!(forbidden_cycles(&cyclic), ["a/inner, b"]);
    // A folder's own files may use each other, and a test may use anything.
    let allowed = sources(&[
        ("lib.rs", "mod a;\n"),
        ("a/mod.rs", "use inner::A;\npub struct B(A);\n"),
        ("a/inner.rs", "use super::B;\npub struct A(Box<B>);\n#[cfg(test)]\nuse crate::c::C;\n"),
        ("c.rs", "use crate::a::B;\npub struct C(B);\n"),
    ]);
    assert_eq!(forbidden_cycles(&allowed), [""; 0]);
    let twins =
        types(&sources(&[("a.rs", "pub(crate) struct A;\n"), ("b.rs", "enum A {}\n    type A = u8;\n")]));
    assert_eq!(twins["A"], ["a", "b"]);
}

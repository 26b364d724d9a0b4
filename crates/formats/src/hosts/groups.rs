//! Groups of hosts within groups, and the variables that a host has from all of them.

use std::collections::{BTreeMap, BTreeSet};

use super::variables::{self, Variables};
use super::{Host, Hosts};
use crate::error::{At, Trouble};

/// The group that has all hosts, and the one of those that no other has.
pub(super) const ALL: &str = "all";
pub(super) const UNGROUPED: &str = "ungrouped";

/// Groups may be this deep: an inventory is a few levels.
const DEEPEST: usize = 64;

#[derive(Debug, Default)]
struct HostGroup {
    hosts: BTreeSet<String>,
    children: Vec<(String, At)>,
    variables: Variables,
    /// First mention as something else's; `None` once the group itself is found.
    pending: Option<At>,
}

/// Content of a file, before a host's variables are combined.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// In the order in which they were named.
    order: Vec<String>,
    written: BTreeMap<String, (Host, Variables)>,
    groups: BTreeMap<String, HostGroup>,
}

impl Groups {
    /// True if there is a group of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        name == ALL || self.groups.contains_key(name)
    }

    /// The names of the groups that the file has.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.groups.keys().map(String::as_str).filter(|name| *name != UNGROUPED)
    }

    /// Number of hosts that were named.
    pub(super) fn count(&self) -> usize {
        self.order.len()
    }

    /// A group, which is there from now on.
    pub(super) fn declare(&mut self, name: &str) {
        self.groups.entry(name.to_string()).or_default().pending = None;
    }

    /// A host of a group; said once more, it is the same host, and later variables win.
    pub(super) fn add(&mut self, group: &str, host: Host, variables: Variables) {
        let name = host.name.clone();
        self.groups.entry(group.to_string()).or_default().hosts.insert(name.clone());
        match self.written.get_mut(&name) {
            Some((known, own)) => {
                known.user = host.user.or(known.user.take());
                known.port = host.port.or(known.port);
                own.extend(variables);
            }
            None => {
                self.order.push(name.clone());
                self.written.insert(name, (host, variables));
            }
        }
    }

    /// A host is a member of a group, and was or will be written elsewhere.
    pub(super) fn contains(&self, host: &str) -> bool {
        self.written.contains_key(host)
    }

    /// A group within a group.
    pub(super) fn add_child(&mut self, group: &str, child: &str, at: At) {
        self.groups.entry(group.to_string()).or_default().children.push((child.to_string(), at));
    }

    /// A variable of a group.
    pub(super) fn set(&mut self, group: &str, name: &str, value: variables::Value) {
        let is_new = !self.has(group);
        let at = value.at;
        let entry = self.groups.entry(group.to_string()).or_default();
        entry.variables.insert(name.to_string(), value);
        if is_new {
            entry.pending = Some(at);
        }
    }

    /// The hosts of a group, or all, with what every group says of them.
    pub(super) fn hosts(&self, group: Option<&str>, source: usize, trouble: &mut Trouble) -> Hosts {
        for (name, of) in &self.groups {
            if let Some(at) = of.pending {
                trouble.add(
                    at,
                    format!("the group `{name}` has variables but does not exist"),
                    format!("write its hosts below [{name}]"),
                );
            }
            for (child, at) in of.children.iter().filter(|(child, _)| !self.groups.contains_key(child)) {
                let what = format!("the group `{child}` does not exist");
                trouble.add(*at, what, format!("write its hosts below [{child}]"));
            }
        }
        let depths = self.depths(source, trouble);
        if !trouble.is_empty() {
            return Hosts::default();
        }
        let members: BTreeMap<&str, BTreeSet<&str>> =
            self.groups.keys().map(|name| (name.as_str(), self.members(name))).collect();
        let mut hosts = Hosts::default();
        for name in &self.order {
            let wanted = match group {
                None | Some(ALL) => true,
                Some(group) => members.get(group).is_some_and(|members| members.contains(name.as_str())),
            };
            if !wanted {
                continue;
            }
            // Deeper groups win over those that they are in, and of equals the later name.
            let mut of: Vec<(usize, &str)> = members
                .iter()
                .filter(|(group, members)| **group == ALL || members.contains(name.as_str()))
                .map(|(group, _)| (depths.get(group).copied().unwrap_or(1), *group))
                .collect();
            of.sort_unstable();
            let (written, own) = &self.written[name];
            let mut variables = Variables::new();
            for (_, group) in of {
                variables.extend(self.groups[group].variables.clone());
            }
            variables.extend(own.clone());
            let host = variables::host(written.clone(), &variables, &mut hosts.notes, trouble);
            hosts.hosts.push(host);
        }
        hosts
    }

    /// Depth of each group: 0 is the group of all; the longest path decides.
    fn depths(&self, source: usize, trouble: &mut Trouble) -> BTreeMap<&str, usize> {
        let mut depths: BTreeMap<&str, usize> =
            self.groups.keys().map(|name| (name.as_str(), usize::from(name != ALL))).collect();
        // So often that the deepest way is found: what still grows then goes in a circle.
        for _ in 0..=DEEPEST {
            let mut grew = None;
            for (name, group) in &self.groups {
                let below = depths[name.as_str()] + 1;
                for (child, at) in &group.children {
                    if let Some(depth) = depths.get_mut(child.as_str()).filter(|depth| **depth < below) {
                        *depth = below;
                        grew = Some((name, child, *at));
                    }
                }
            }
            match grew {
                None => return depths,
                Some((name, child, at)) if depths.values().any(|depth| *depth > DEEPEST) => {
                    let what = format!(
                        "the groups `{name}` and `{child}` contain each other, or are nested too deeply"
                    );
                    trouble.add(At { source, ..at }, what, "leave one of them out of the other");
                    return depths;
                }
                Some(_) => {}
            }
        }
        depths
    }

    /// The hosts of a group and of all below it. The groups are known to be no circle.
    fn members(&self, name: &str) -> BTreeSet<&str> {
        let (mut found, mut seen, mut open) = (BTreeSet::new(), BTreeSet::new(), vec![name]);
        while let Some(name) = open.pop() {
            let Some(group) = self.groups.get(name).filter(|_| seen.insert(name)) else { continue };
            found.extend(group.hosts.iter().map(String::as_str));
            open.extend(group.children.iter().map(|(child, _)| child.as_str()));
        }
        found
    }
}

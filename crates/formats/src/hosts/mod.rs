//! Files that name the hosts of a cluster, as people have them already: a host a line, as `gpcheckperf -f` and
//! `mpirun --hostfile` take them; an Ansible inventory in INI form; and what `ansible-inventory --list` makes of every
//! other form of one.
//!
//! The reader takes the settings with which ssh reaches a host. Other variables of an inventory belong to its playbooks and
//! have no effect here.
//!
//! Sources: <https://docs.ansible.com/ansible/latest/plugins/inventory/ini.html>,
//! <https://docs.ansible.com/ansible/latest/inventory_guide/connection_details.html>,
//! <https://cloudberry.apache.org/docs/sys-utilities/gpcheckperf> (`[username@]hostname[:ssh_port]`).

mod groups;
mod ini;
mod listed;
mod name;
mod range;
mod variables;
mod words;

use iobound_workload::Note;

use crate::error::{At, FormatError, Trouble};
use crate::nearest::nearest;

pub use name::host;

use groups::Groups;

/// A host of a cluster, and how ssh reaches it where its name alone does not say so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Host {
    /// Name of it in the file, and in every report.
    pub name: String,
    /// Address for ssh, if it differs from the name.
    pub address: Option<String>,
    /// The user there.
    pub user: Option<String>,
    /// The port of its ssh.
    pub port: Option<u16>,
    /// The file of the private key.
    pub key: Option<String>,
    /// Further arguments of ssh.
    pub arguments: Vec<String>,
}

/// The hosts of a file, in its order, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts {
    /// At least one, at most [`Hosts::MOST`].
    pub hosts: Vec<Host>,
    /// Variables without effect here.
    pub notes: Vec<Note>,
}

impl Hosts {
    /// The most hosts that a file may name: ten times what a run is built for, so that a slip in a range is told.
    pub const MOST: usize = 10_000;
}

/// Reads the hosts of a file, or those of one group of it; `source` names it in messages.
///
/// # Errors
/// Returns an error if the text is not a host file (with the place), a group does not exist, or there is no host.
pub fn read(source: Option<&str>, text: &str, group: Option<&str>) -> Result<Hosts, FormatError> {
    let mut trouble = Trouble::new("host file");
    let index = trouble.source(source, text);
    let mut groups = Groups::default();
    match form(text) {
        Form::Listed => listed::read(text, index, &mut groups, &mut trouble),
        Form::Yaml(at) => trouble.add(
            At { source: index, at, len: 1 },
            "this is an inventory in YAML, which only Ansible can read",
            "convert it, and give the result: ansible-inventory -i FILE --list > hosts.json",
        ),
        Form::Lines => ini::read(text, index, &mut groups, &mut trouble),
    }
    if !trouble.is_empty() {
        return trouble.or(None);
    }
    if let Some(missing) = group.filter(|group| !groups.has(group)) {
        let known: Vec<&str> = groups.names().collect();
        let near = nearest(missing, known.iter().copied());
        let help = match near {
            Some(near) => format!("did you mean {near}?"),
            None if known.is_empty() => "the file has no groups: leave the group out".to_string(),
            None => format!("write one of {}", known.join(", ")),
        };
        trouble.add(At { source: index, at: 0, len: 0 }, format!("the file has no group `{missing}`"), help);
        return trouble.or(None);
    }
    let hosts = groups.hosts(group, index, &mut trouble);
    if trouble.is_empty() && hosts.hosts.is_empty() {
        let what = match group {
            Some(group) => format!("the group `{group}` has no host"),
            None => "it names no host".to_string(),
        };
        trouble.add(At { source: index, at: 0, len: 0 }, what, "write one host on each line");
    }
    trouble.or(Some(hosts))
}

/// Format of a file.
enum Form {
    /// A host a line, or an inventory in INI form.
    Lines,
    /// The answer of `ansible-inventory --list`.
    Listed,
    /// YAML: where that is seen.
    Yaml(usize),
}

fn form(text: &str) -> Form {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            at += line.len();
            continue;
        }
        let is_key = |text: &str| {
            text.strip_suffix(':').is_some_and(|key| {
                !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
            })
        };
        return match trimmed {
            "---" => Form::Yaml(at),
            key if is_key(key) => Form::Yaml(at),
            brace if brace.starts_with('{') => Form::Listed,
            _ => Form::Lines,
        };
    }
    Form::Lines
}

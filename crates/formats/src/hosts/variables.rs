//! The variables of an inventory that say how a host is reached.

use std::collections::BTreeMap;

use iobound_workload::Note;

use super::Host;
use super::name::{is_name, is_user, port_of};
use super::words::split;
use crate::error::{At, Trouble};

/// A variable's value, and where it was written.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) text: String,
    pub(super) at: At,
}

/// Variables by name.
pub(super) type Variables = BTreeMap<String, Value>;

/// Today's names of the variables that are read; each was once called `ansible_ssh_...`, which still holds.
const READ: [(&str, &str); 4] = [
    ("ansible_host", "ansible_ssh_host"),
    ("ansible_port", "ansible_ssh_port"),
    ("ansible_user", "ansible_ssh_user"),
    ("ansible_private_key_file", "ansible_ssh_private_key_file"),
];

/// Variables that would change how a host is reached, and can't here.
const UNUSED: [(&str, &str); 5] = [
    ("ansible_password", "ssh needs a key: it runs with BatchMode=yes and never prompts"),
    ("ansible_ssh_pass", "ssh needs a key: it runs with BatchMode=yes and never prompts"),
    ("ansible_become", "commands run as the user of the connection"),
    ("ansible_become_user", "commands run as the user of the connection"),
    ("slots", "one rank is started on each host"),
];

/// The host that its variables make of a name.
pub(super) fn host(
    written: Host,
    variables: &Variables,
    notes: &mut Vec<Note>,
    trouble: &mut Trouble,
) -> Host {
    let mut host = written;
    let mut found = READ.map(|(name, old)| variables.get(name).or_else(|| variables.get(old)));
    for value in found.iter_mut() {
        if let Some(template) = value.filter(|value| value.text.contains("{{")) {
            trouble.add(
                template.at,
                "it is a template, which only Ansible can fill in",
                "give the list that Ansible makes: ansible-inventory -i FILE --list > hosts.json",
            );
            *value = None;
        }
    }
    let [address, port, user, key] = found;
    if let Some(value) = address {
        match is_name(&value.text) {
            true => host.address = Some(value.text.clone()).filter(|address| *address != host.name),
            false => trouble.add(
                value.at,
                format!("`{}` is not an address", value.text),
                "write a name or an address",
            ),
        }
    }
    if let Some(value) = port {
        match port_of(&value.text) {
            Some(port) => host.port = Some(port),
            None => {
                let what = format!("`{}` is not a port", value.text);
                trouble.add(value.at, what, "write a number from 1 to 65535");
            }
        }
    }
    if let Some(value) = user {
        match is_user(&value.text) {
            true => host.user = Some(value.text.clone()),
            false => {
                trouble.add(value.at, format!("`{}` is not a user", value.text), "write the name of a user")
            }
        }
    }
    host.key = key.map(|value| value.text.clone());
    for name in ["ansible_ssh_common_args", "ansible_ssh_extra_args"] {
        let Some(value) = variables.get(name) else { continue };
        match split(&value.text) {
            Ok(words) => host.arguments.extend(words.into_iter().map(|word| word.text)),
            Err(_) => trouble.add(
                value.at,
                "it has a quotation mark that does not end",
                "write the option as ssh accepts it",
            ),
        }
    }
    if let Some(value) = variables.get("ansible_connection").filter(|value| !is_ssh(&value.text)) {
        trouble.add(
            value.at,
            format!("`{}` uses `{}`, and iobound connects only by ssh", host.name, value.text),
            "leave the host out, with --group or another file; `iobound run` runs on this machine",
        );
    }
    for (name, says) in UNUSED.iter().filter(|(name, _)| variables.contains_key(*name)) {
        let note = Note { about: (*name).to_string(), says: format!("it has no effect here: {says}") };
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    host
}

fn is_ssh(connection: &str) -> bool {
    ["ssh", "smart", "paramiko", "paramiko_ssh", "ansible.builtin.ssh", "ansible.builtin.paramiko_ssh"]
        .contains(&connection)
}

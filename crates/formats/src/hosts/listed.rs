//! Output of `ansible-inventory --list`: groups with their hosts and children, and the variables of every host as
//! Ansible has put them together.

use serde_json::{Map, Value as Json};

use super::Hosts;
use super::groups::{ALL, Groups, UNGROUPED};
use super::name::host;
use super::variables::{Value, Variables};
use crate::error::{At, Trouble};

/// Reads the document into `groups`.
pub(super) fn read(text: &str, source: usize, groups: &mut Groups, trouble: &mut Trouble) {
    let whole = At { source, at: 0, len: 1 };
    let help = "give the output of `ansible-inventory -i FILE --list`";
    let document: Map<String, Json> = match serde_json::from_str(text) {
        Ok(document) => document,
        Err(error) => {
            let begin: usize =
                text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
            let at = At { source, at: begin + error.column().saturating_sub(1), len: 1 };
            trouble.add(at, format!("the file starts like JSON but is not JSON: {error}"), help);
            return;
        }
    };
    let variables = document.get("_meta").and_then(|meta| meta.get("hostvars"));
    let lists = |group: &Json, key: &str| -> Option<Vec<String>> {
        match group.get(key) {
            None => Some(Vec::new()),
            Some(list) => list.as_array()?.iter().map(|item| item.as_str().map(str::to_string)).collect(),
        }
    };
    for (name, group) in document.iter().filter(|(name, _)| *name != "_meta") {
        let (Some(hosts), Some(children)) = (lists(group, "hosts"), lists(group, "children")) else {
            trouble.add(
                whole,
                format!("its `{name}` is not a group: hosts and children must be lists of names"),
                help,
            );
            continue;
        };
        groups.declare(name);
        for child in children {
            // Empty groups are children that are not listed.
            if !document.contains_key(&child) {
                groups.declare(&child);
            }
            groups.add_child(name, &child, whole);
        }
        for written in hosts {
            let own = variables.and_then(|of| of.get(&written)).and_then(Json::as_object);
            // The name of a host is a name alone here: a port would be a variable.
            match host(&written).ok().filter(|host| host.user.is_none() && host.port.is_none()) {
                Some(host) => {
                    let variables = own.map(|own| of_host(own, whole)).unwrap_or_default();
                    groups.add(if name == ALL { UNGROUPED } else { name }, host, variables);
                }
                None => trouble.add(whole, format!("`{written}` in `{name}` is not a host name"), help),
            }
        }
        if groups.count() > Hosts::MOST {
            trouble.add(whole, format!("there are more than {} hosts", Hosts::MOST), "name fewer");
            return;
        }
    }
    let of_nobody = variables.and_then(Json::as_object).into_iter().flatten();
    if let Some((name, _)) = of_nobody.into_iter().find(|(name, _)| !groups.contains(name)) {
        trouble.add(whole, format!("it has variables of `{name}`, which is in no group"), help);
    }
}

fn of_host(variables: &Map<String, Json>, at: At) -> Variables {
    let text = |value: &Json| match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        // Lists and tables say nothing of how a host is reached.
        _ => None,
    };
    variables
        .iter()
        .filter_map(|(name, value)| Some((name.clone(), Value { text: text(value)?, at })))
        .collect()
}

//! Host files: what people have already is read, and what is not understood is refused where it stands.

use iobound_formats::hosts::{Host, Hosts, read};
use proptest::prelude::*;

fn names(hosts: &Hosts) -> Vec<&str> {
    hosts.hosts.iter().map(|host| host.name.as_str()).collect()
}

fn named<'a>(hosts: &'a Hosts, name: &str) -> &'a Host {
    hosts.hosts.iter().find(|host| host.name == name).unwrap_or_else(|| panic!("no {name}: {hosts:?}"))
}

/// Reason why a text is refused.
fn refused(text: &str) -> String {
    read(Some("hosts"), text, None).unwrap_err().to_string()
}

#[test]
fn a_host_a_line_is_what_gpcheckperf_and_mpirun_take() {
    let text =
        "# segments\nsdw1\n\ngpadmin@sdw2:2222\nsdw3 slots=4   # a comment\n[2001:db8::1]:22\n2001:db8::2\n";
    let read = read(None, text, None).unwrap();
    assert_eq!(names(&read), ["sdw1", "sdw2", "sdw3", "2001:db8::1", "2001:db8::2"]);
    let second = &read.hosts[1];
    assert_eq!((second.user.as_deref(), second.port), (Some("gpadmin"), Some(2222)));
    assert!(read.notes.iter().any(|note| note.about == "slots"), "{:?}", read.notes);
}

/// The inventory of Ansible's own documentation of the INI form, with connections added.
const INVENTORY: &str = "\
host1 # this is 'ungrouped'

[web]
web[1:2] ansible_port=222 # defined inline

[web:vars]
ansible_user=www  # all members inherit it
http_port=8080

[db]
db1 ansible_host=10.0.0.4 ansible_user='dba'
db2

[site:children]
web
db

[site:vars]
ansible_user = \"site\"
ansible_ssh_common_args='-o ProxyJump=\"jump box\" -4'

[all:vars]
ansible_user=all
ansible_ssh_private_key_file=~/.ssh/fleet
";

#[test]
fn an_inventory_has_groups_in_groups_and_the_nearest_variable_wins() {
    let all = read(None, INVENTORY, None).unwrap();
    assert_eq!(names(&all), ["host1", "web1", "web2", "db1", "db2"]);
    // A host's own, else its group's, else the group's around that, else that of all.
    let users = ["host1", "web1", "db1", "db2"].map(|name| named(&all, name).user.clone().unwrap());
    assert_eq!(users, ["all", "www", "dba", "site"]);
    assert_eq!(named(&all, "db1").address.as_deref(), Some("10.0.0.4"));
    assert_eq!(named(&all, "web2").port, Some(222));
    assert_eq!(named(&all, "db2").arguments, ["-o", "ProxyJump=jump box", "-4"]);
    assert!(named(&all, "host1").arguments.is_empty());
    assert!(all.hosts.iter().all(|host| host.key.as_deref() == Some("~/.ssh/fleet")));
}

#[test]
fn a_group_is_its_hosts_and_those_of_the_groups_in_it() {
    let of = |group| names(&read(None, INVENTORY, Some(group)).unwrap()).join(" ");
    assert_eq!(of("db"), "db1 db2");
    assert_eq!(of("site"), "web1 web2 db1 db2");
    assert_eq!(of("all"), "host1 web1 web2 db1 db2");
    assert_eq!(of("ungrouped"), "host1");
    let missing = read(None, INVENTORY, Some("dbb")).unwrap_err().to_string();
    assert!(missing.contains("no group `dbb`") && missing.contains("did you mean db?"), "{missing}");
}

#[test]
fn what_ansible_lists_of_any_inventory_is_read_too() {
    // As `ansible-inventory --list` prints it, with variables put together for each host.
    let text = r#"{
        "_meta": {"hostvars": {
            "db1": {"ansible_host": "10.0.0.4", "ansible_port": 2222, "ansible_user": "dba", "x": {"y": [1]}},
            "db2": {}
        }},
        "all": {"children": ["ungrouped", "db", "empty"]},
        "db": {"hosts": ["db1", "db2"]}
    }"#;
    let listed = read(None, text, Some("db")).unwrap();
    assert_eq!(names(&listed), ["db1", "db2"]);
    let first = &listed.hosts[0];
    assert_eq!((first.address.as_deref(), first.port), (Some("10.0.0.4"), Some(2222)));
    assert!(refused("{\"all\": {\"hosts\": \"db1\"}}").contains("lists of names"));
    assert!(refused("{\"all\": ").contains("hosts:1:"), "{}", refused("{\"all\": "));
}

#[test]
fn what_is_not_understood_is_refused_with_its_line() {
    let cases = [
        ("db1\ndb2 db3\n", "hosts:2:5", "not a variable"),
        ("db1\n\n  -oProxyCommand=x\n", "hosts:3:3", "is not a host"),
        ("db1 a='x\n", "hosts:1:7", "is not closed"),
        ("[db]\nx\n[db:hostvars]\n", "hosts:3:1", "unknown kind"),
        ("[db\nx\n", "hosts:1:1", "not a header"),
        ("[a:children]\nb\n", "hosts:2:1", "`b` does not exist"),
        ("[a:children]\nb\n[b:children]\na\n", "hosts:", "contain each other"),
        ("[b:vars]\nx=1\n", "hosts:2:1", "does not exist"),
        ("[db:vars]\nx\n", "hosts:2:1", "not a variable"),
        ("db[1-9]\n", "hosts:1:1", "not a range"),
        ("db1 ansible_port=ssh\n", "hosts:1:5", "not a port"),
        ("db1 ansible_host=\"{{ x }}\"\n", "hosts:1:", "template"),
        ("db1 ansible_connection=local\n", "hosts:1:5", "`local`"),
        ("all:\n  hosts:\n    db1:\n", "hosts:1:1", "ansible-inventory -i FILE --list"),
        ("# nothing\n", "hosts:1:1", "names no host"),
    ];
    for (text, place, why) in cases {
        let said = refused(text);
        assert!(said.contains(place) && said.contains(why), "{text}: {said}");
    }
}

#[test]
fn no_range_makes_more_hosts_than_a_cluster_has() {
    assert_eq!(read(None, "db[0:9999]\n", None).unwrap().hosts.len(), Hosts::MOST);
    for text in ["db[0:10000]\n", "db[0:99][0:999]\n", "a[0:9999]\nb\n"] {
        assert!(refused(text).contains("10000"), "{text}");
    }
}

#[test]
fn a_host_in_several_groups_is_one_host() {
    let twice = read(None, "[a]\ndb1\n[b]\ndb1 ansible_port=23\n", None).unwrap();
    assert_eq!((names(&twice), twice.hosts[0].port), (vec!["db1"], Some(23)));
}

proptest! {
    #[test]
    fn no_text_is_a_panic_and_what_is_read_can_be_given_to_ssh(
        lines in prop::collection::vec(
            prop_oneof![
                Just(INVENTORY.to_string()),
                "[a-z\\[\\]:@=\"'#{} 0-9-]{0,24}",
                "\\[[a-c](:children|:vars|)\\]",
                "[a-c]{1,2}(\\[[0-9]:[0-9]\\])?( ansible_(port|host|user)=[a-z0-9]{0,3})?",
                any::<String>(),
            ],
            0..12,
        ),
    ) {
        if let Ok(hosts) = read(None, &lines.join("\n"), None) {
            prop_assert!(!hosts.hosts.is_empty() && hosts.hosts.len() <= Hosts::MOST);
            for host in &hosts.hosts {
                for word in [Some(&host.name), host.address.as_ref(), host.user.as_ref()].into_iter().flatten() {
                    // Neither an option of ssh nor several words.
                    prop_assert!(!word.is_empty() && !word.starts_with('-') && !word.contains(char::is_whitespace));
                }
            }
        }
    }
}

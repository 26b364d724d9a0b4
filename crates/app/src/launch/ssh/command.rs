//! The line that ssh is started with.

use std::process::{Command, Stdio};

use iobound_formats::hosts::Host;
use iobound_workload::shell_word;

/// Requests to ssh beyond what the person's own configuration says. A prompt nobody would see; forwards and commands
/// that a configuration has for a person's own sessions would be in the way of many at once; a connection that others
/// share would outlive this one; and one to a host that is cut off would, until TCP gives up on it after a quarter of an
/// hour, were the host not asked every few seconds whether it is there.
const OPTIONS: [&str; 7] = [
    "BatchMode=yes",
    "ClearAllForwardings=yes",
    "ControlMaster=no",
    "RemoteCommand=none",
    "RequestTTY=no",
    "ServerAliveCountMax=3",
    "ServerAliveInterval=5",
];

/// Start of ssh, and of the program on the host.
#[derive(Clone, Debug)]
pub(crate) struct Ssh {
    /// The program and its first arguments; never empty.
    pub(crate) words: Vec<String>,
}

impl Ssh {
    /// The words that run `command` in the login shell of a host.
    pub(crate) fn line(&self, host: &Host, command: &str) -> Vec<String> {
        let mut line = self.words.clone();
        for option in OPTIONS {
            line.extend(["-o".to_string(), option.to_string()]);
        }
        line.extend(host.arguments.iter().cloned());
        let with = [
            ("-p", host.port.map(|port| port.to_string())),
            ("-l", host.user.clone()),
            ("-i", host.key.clone()),
        ];
        for (flag, value) in with {
            line.extend(value.into_iter().flat_map(|value| [flag.to_string(), value]));
        }
        // No name is an option, whatever it begins with.
        line.extend([
            "--".to_string(),
            host.address.as_ref().unwrap_or(&host.name).clone(),
            command.to_string(),
        ]);
        line
    }

    /// A process of it, with its three streams held here, and in a group of its own: Ctrl-C is for this program, which
    /// then ends what runs there.
    pub(crate) fn command(&self, host: &Host, command: &str) -> Command {
        let line = self.line(host, command);
        let mut process = Command::new(&line[0]);
        process.args(&line[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        in_its_own_group(&mut process);
        process
    }
}

#[cfg(unix)]
fn in_its_own_group(process: &mut Command) {
    std::os::unix::process::CommandExt::process_group(process, 0);
}

#[cfg(windows)]
fn in_its_own_group(process: &mut Command) {
    /// `CREATE_NEW_PROCESS_GROUP`: Ctrl-C on the console does not reach it.
    const OWN_GROUP: u32 = 0x0200;
    std::os::windows::process::CommandExt::creation_flags(process, OWN_GROUP);
}

/// The words for a shell, of a program that is to be the far end.
pub(crate) fn far_end(program: &str, is_copy: bool) -> String {
    let mut words = vec![shell_word(program), "fleet".to_string(), "there".to_string()];
    if is_copy {
        words.push("--copied".to_string());
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_persons_own_words_come_first_and_the_host_is_no_option() {
        let ssh = Ssh { words: vec!["ssh".into(), "-F".into(), "cfg".into()] };
        let host = Host {
            name: "db1".into(),
            address: Some("10.0.0.4".into()),
            user: Some("dba".into()),
            port: Some(2222),
            key: Some("k".into()),
            arguments: vec!["-4".into()],
        };
        let line = ssh.line(&host, &far_end("/opt/io bound", true)).join(" ");
        assert!(line.starts_with("ssh -F cfg -o BatchMode=yes "), "{line}");
        assert!(
            line.ends_with("-4 -p 2222 -l dba -i k -- 10.0.0.4 '/opt/io bound' fleet there --copied"),
            "{line}"
        );
        assert_eq!(far_end("iobound", false), "iobound fleet there");
    }
}

//! A probe of the disks of several machines: each machine probes its own, and the answers are put beside each other.

use iobound_documents::{FleetProbeDocument, FleetProbeHost, ProbeDocument, ProbeEnding};
use iobound_report::{Document, Style, fleet_probe_document, fleet_probe_text};

use super::over_ssh::{SshRequest, reach};
use super::ssh::HostPrint;
use crate::outfile::Unwritten;
use crate::page::PageChoice;
use crate::probe::{PreparedProbe, ProbeRequest};
use crate::{Common, Env, Exit, Failure, Finished, ShownAnswer};

/// Probes the disks of all hosts, and answers for them together.
///
/// # Errors
/// A host that cannot be reached, options that are wrong, or no host with an answer.
pub(super) fn run(
    asked: &SshRequest<'_>,
    request: &ProbeRequest,
    common: &Common,
    env: &Env,
) -> Result<Finished, Failure> {
    if asked.meet.is_direct() {
        return Err(Failure::input("--meet: the hosts of a probe do not meet").help("leave it out"));
    }
    // A wrong option is told before anything starts.
    PreparedProbe::read(request, common, &env.clone().notes(|_| {}))?;
    let page = PageChoice::plain(&request.page, env)?;
    let page_file = page.out_file()?;
    let ranks = reach(asked, env)?;
    let printed = ranks.printed(&words(&asked.words.typed), env)?;
    for left in ranks.end() {
        env.note(&left);
    }
    let hosts: Vec<FleetProbeHost> = (0..).zip(&printed).map(|(rank, print)| host(rank, print)).collect();
    let (failed, count) = (hosts.iter().filter(|host| host.probe.is_none()).count(), hosts.len());
    if failed == count {
        let why: Vec<String> = hosts
            .iter()
            .map(|host| format!("{}: {}", host.host, host.failure.as_deref().unwrap_or_default()))
            .collect();
        return Err(Failure::io(format!("no host has an answer\n{}", why.join("\n"))));
    }
    let document = fleet_probe_document(hosts);
    drop(page_file);
    let mut unwritten = Unwritten::default();
    unwritten.take(page.write(|| document.clone()));
    let exit = match failed {
        _ if env.is_stopped() => Exit::Interrupted,
        0 => Exit::Done,
        _ => Exit::Io,
    };
    Ok(Finished::beside(Some(Box::new(document)), unwritten, Ok(exit)))
}

impl ShownAnswer for FleetProbeDocument {
    fn text(&self, style: Style) -> String {
        fleet_probe_text(self, style)
    }

    fn document(&self) -> Option<Document> {
        Some(self.clone().into())
    }
}

/// The words for each host: the page is written here, and the answer comes as a document.
fn words(typed: &[String]) -> Vec<String> {
    let mut words = Vec::with_capacity(typed.len() + 1);
    let mut typed = typed.iter();
    while let Some(word) = typed.next() {
        match word.as_str() {
            "--html" => {
                typed.next();
            }
            "--html-with-names" => {}
            _ if word.starts_with("--html=") || word.starts_with("--html-with-names=") => {}
            _ => words.push(word.clone()),
        }
    }
    if !words.iter().any(|word| word == "--json") {
        words.push("--json".into());
    }
    words
}

/// The answer of a host.
fn host(rank: u32, print: &HostPrint) -> FleetProbeHost {
    let read = serde_json::from_slice::<ProbeDocument>(&print.printed);
    let failure = match &read {
        Ok(read) if has_nothing(read) => {
            Some("it measured nothing, because other work kept the processors from it".to_string())
        }
        Ok(_) => None,
        Err(_) if print.printed.is_empty() => Some(print.why.clone()),
        Err(error) => Some(format!("its answer cannot be read: {error}; {}", print.why)),
    };
    let probe = read.ok().filter(|_| failure.is_none());
    FleetProbeHost { rank, host: print.host.clone(), failure, probe }
}

/// True if the client lacked processor time in all experiments.
fn has_nothing(read: &ProbeDocument) -> bool {
    let is_bare = read.limits.is_empty() && read.targets.iter().all(|target| target.latencies.is_empty());
    is_bare && read.ending == ProbeEnding::Starved
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn a_host_writes_no_page_and_prints_a_document() {
        let typed = ["probe", "/dev/sdb", "--html", "p.html", "--html-with-names", "--budget=1min"];
        let words = words(&typed.map(String::from));
        assert_eq!(words, ["probe", "/dev/sdb", "--budget=1min", "--json"]);
    }
}

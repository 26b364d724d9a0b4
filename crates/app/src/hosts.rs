//! Number of hosts, and how slow one of them is.

use iobound_plan::Split;
use iobound_predict::Hosts;
use iobound_units::{Percent, parse_count, parse_percent};

use crate::failure::Failure;
use crate::options::{ClusterOptions, SplitOptions};
use crate::settings::{Origin, Settings};

/// A larger number of hosts is probably a typing error.
const MOST: u64 = 100_000;
/// No more numbers of hosts than this are tried: each is a search of the whole market.
const MOST_TRIED: u64 = 64;
/// Host counts that `auto` tries.
const AUTO: [u64; 2] = [1, 16];

/// The cluster of `predict`, and notes about options without effect. One host is not a cluster.
///
/// # Errors
/// Returns an error if the number of hosts is not possible, or a slow host is requested of a single host.
pub fn cluster_of(
    args: &ClusterOptions,
    settings: &mut Settings,
) -> Result<(Option<Hosts>, Vec<String>), Failure> {
    let hosts =
        settings.parse("hosts", args.hosts.as_deref(), Some("1"), |text| match parse_split(text) {
            Ok([least, most]) if least < most => {
                Err(format!("`{text}` is a range: write one number, such as 8 (only `plan` accepts a range)"))
            }
            other => other.map(|[hosts, _]| hosts),
        })?;
    let slow = settings.parse("slow-host", args.slow_host.as_deref(), None, parse_slow)?;
    match hosts.filter(|hosts| *hosts > 1) {
        Some(hosts) => Ok((Some(Hosts { hosts, slow }), Vec::new())),
        None => Ok((None, alone(settings)?)),
    }
}

/// Over how many hosts `plan` splits the need, and what is to be said of options that change nothing.
///
/// # Errors
/// As [`cluster_of`].
pub fn split_of(args: &SplitOptions, settings: &mut Settings) -> Result<(Split, Vec<String>), Failure> {
    let hosts = settings.parse("hosts", args.hosts.as_deref(), Some("1"), parse_split)?;
    let [least, most] = hosts.unwrap_or([1, 1]);
    let slow = settings.parse("slow-host", args.slow_host.as_deref(), None, parse_slow)?;
    if most == 1 {
        return Ok((Split::default(), alone(settings)?));
    }
    Ok((Split { hosts: [least, most], slow: slow.unwrap_or(Percent::HUNDRED) }, Vec::new()))
}

/// Notes about a slow host where there is one host: refused where it was typed for this question.
fn alone(settings: &Settings) -> Result<Vec<String>, Failure> {
    let Some(given) = settings.given("slow-host") else { return Ok(Vec::new()) };
    let why = "there is only one host, and it waits for no other";
    match given.from {
        Origin::Flag(_) => Err(given
            .refuse(format!("`{}` has no effect here: {why}", given.text))
            .help("add --hosts 8, or leave it out")),
        _ => Ok(vec![format!("{} {}: it has no effect here, since {why}", given.place(), given.text)]),
    }
}

fn parse_hosts(text: &str) -> Result<u64, String> {
    let hosts = parse_count(text.trim()).map_err(|error| error.to_string())?;
    if (1..=MOST).contains(&hosts) { Ok(hosts) } else { Err(format!("`{text}` hosts: write 1 to 100,000")) }
}

/// `8`, `4..16`, `auto`.
fn parse_split(text: &str) -> Result<[u64; 2], String> {
    if text == "auto" {
        return Ok(AUTO);
    }
    let Some((least, most)) = text.split_once("..") else { return parse_hosts(text).map(|hosts| [hosts; 2]) };
    let (least, most) = (parse_hosts(least)?, parse_hosts(most)?);
    if least > most {
        return Err(format!("`{text}` is an empty range: write the lower bound first"));
    }
    if most - least >= MOST_TRIED {
        return Err(format!(
            "`{text}` covers {} numbers: at most {MOST_TRIED} can be tried",
            most - least + 1
        ));
    }
    Ok([least, most])
}

fn parse_slow(text: &str) -> Result<Percent, String> {
    let share = parse_percent(text).map_err(|error| error.to_string())?;
    if share == Percent::ZERO {
        return Err("a host that delivers 0 % never finishes a scan: write more than 0 %, such as 50%".into());
    }
    Ok(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_a_number_a_range_or_auto() {
        assert_eq!(parse_split("8"), Ok([8, 8]));
        assert_eq!(parse_split("4..16"), Ok([4, 16]));
        assert_eq!(parse_split("auto"), Ok([1, 16]));
        assert_eq!(parse_split("100,000"), Ok([100_000; 2]));
        for wrong in ["0", "-1", "x", "1000000000", "16..4", "1..65", "0..4", "8 hosts", "", "1.5", "4.."] {
            assert!(parse_split(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_slow_host_delivers_something() {
        assert_eq!(parse_slow("50%"), Ok(Percent::whole(50).unwrap()));
        for wrong in ["0", "0%", "101%", "-5%", "half", "0.5"] {
            assert!(parse_slow(wrong).is_err(), "{wrong}");
        }
    }
}

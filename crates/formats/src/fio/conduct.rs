//! Options of a command line or job file on the conduct of the run, not on its I/O.
//!
//! A run does these once for all of its jobs: where jobs ask for different things, that is refused. Semantics from HOWTO
//! of fio 3.42, and from what fio 3.33 does.

use iobound_units::{Percent, Span};

use super::asked::Asked;
use super::jobfile::JobFile;
use super::units::Bare;
use crate::error::Trouble;
use crate::notes::Notes;

/// Conduct of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conduct {
    /// The processors that clones may use; `None`: all.
    pub processors: Option<Processors>,
    /// The share of the written blocks that repeat earlier ones; `None`: none does.
    pub dedupe: Option<Percent>,
    /// An I/O slower than this ends the run with an error.
    pub max_latency: Option<Span>,
    /// A job asks for other random numbers in every run: `randrepeat=0` or `allrandrepeat=0` without `randseed`.
    pub draws_anew: bool,
}

/// `cpus_allowed` with its policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processors {
    /// The numbers, rising.
    pub numbers: Vec<u32>,
    /// Every clone has one of its own, in turn; otherwise all of them share all.
    pub split: bool,
}

/// The highest number of a processor that is understood: that of Linux.
const MOST_PROCESSORS: u32 = 8_192;

impl Conduct {
    /// Request of `file`; problems go to `trouble`.
    pub(super) fn read(file: &JobFile, trouble: &mut Trouble) -> Conduct {
        let mut unused = Notes::default();
        let mut agreed: Option<Conduct> = None;
        let mut draws = false;
        for section in &file.jobs {
            let mut asked = Asked::bare(section, trouble, &mut unused);
            let own = Conduct {
                processors: processors(&mut asked),
                dedupe: dedupe(&mut asked),
                max_latency: asked
                    .time("max_latency", Bare::Microseconds)
                    .filter(|latency| !latency.is_zero()),
                draws_anew: draws_anew(&asked),
            };
            draws |= own.draws_anew;
            match &agreed {
                None => agreed = Some(own),
                Some(first) => first.differs(&own, &mut asked),
            }
        }
        Conduct { draws_anew: draws, ..agreed.unwrap_or_default() }
    }

    fn differs(&self, other: &Conduct, asked: &mut Asked<'_>) {
        let apart = "give it in [global], or run the jobs separately";
        if self.processors != other.processors {
            asked.refuse(
                "cpus_allowed",
                "the jobs use different processors, and a run uses one list for all threads",
                apart,
            );
        }
        if self.dedupe != other.dedupe {
            asked.refuse(
                "dedupe_percentage",
                "the jobs repeat different shares, and a run uses one share",
                apart,
            );
        }
        if self.max_latency != other.max_latency {
            asked.refuse("max_latency", "the jobs have different limits, and a run has one", apart);
        }
    }
}

fn draws_anew(asked: &Asked<'_>) -> bool {
    let is_off = |name: &str| asked.get(name).is_some() && !asked.truth(name);
    asked.get("randseed").is_none() && (is_off("randrepeat") || is_off("allrandrepeat"))
}

fn dedupe(asked: &mut Asked<'_>) -> Option<Percent> {
    let percent = asked.count("dedupe_percentage", 0, 0, 100);
    if percent > 0 && asked.text("dedupe_mode").is_some_and(|mode| mode != "repeat") {
        asked.cannot(
            "dedupe_mode",
            "a working set of repeated blocks is not supported",
            "leave it out: blocks repeat earlier ones",
        );
    }
    Percent::whole(percent).filter(|share| *share > Percent::ZERO)
}

/// `cpus_allowed`, else `cpumask`.
fn processors(asked: &mut Asked<'_>) -> Option<Processors> {
    let split = match asked.text("cpus_allowed_policy") {
        None | Some("shared") => false,
        Some("split") => true,
        Some(other) => {
            let what = format!("cpus_allowed_policy is `{other}`");
            asked.refuse("cpus_allowed_policy", what, "it is shared or split");
            false
        }
    };
    let numbers = match asked.text("cpus_allowed") {
        Some(list) => match listed(list) {
            Ok(numbers) => numbers,
            Err(part) => {
                let what = format!("cpus_allowed: `{part}` is neither a processor nor a range");
                asked.refuse("cpus_allowed", what, "write a list such as 0-3,8");
                return None;
            }
        },
        None => {
            let mask = asked.number("cpumask")?;
            (0..64).filter(|bit| mask >> bit & 1 == 1).collect()
        }
    };
    if numbers.is_empty() {
        let name = if asked.get("cpus_allowed").is_some() { "cpus_allowed" } else { "cpumask" };
        asked.refuse(name, format!("{name} names no processor"), "write a list such as 0-3,8");
        return None;
    }
    Some(Processors { numbers, split })
}

/// `0-3,8`; the part that is none is the error.
fn listed(list: &str) -> Result<Vec<u32>, &str> {
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|number| *number < MOST_PROCESSORS);
    let mut numbers = Vec::new();
    for part in list.split(',').filter(|part| !part.trim().is_empty()) {
        match part.split_once('-') {
            None => numbers.push(number(part).ok_or(part)?),
            Some((first, last)) => {
                let (first, last) = number(first).zip(number(last)).filter(|(a, b)| a <= b).ok_or(part)?;
                numbers.extend(first..=last);
            }
        }
    }
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use crate::fio::{NoContext, parse_command};

    use super::*;

    fn conduct(line: &str) -> Conduct {
        let line = format!("fio --filename=/dev/x --runtime=1 --time_based {line}");
        parse_command(&line, &NoContext).unwrap_or_else(|error| panic!("{error}")).conduct
    }

    fn refused(line: &str) -> String {
        let line = format!("fio --filename=/dev/x --runtime=1 --time_based {line}");
        parse_command(&line, &NoContext).unwrap_err().to_string()
    }

    #[test]
    fn processors_are_a_list_with_ranges_or_a_mask() {
        let expected = |numbers: &[u32], split| Some(Processors { numbers: numbers.to_vec(), split });
        assert_eq!(conduct("--name=a").processors, None);
        assert_eq!(conduct("--name=a --cpus_allowed=5,1-3").processors, expected(&[1, 2, 3, 5], false));
        let split = conduct("--name=a --cpus_allowed=0,1 --cpus_allowed_policy=split");
        assert_eq!(split.processors, expected(&[0, 1], true));
        // 2^0 + 2^2.
        assert_eq!(conduct("--name=a --cpumask=5").processors, expected(&[0, 2], false));
        for wrong in [
            "--cpus_allowed=3-1",
            "--cpus_allowed=x",
            "--cpumask=0",
            "--cpus_allowed=0 --cpus_allowed_policy=own",
        ] {
            assert!(refused(&format!("--name=a {wrong}")).contains("cpu"), "{wrong}");
        }
    }

    #[test]
    fn randrepeat_0_draws_anew_unless_a_seed_is_given() {
        for (line, anew) in [
            ("--name=a", false),
            ("--name=a --randrepeat=1", false),
            ("--name=a --randrepeat=0", true),
            ("--name=a --allrandrepeat=0", true),
            ("--name=a --randrepeat=0 --randseed=7", false),
            ("--name=a --name=b --randrepeat=0", true),
        ] {
            assert_eq!(conduct(line).draws_anew, anew, "{line}");
        }
    }

    #[test]
    fn what_a_run_does_once_is_the_same_of_all_jobs() {
        let both = conduct("--dedupe_percentage=30 --max_latency=5ms --name=a --name=b");
        assert_eq!((both.dedupe, both.max_latency), (Percent::whole(30), Some(Span::from_ms(5))));
        // A bare number is in microseconds.
        assert_eq!(conduct("--name=a --max_latency=50").max_latency, Some(Span::from_us(50)));
        for apart in ["--dedupe_percentage=30", "--max_latency=1s", "--cpus_allowed=1"] {
            assert!(refused(&format!("--name=a {apart} --name=b")).contains("[global]"), "{apart}");
        }
        let working = "--name=a --dedupe_percentage=30 --dedupe_mode=working_set";
        assert!(refused(working).contains("working set"));
    }
}

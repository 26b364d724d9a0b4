//! `docs/glossary.md`: the terms of storage performance. A term that a document has as a key takes the key's definition.

use crate::registry::definition;

/// Meaning of a term.
enum Meaning {
    /// The definition of a document's key: document and key.
    Key(&'static str, &'static str),
    /// A text, for a term that no document has as a key.
    Text(&'static str),
}

use Meaning::{Key, Text};

const PREDICT: &str = "iobound.predict/2";
const RESULT: &str = "iobound.result/1";

/// Sections of the page with their terms.
const SECTIONS: [(&str, &[(&str, Meaning)]); 5] = [
    (
        "I/O",
        &[
            ("I/O", Text("One read, write, flush or discard, with an offset and a length in bytes.")),
            ("IOPS", Key(RESULT, "iops")),
            ("throughput", Key(RESULT, "throughput_bytes_per_s")),
            ("MB/s, MiB/s", Text("10^6 bytes a second; 2^20 bytes a second.")),
            ("latency", Key(RESULT, "latency_us")),
            ("service time", Key(RESULT, "service_us")),
            ("slat, clat, lat", Text("fio's terms: submission latency, completion latency, and their sum.")),
            ("percentile", Text("The smallest value that at least p % of the I/Os do not exceed.")),
            ("queue", Text("A thread on a target, or a thread that deals I/Os to several targets.")),
            ("queue depth", Text("Outstanding I/Os of each thread on each target.")),
            (
                "outstanding I/Os",
                Text("I/Os that are issued and not completed, over all threads and targets."),
            ),
            ("achieved depth", Key(RESULT, "depth.achieved")),
            ("closed loop", Text("A new I/O starts when another completes, so latency limits the rate.")),
            ("open loop", Text("I/Os start at intended times, whether or not others have completed.")),
            ("backlog", Key(RESULT, "never_issued")),
            (
                "coordinated omission",
                Text(
                    "Error of a load generator that waits for slow I/Os and does not count the I/Os it should have started. An open loop avoids it.",
                ),
            ),
            ("Little's law", Text("Outstanding I/Os = IOPS × mean latency.")),
            ("direct I/O", Text("I/O that bypasses the page cache (`O_DIRECT`).")),
        ],
    ),
    (
        "Limits",
        &[
            ("published limit", Key(PREDICT, "limits[].limit")),
            ("enforced limit", Key(PREDICT, "limits[].enforced")),
            ("used", Key(PREDICT, "limits[].used")),
            (
                "uncached limit (Azure), EBS limit (AWS)",
                Text(
                    "Limit of a VM for I/O to remote disks: \"uncached disk IOPS\" on Azure, \"EBS IOPS\" of the instance on AWS.",
                ),
            ),
            (
                "cached limit (Azure)",
                Text("Limit of a VM for I/O to disks with a host cache and to the temporary disk."),
            ),
            ("limiter", Text("The part of the model that enforces one limit over time.")),
            ("slice", Text("Enforcement by a quota for each period of time, such as 50 ms.")),
            ("bucket", Text("Enforcement by a token bucket.")),
            (
                "burst credit",
                Text(
                    "Allowance above the limit. It is earned while the limit is not used, and spent during a burst.",
                ),
            ),
            ("burst", Key(PREDICT, "burst")),
            (
                "host cache",
                Text("Cache of the hypervisor for a data disk: None, ReadOnly or ReadWrite (Azure)."),
            ),
            ("hit rate", Key(PREDICT, "hit_rate")),
            ("binding limit", Key(PREDICT, "binding")),
        ],
    ),
    (
        "Disks and volumes",
        &[
            ("volume", Text("One or several disks as one address space.")),
            ("stripe", Text("A volume whose addresses alternate between its disks (RAID 0).")),
            (
                "interleave",
                Text(
                    "Number of bytes on one disk of a stripe before the next disk follows; also called chunk or stripe unit.",
                ),
            ),
            ("columns", Key(PREDICT, "configuration.columns")),
            ("fragment", Text("The part of an I/O that goes to one disk.")),
            ("media latency", Text("Time of the disk itself, without waiting for limits.")),
            ("latency alone", Key(PREDICT, "latency_alone_us")),
            ("era", Text("Date whose figures and rules apply, such as `2016`.")),
        ],
    ),
    (
        "Predictions",
        &[
            ("ceiling", Key(PREDICT, "ceiling")),
            ("expected", Key(PREDICT, "expected.iops")),
            ("band", Key(PREDICT, "expected.low_iops")),
            ("the model's own band", Key(PREDICT, "expected.band.mechanism_low_iops")),
            ("coverage", Key(PREDICT, "expected.band.coverage.claimed")),
            ("knee", Key(PREDICT, "knee")),
            ("assumed", Key(PREDICT, "assumed")),
        ],
    ),
    (
        "Runs",
        &[
            ("warm-up", Key(RESULT, "start.warmup_s")),
            ("confidence interval", Key(RESULT, "confidence")),
            ("steady", Key(RESULT, "steady")),
            ("rank", Text("One process of several that issue load together.")),
            ("coordinator", Text("The process at which ranks meet and report.")),
            ("start skew", Key(RESULT, "fleet.start_skew_ms")),
            ("straggler", Key(RESULT, "fleet.stragglers")),
        ],
    ),
];

/// The page, in Markdown.
///
/// # Panics
/// Panics if a term names a key that no document has: a defect of the list above.
pub fn glossary() -> String {
    let mut page = String::from(
        "# Glossary\n\n<!-- crates/documents/src/glossary.rs makes this page: IOBOUND_REFRESH=1 cargo test -p iobound-documents -->\n\n\
         The terms of storage performance, as iobound uses them. The third column names the key of the documents whose definition this is:\n\
         [definitions.md](definitions.md) has all keys, with their units.\n",
    );
    for (title, terms) in SECTIONS {
        page.push_str(&format!("\n## {title}\n\n| term | meaning | key |\n| --- | --- | --- |\n"));
        for (term, meaning) in terms {
            let (text, key) = match meaning {
                Text(text) => (*text, String::new()),
                Key(document, key) => {
                    let text = definition(document, key)
                        .unwrap_or_else(|| panic!("{term}: {document} has no key {key}"));
                    (text, format!("`{key}` of `{document}` "))
                }
            };
            page.push_str(&format!("| {term} | {text} | {key}|\n"));
        }
    }
    page
}

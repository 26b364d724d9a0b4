//! Figures of several hosts: sums, the slowest, and a scan that waits for it.

use iobound_catalog::{Price, Usd};
use iobound_documents::{
    Amount, BurstPart, BytesPerSecond, CeilingPart, ClusterExpected, ClusterPart, ClusterPrice, Iops,
    ScanPart, ScanRate, Seconds, Share, SlowHostScan, SlowestHost,
};
use iobound_predict::{Cluster, Prediction, WhySlow};
use iobound_units::{Bytes, Counted, format_throughput};

use crate::limit::grouped;
use crate::number::{count_text, duration_text, money_text, percent_text, rounded};
use crate::page::Page;

/// Under `cluster` of the document.
pub(super) fn cluster_part(cluster: &Cluster, price: Option<&Price>) -> ClusterPart {
    let Cluster { hosts, sum, burst, slowest, scan } = cluster;
    let per_host = |iops: f64| if sum.expected.iops > 0.0 { iops / sum.expected.iops } else { 0.0 };
    let bytes_at = |iops: f64| BytesPerSecond::of(per_host(iops) * sum.expected.throughput_bytes_per_s);
    let rate = |bytes_per_s: f64, of: usize| ScanRate {
        throughput_bytes_per_s: BytesPerSecond::of(bytes_per_s),
        seconds: scan.seconds.map(|seconds| Seconds::with_decimals(seconds[of], 1)),
    };
    let slow = rate(scan.slow.throughput_bytes_per_s, 2);
    let money = |usd: Usd| iobound_documents::Usd::with_decimals(usd.as_f64() * *hosts as f64, 2);
    ClusterPart {
        hosts: *hosts,
        ceiling: CeilingPart {
            iops: sum.ceiling_iops.map(Iops::of),
            throughput_bytes_per_s: sum.ceiling_bytes_per_s.map(BytesPerSecond::of),
        },
        expected: ClusterExpected {
            iops: Iops::of(sum.expected.iops),
            low_iops: Iops::of(sum.expected.low_iops),
            high_iops: Iops::of(sum.expected.high_iops),
            throughput_bytes_per_s: BytesPerSecond::of(sum.expected.throughput_bytes_per_s),
            low_throughput_bytes_per_s: bytes_at(sum.expected.low_iops),
            high_throughput_bytes_per_s: bytes_at(sum.expected.high_iops),
        },
        burst: burst.map(|burst| BurstPart {
            iops: Iops::of(burst.iops),
            throughput_bytes_per_s: BytesPerSecond::of(burst.throughput_bytes_per_s),
            seconds: burst.seconds.map(|seconds| Seconds::with_decimals(seconds, 3)),
        }),
        slowest: SlowestHost {
            iops: Iops::of(slowest.iops),
            low_iops: Iops::of(slowest.low_iops),
            high_iops: Iops::of(slowest.high_iops),
            throughput_bytes_per_s: BytesPerSecond::of(slowest.throughput_bytes_per_s),
        },
        scan: ScanPart {
            data_bytes: Amount::with_decimals(scan.data_bytes, 0),
            equal: rate(scan.equal_bytes_per_s, 0),
            waiting: rate(scan.waiting_bytes_per_s, 1),
            slow_host: SlowHostScan {
                share: Share::of(scan.slow.share),
                from: scan.slow.why.name().to_string(),
                throughput_bytes_per_s: slow.throughput_bytes_per_s,
                seconds: slow.seconds,
                lost: Share::of(scan.slow.lost),
                lost_hosts: Amount::with_decimals(scan.slow.lost * *hosts as f64, 4),
                lost_independent: Share::of(scan.slow.lost_independent),
            },
            seconds_from_full_credits: scan
                .seconds_from_full
                .map(|seconds| Seconds::with_decimals(seconds, 1)),
        },
        price: price.map(|price| ClusterPrice {
            month: price.per_month.map(money),
            known_month: money(price.known_per_month),
        }),
    }
}

/// `8 hosts: 8,240.56 USD a month`.
pub(super) fn cluster_price(cluster: &Cluster, price: &Price) -> String {
    let hosts = Counted(cluster.hosts, "host");
    let sum = |usd: Usd| money_text(usd.as_f64() * cluster.hosts as f64);
    match price.per_month {
        Some(month) => format!("{hosts}: {} {} a month", sum(month), price.currency),
        None => format!("{hosts}: the known parts {} {} a month", sum(price.known_per_month), price.currency),
    }
}

/// A scan that loses less than this loses nothing that a person would see.
const NOTHING: f64 = 0.005;

/// The data of many hosts may be more than 16 EiB, which a count of bytes can't hold.
fn data_text(bytes: f64) -> String {
    const PIB: f64 = 1_125_899_906_842_624.0;
    if bytes < 10.0 * PIB {
        Bytes(bytes as u64).to_string()
    } else {
        format!("{} PiB", count_text(bytes / PIB))
    }
}

/// The lines of a cluster: first what adds up, then what waits.
pub(super) fn cluster_lines(cluster: &Cluster, prediction: &Prediction, page: &mut Page) {
    let Cluster { hosts, sum, burst, slowest, scan } = cluster;
    let many = grouped(*hosts);
    let expected = &sum.expected;
    page.figures(
        "cluster",
        &[
            Counted(*hosts, "host").to_string(),
            format!("{} IOPS", count_text(expected.iops)),
            format_throughput(expected.throughput_bytes_per_s),
            format!("band {}-{}", count_text(expected.low_iops), count_text(expected.high_iops)),
            sum.ceiling_iops.map_or(String::new(), |iops| format!("ceiling {}", count_text(iops))),
        ],
    );
    page.labelled("", "sums, for queries that wait for no other host");
    if let Some(burst) = burst {
        let lasts = match burst.seconds {
            Some(seconds) => format!("at first, for {} from full credits", duration_text(seconds)),
            None => "at first, and sustained".into(),
        };
        let rate = format!("{} IOPS", count_text(burst.iops));
        page.figures("", &[rate, format_throughput(burst.throughput_bytes_per_s), lasts]);
    }
    page.figures(
        "slowest",
        &[
            format!("{} IOPS", count_text(slowest.iops)),
            format_throughput(slowest.throughput_bytes_per_s),
            format!("{} of one host as expected", percent_text(slowest.iops / prediction.expected.iops)),
            format!("in 9 of 10 clusters {}-{}", count_text(slowest.low_iops), count_text(slowest.high_iops)),
        ],
    );
    scan_line(cluster, page);
    let slow = &scan.slow;
    let from = match slow.why {
        WhySlow::Asked => "",
        WhySlow::Credits => " (its credits are spent)",
        WhySlow::Band => " (the low end of the band)",
    };
    let at = format!("a host at {}{from}", percent_text(slow.share));
    if slow.lost < NOTHING {
        let text = format!("{at}: a scan loses nothing; --slow-host 50% shows the cost of a slower host");
        page.labelled("one slow", &text);
        return;
    }
    let takes = scan.seconds.map_or(String::new(), |[.., slow]| format!(", {}", duration_text(slow)));
    let worth = rounded(slow.lost * *hosts as f64, 1);
    page.labelled(
        "one slow",
        &format!(
            "{at}: a scan has {}{takes}; it loses {}, worth {worth} of {many} hosts; independent queries lose {}",
            format_throughput(slow.throughput_bytes_per_s),
            percent_text(slow.lost),
            percent_text(slow.lost_independent),
        ),
    );
}

/// All data once: at the rate of equal hosts, and of the slowest.
fn scan_line(cluster: &Cluster, page: &mut Page) {
    let scan = &cluster.scan;
    let data = data_text(scan.data_bytes);
    let [equal, waiting] = [scan.equal_bytes_per_s, scan.waiting_bytes_per_s].map(format_throughput);
    let text = match scan.seconds {
        Some([all_equal, all_waiting, _]) => format!(
            "{data}: {} at {equal} with equal hosts, {} at {waiting} when it waits for the slowest",
            duration_text(all_equal),
            duration_text(all_waiting),
        ),
        None => {
            format!("{equal} with equal hosts, {waiting} when it waits for the slowest, while credits last")
        }
    };
    let first = scan
        .seconds_from_full
        .map_or(String::new(), |seconds| format!("; {} from full credits", duration_text(seconds)));
    page.labelled("scan", &format!("{text}{first}"));
}

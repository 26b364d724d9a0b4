//! Commands about a trace with something of each kind in it: two devices, latencies, bursts, a line that can't be read.

use std::fmt::Write;
use std::path::Path;

/// Two seconds of I/O on two disks, as MSR Cambridge's traces have them.
fn sample() -> String {
    let mut text = String::from("Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n");
    for n in 0..4_000u64 {
        let kind = if n % 3 == 0 { "Write" } else { "Read" };
        let at = 128_166_372_003_061_629 + n * 5_000;
        let offset = n * 7_919 % 10_000 * 8_192;
        let _ = writeln!(text, "{at},usr,{},{kind},{offset},8192,{}", n % 2, 4_000 + n % 1_000);
    }
    text.push_str("torn line\n");
    text
}

/// The commands, while the folder is there.
pub(crate) fn traces(folder: &Path) -> Vec<String> {
    let (file, cut) = (folder.join("usr.csv"), folder.join("usr.trace"));
    std::fs::write(&file, sample()).expect("the folder is there");
    let file = file.display();
    vec![
        format!("trace info {file}"),
        format!("trace fit {file}"),
        format!("trace cut {file} --until 1s --out {}", cut.display()),
        format!("predict --vm D2s_v3 --disk S10 --trace {file}"),
        format!("lab --only E1,E7 --trace {file}"),
        format!(
            "plan --trace {file} --latency p99:20ms --capacity 100GiB --candidates 1 --disk-types premium"
        ),
    ]
}

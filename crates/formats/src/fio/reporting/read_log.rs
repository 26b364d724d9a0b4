//! `read_iolog` and the options beside it: a recorded log in place of a job's own I/O.

use iobound_units::Op;

use crate::fio::asked::Asked;

/// The log that a job replays, and how. Sources: HOWTO of fio 3.42; `iolog.c` of fio 3.33.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadLog {
    /// Its file.
    pub file: String,
    /// Times of the log are ignored: each I/O is issued as soon as fewer than `iodepth` are outstanding (`replay_no_stall`).
    pub no_stall: bool,
    /// Percentage of the recorded rate (`replay_time_scale`).
    pub time_scale: u32,
    /// The file or device that all I/Os go to (`replay_redirect`).
    pub redirect: Option<String>,
    /// Offsets are rounded down to multiples of this, a power of two (`replay_align`).
    pub align: u32,
    /// Divisor of all offsets, before they are aligned (`replay_scale`).
    pub scale: u32,
    /// Operations that are left out (`replay_skip`).
    pub skip: Vec<Op>,
}

impl ReadLog {
    /// Request of a job; `None` without one, or with a problem.
    pub(super) fn read(asked: &mut Asked<'_>) -> Option<ReadLog> {
        let named = asked.text("read_iolog")?;
        let file = named.replace("\\:", ":");
        if file.is_empty() || file == "-" {
            asked.cannot("read_iolog", "the log is read twice, so it must be a file", "name a file");
            return None;
        }
        if named.replace("\\:", "").contains(':') {
            asked.cannot(
                "read_iolog",
                "a log for each clone is not supported",
                "write a job for each log, and `\\:` for a colon in a name",
            );
            return None;
        }
        let align = asked.count("replay_align", 0, 0, 1 << 30);
        if align > 0 && !align.is_power_of_two() {
            let what = format!("replay_align={align} is no power of two");
            asked.refuse("replay_align", what, "write a power of two such as 4096");
        }
        let mut skip = Vec::new();
        for word in asked.text("replay_skip").unwrap_or_default().split([',', ':']).map(str::trim) {
            match word {
                "" => {}
                "read" => skip.push(Op::Read),
                "write" => skip.push(Op::Write),
                "trim" => skip.push(Op::Discard),
                "sync" => skip.push(Op::Flush),
                other => {
                    let what = format!("replay_skip: `{other}` is no operation");
                    asked.refuse("replay_skip", what, "write read, write, trim or sync");
                }
            }
        }
        Some(ReadLog {
            file,
            no_stall: asked.truth("replay_no_stall"),
            time_scale: asked.count("replay_time_scale", 100, 1, 400_000),
            redirect: asked.text("replay_redirect").filter(|path| !path.is_empty()).map(str::to_string),
            align,
            scale: asked.count("replay_scale", 1, 1, 1 << 30),
            skip,
        })
    }
}

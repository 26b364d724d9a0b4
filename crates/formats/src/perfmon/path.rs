//! Paths of counters.

/// A counter that tells of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Counter {
    Reads,
    Writes,
    Transfers,
    ReadBytes,
    WriteBytes,
    Bytes,
    SecondsRead,
    SecondsWrite,
    SecondsTransfer,
    Queue,
    ReadQueue,
    WriteQueue,
    CurrentQueue,
}

const NAMES: [(&str, Counter); 13] = [
    ("disk reads/sec", Counter::Reads),
    ("disk writes/sec", Counter::Writes),
    ("disk transfers/sec", Counter::Transfers),
    ("disk read bytes/sec", Counter::ReadBytes),
    ("disk write bytes/sec", Counter::WriteBytes),
    ("disk bytes/sec", Counter::Bytes),
    ("avg. disk sec/read", Counter::SecondsRead),
    ("avg. disk sec/write", Counter::SecondsWrite),
    ("avg. disk sec/transfer", Counter::SecondsTransfer),
    ("avg. disk queue length", Counter::Queue),
    ("avg. disk read queue length", Counter::ReadQueue),
    ("avg. disk write queue length", Counter::WriteQueue),
    ("current disk queue length", Counter::CurrentQueue),
];

impl Counter {
    /// The counter of this name, in either case.
    pub(super) fn of(name: &str) -> Option<Counter> {
        let lower = name.to_ascii_lowercase();
        NAMES.iter().find(|(own, _)| *own == lower).map(|(_, counter)| *counter)
    }
}

/// A path, `\\HOST\Object(instance)\Counter`; the host may be missing, and so may the instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Path<'a> {
    pub host: &'a str,
    pub object: &'a str,
    pub instance: &'a str,
    pub counter: &'a str,
}

impl<'a> Path<'a> {
    /// The parts of a path; `None`: it is none.
    pub(super) fn read(text: &'a str) -> Option<Path<'a>> {
        let text = text.trim();
        let (host, rest) = match text.strip_prefix("\\\\") {
            Some(rest) => rest.split_once('\\')?,
            None => ("", text.strip_prefix('\\')?),
        };
        let (middle, counter) = rest.rsplit_once('\\')?;
        let (object, instance) = match middle.split_once('(') {
            Some((object, instance)) => (object, instance.strip_suffix(')')?),
            None => (middle, ""),
        };
        Some(Path { host, object, instance, counter })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_falls_apart_into_host_object_instance_and_counter() {
        let path = |host, object, instance, counter| Some(Path { host, object, instance, counter });
        for (text, expected) in [
            (
                "\\\\SQL01\\PhysicalDisk(1 E:)\\Disk Reads/sec",
                path("SQL01", "PhysicalDisk", "1 E:", "Disk Reads/sec"),
            ),
            ("\\Memory\\Available Bytes", path("", "Memory", "", "Available Bytes")),
            (
                "\\\\h\\logicaldisk(c:\\mnt\\data)\\disk writes/sec",
                path("h", "logicaldisk", "c:\\mnt\\data", "disk writes/sec"),
            ),
            ("(PDH-CSV 4.0)", None),
            ("\\\\h", None),
            ("", None),
        ] {
            assert_eq!(Path::read(text), expected, "{text}");
        }
        assert_eq!(Counter::of("Avg. Disk sec/Read"), Some(Counter::SecondsRead));
    }
}

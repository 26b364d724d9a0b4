//! A target of the XML profile.

use super::element::Element;
use super::options::{
    CacheMode, Fill, FlushMode, OffsetRange, RandomZones, RangeUnit, Target, ThreadTarget, Throttle,
    TimeSpan, WriteBuffers,
};
use super::switch::Knob;
use super::xml::XmlReader;

const TARGET: [&str; 32] = [
    "Path",
    "BlockSize",
    "StrideSize",
    "InterlockedSequential",
    "BaseFileOffset",
    "SequentialScan",
    "RandomAccess",
    "TemporaryFile",
    "UseLargePages",
    "RequestCount",
    "Random",
    "RandomRatio",
    "DisableAllCache",
    "DisableLocalCache",
    "DisableOSCache",
    "WriteThrough",
    "MemoryMappedIo",
    "FlushType",
    "WriteBufferContent",
    "BurstSize",
    "ThinkTime",
    "Throughput",
    "ThreadsPerFile",
    "FileSize",
    "MaxFileSize",
    "WriteRatio",
    "ParallelAsyncIO",
    "ThreadStride",
    "IOPriority",
    "Weight",
    "ThreadTargets",
    "Distribution",
];

impl XmlReader<'_> {
    pub(super) fn targets(&mut self, root: &Element, span: &mut TimeSpan) {
        for element in &root.children {
            if element.name != "Target" {
                self.unknown(element, "Targets", &["Target"]);
                continue;
            }
            self.here.1 = Some(span.targets.len());
            let target = self.target(element);
            self.here.1 = None;
            span.targets.push(target);
        }
    }

    fn target(&mut self, root: &Element) -> Target {
        let mut target = Target::default();
        let mut random: Option<u64> = None;
        let mut ratio: Option<u32> = None;
        for element in &root.children {
            if let Some(knob) = self.target_element(element, &mut target, &mut random, &mut ratio) {
                self.turned(knob, element);
            }
        }
        if let Some(align) = random.filter(|align| *align > 0) {
            target.align_bytes = Some(align);
            target.random_percent = ratio.unwrap_or(100);
        } else if ratio.is_some() {
            self.wrong(root, "RandomRatio without Random".into(), "add Random with the alignment in bytes");
        }
        if target.path.is_empty() {
            self.wrong(root, "the target has no Path".into(), "add <Path>testfile.dat</Path>");
        }
        if target.block_bytes == 0 || target.requests == 0 || target.threads() == 0 {
            self.wrong(root, "BlockSize, RequestCount or ThreadsPerFile is zero".into(), "give 1 or more");
            target.block_bytes = target.block_bytes.max(1);
        }
        target
    }

    /// Reads one element of a target; what it turned, `None` where that leaves things as they are.
    fn target_element(
        &mut self,
        element: &Element,
        target: &mut Target,
        random: &mut Option<u64>,
        ratio: &mut Option<u32>,
    ) -> Option<Knob> {
        Some(match element.name.as_str() {
            "Path" => {
                target.path = element.text.clone();
                Knob::Path
            }
            "BlockSize" => {
                target.block_bytes = self.number(element);
                Knob::Block
            }
            "StrideSize" => {
                target.align_bytes = Some(self.number(element));
                Knob::Stride
            }
            "InterlockedSequential" => {
                target.interlocked = self.truth(element);
                Knob::Interlocked
            }
            "BaseFileOffset" => {
                target.base_bytes = self.number(element);
                Knob::Base
            }
            "SequentialScan" => {
                target.hints.sequential = self.truth(element);
                target.hints.sequential.then_some(Knob::Hints)?
            }
            "RandomAccess" => {
                target.hints.random = self.truth(element);
                target.hints.random.then_some(Knob::Hints)?
            }
            "TemporaryFile" => {
                target.hints.temporary = self.truth(element);
                target.hints.temporary.then_some(Knob::Hints)?
            }
            "UseLargePages" => {
                target.large_pages = self.truth(element);
                target.large_pages.then_some(Knob::LargePages)?
            }
            "RequestCount" => {
                target.requests = self.number(element);
                Knob::Requests
            }
            "Random" => {
                *random = Some(self.number(element));
                Knob::Random
            }
            "RandomRatio" => {
                *ratio = Some(self.percent(element));
                Knob::RandomRatio
            }
            "DisableAllCache" => {
                if self.truth(element) {
                    target.cache = CacheMode::Unbuffered;
                    target.write_through = true;
                }
                Knob::Cache
            }
            "DisableOSCache" => {
                if self.truth(element) {
                    target.cache = CacheMode::Unbuffered;
                }
                Knob::Cache
            }
            "DisableLocalCache" => {
                if self.truth(element) {
                    target.cache = CacheMode::RemoteOnly;
                }
                Knob::Cache
            }
            "WriteThrough" => {
                target.write_through |= self.truth(element);
                Knob::WriteThrough
            }
            "MemoryMappedIo" => {
                target.memory_mapped = self.truth(element);
                Knob::Mapped
            }
            "FlushType" => {
                target.flush = self.flush(element);
                Knob::Flush
            }
            "WriteBufferContent" => {
                self.buffers(element, target);
                Knob::WriteBuffers
            }
            "BurstSize" => {
                target.burst = self.number(element);
                Knob::Burst
            }
            "ThinkTime" => {
                target.think_ms = self.number(element);
                Knob::Think
            }
            "Throughput" => {
                let amount: u32 = self.number(element);
                target.throttle = match element.attribute("unit") {
                    _ if amount == 0 => None,
                    None | Some("BPMS") => Some(Throttle::BytesPerMs(amount)),
                    Some("IOPS") => Some(Throttle::Iops(amount)),
                    Some(other) => {
                        self.wrong(element, format!("Throughput in `{other}`"), "the unit is BPMS or IOPS");
                        None
                    }
                };
                target.throttle.map(|_| Knob::Throttle)?
            }
            "ThreadsPerFile" => {
                target.threads_per_target = Some(self.number(element));
                Knob::Threads
            }
            "FileSize" => {
                target.create_bytes = Some(self.number(element)).filter(|size| *size > 0);
                Knob::Create
            }
            "MaxFileSize" => {
                target.end_bytes = Some(self.number(element)).filter(|size| *size > 0);
                Knob::End
            }
            "WriteRatio" => {
                target.write_percent = self.percent(element);
                Knob::Writes
            }
            "ParallelAsyncIO" => {
                target.parallel = self.truth(element);
                Knob::Parallel
            }
            "ThreadStride" => {
                target.thread_stride_bytes = self.number(element);
                Knob::ThreadStride
            }
            "IOPriority" => {
                target.priority = self.number(element);
                (target.priority != 3).then_some(Knob::Priority)?
            }
            "Weight" => {
                target.weight = self.number(element);
                Knob::Weight
            }
            "ThreadTargets" => {
                self.thread_targets(element, target);
                Knob::ThreadTargets
            }
            "Distribution" => {
                target.zones = self.zones(element);
                Knob::Zones
            }
            _ => {
                self.unknown(element, "Target", &TARGET);
                return None;
            }
        })
    }

    fn percent(&mut self, element: &Element) -> u32 {
        let percent: u32 = self.number(element);
        if percent > 100 {
            self.wrong(element, format!("{} is {percent}", element.name), "0 to 100 percent are possible");
        }
        percent.min(100)
    }

    fn flush(&mut self, element: &Element) -> Option<FlushMode> {
        match element.text.as_str() {
            "ViewOfFile" => Some(FlushMode::ViewOfFile),
            "NonVolatileMemory" => Some(FlushMode::NonVolatileMemory),
            "NonVolatileMemoryNoDrain" => Some(FlushMode::NonVolatileMemoryNoDrain),
            other => {
                let what = format!("FlushType: `{other}`");
                self.wrong(element, what, "write ViewOfFile, NonVolatileMemory or NonVolatileMemoryNoDrain");
                None
            }
        }
    }

    fn buffers(&mut self, root: &Element, target: &mut Target) {
        let mut fill = Fill { bytes: 0, file: None };
        let mut pattern = String::new();
        for element in &root.children {
            match element.name.as_str() {
                "Pattern" => pattern.clone_from(&element.text),
                "RandomDataSource" => {
                    for part in &element.children {
                        match part.name.as_str() {
                            "SizeInBytes" => fill.bytes = self.number(part),
                            "FilePath" => fill.file = Some(part.text.clone()).filter(|path| !path.is_empty()),
                            _ => self.unknown(part, "RandomDataSource", &["SizeInBytes", "FilePath"]),
                        }
                    }
                }
                _ => self.unknown(element, "WriteBufferContent", &["Pattern", "RandomDataSource"]),
            }
        }
        target.buffers = match pattern.as_str() {
            "sequential" => WriteBuffers::Counting,
            "zero" => WriteBuffers::Zeros,
            "random" => WriteBuffers::Source(fill),
            other => {
                self.wrong(root, format!("Pattern: `{other}`"), "write sequential, zero or random");
                WriteBuffers::Counting
            }
        };
    }

    fn thread_targets(&mut self, root: &Element, target: &mut Target) {
        for element in &root.children {
            if element.name != "ThreadTarget" {
                self.unknown(element, "ThreadTargets", &["ThreadTarget"]);
                continue;
            }
            let (mut thread, mut weight) = (None, None);
            for part in &element.children {
                match part.name.as_str() {
                    "Thread" => thread = Some(self.number(part)),
                    "Weight" => weight = Some(self.number(part)),
                    _ => self.unknown(part, "ThreadTarget", &["Thread", "Weight"]),
                }
            }
            match thread {
                Some(thread) => target.thread_targets.push(ThreadTarget { thread, weight }),
                None => {
                    self.wrong(element, "a ThreadTarget names no Thread".into(), "add <Thread>0</Thread>")
                }
            }
        }
    }

    /// `<Distribution><Percent|Absolute><Range IO="90">10</Range>…`.
    fn zones(&mut self, root: &Element) -> Option<RandomZones> {
        let [list] = root.children.as_slice() else {
            self.wrong(root, "a Distribution holds one of Percent and Absolute".into(), "keep one of them");
            return None;
        };
        let unit = match list.name.as_str() {
            "Percent" => RangeUnit::Percent,
            "Absolute" => RangeUnit::Bytes,
            _ => {
                self.unknown(list, "Distribution", &["Percent", "Absolute"]);
                return None;
            }
        };
        let mut ranges = Vec::new();
        for element in &list.children {
            if element.name != "Range" {
                self.unknown(element, &list.name, &["Range"]);
                continue;
            }
            let io_percent = element.attribute("IO").and_then(|io| io.parse().ok()).filter(|n| *n <= 100);
            let size = self.number(element);
            match io_percent {
                Some(io_percent) => ranges.push(OffsetRange { io_percent, size }),
                None => self.wrong(
                    element,
                    "a Range has no percentage of I/Os".into(),
                    "write <Range IO=\"90\">10</Range>",
                ),
            }
        }
        if ranges.is_empty() {
            self.wrong(list, "the distribution has no Range".into(), "add <Range IO=\"90\">10</Range>");
        }
        Some(RandomZones { unit, ranges })
    }
}

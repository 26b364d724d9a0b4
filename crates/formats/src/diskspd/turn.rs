//! One switch of the command line at a time.

use super::options::{
    Affinity, CacheMode, Etw, FlushMode, Processor, Profile, ResultFormat, Target, Throttle, TimeSpan,
};
use super::size::parse_size;
use super::switch::Knob;
use super::value::{BadSwitch, bad_hint, event, number, processors, seed, unknown};

/// Everything that the switches of a line set.
#[derive(Default)]
pub(super) struct Switches {
    pub profile: Profile,
    pub span: TimeSpan,
    pub target: Target,
    pub cache: Option<CacheMode>,
    pub write_through: Option<bool>,
    pub mapped: bool,
    pub processors: Vec<Processor>,
}

impl Switches {
    /// A size, as the value of a switch.
    pub(super) fn size(&self, value: &str) -> Result<u64, BadSwitch> {
        parse_size(value, Some(u64::from(self.target.block_bytes)))
    }

    /// Does what one switch says; what it turned.
    pub(super) fn turn(&mut self, word: &str) -> Result<Vec<Knob>, BadSwitch> {
        let mut letters = word.chars();
        letters.next();
        let letter = letters.next().unwrap_or('\0');
        let value: &str = letters.as_str();
        let target = &mut self.target;
        let span = &mut self.span;
        let knob = match letter {
            'a' => {
                self.processors.extend(processors(value)?);
                Knob::Affinity
            }
            'b' => {
                let size = parse_size(value, None)?;
                target.block_bytes = u32::try_from(size).ok().filter(|n| *n > 0).ok_or_else(|| {
                    (format!("`-b{value}`: a block has 1 to 4,294,967,295 bytes"), "write -b4K".to_string())
                })?;
                Knob::Block
            }
            'B' => {
                let (base, length) = value.split_once(':').map_or((value, None), |(b, l)| (b, Some(l)));
                let base = self.size(base)?;
                let length = length.map(|length| self.size(length)).transpose()?;
                self.target.base_bytes = base;
                if let Some(length) = length {
                    self.set_end(base.saturating_add(length), word)?;
                    return Ok(vec![Knob::Base, Knob::End]);
                }
                Knob::Base
            }
            'c' => {
                let size = self.size(value)?;
                self.target.create_bytes = Some(size);
                Knob::Create
            }
            'C' => {
                span.cooldown_s = number('C', value, 0, u32::MAX, "5")?;
                Knob::Cooldown
            }
            'd' => {
                span.duration_s = number('d', value, 1, u32::MAX, "60")?;
                Knob::Duration
            }
            'D' => {
                span.iops_deviation = true;
                if !value.is_empty() {
                    span.bucket_ms = number('D', value, 1, u32::MAX, "1000")?;
                }
                Knob::Buckets
            }
            'e' => {
                let known = "p q c s PROCESS THREAD IMAGE_LOAD DISK_IO MEMORY_PAGE_FAULTS MEMORY_HARD_FAULTS \
                             NETWORK REGISTRY";
                if !known.split(' ').any(|name| name == value) {
                    return Err((format!("`-e{value}` is not a known trace"), format!("after -e: {known}")));
                }
                self.profile.etw.get_or_insert_with(Etw::default).words.push(value.to_string());
                Knob::Etw
            }
            'f' if value.starts_with(|c: char| c.is_ascii_digit()) => {
                let size = self.size(value)?;
                self.set_end(size, word)?;
                Knob::End
            }
            'f' => {
                for hint in value.chars() {
                    match hint {
                        'r' => target.hints.random = true,
                        's' => target.hints.sequential = true,
                        't' => target.hints.temporary = true,
                        _ => return Err(bad_hint(value)),
                    }
                }
                if value.is_empty() {
                    return Err(bad_hint(value));
                }
                Knob::Hints
            }
            'F' => {
                span.thread_count = number('F', value, 1, u32::MAX, "4")?;
                Knob::ThreadCount
            }
            'g' => {
                target.throttle = Some(match value.strip_suffix('i') {
                    Some(iops) => Throttle::Iops(number('g', iops, 1, u32::MAX, "500i")?),
                    None => Throttle::BytesPerMs(number('g', value, 1, u32::MAX, "1024")?),
                });
                Knob::Throttle
            }
            'h' if value.is_empty() => {
                self.uncached(word)?;
                return Ok(vec![Knob::Cache, Knob::WriteThrough]);
            }
            'i' => {
                target.burst = number('i', value, 1, u32::MAX, "10")?;
                Knob::Burst
            }
            'I' => {
                target.priority = number('I', value, 1, 3, "3")?;
                Knob::Priority
            }
            'j' => {
                target.think_ms = number('j', value, 1, u32::MAX, "10")?;
                Knob::Think
            }
            'l' if value.is_empty() => {
                target.large_pages = true;
                Knob::LargePages
            }
            'L' if value.is_empty() => {
                span.measure_latency = true;
                Knob::Latency
            }
            'n' if value.is_empty() => {
                span.affinity = Affinity::None;
                Knob::NoAffinity
            }
            'N' => {
                target.flush = Some(match value {
                    "v" | "V" => FlushMode::ViewOfFile,
                    "n" | "N" => FlushMode::NonVolatileMemory,
                    "i" | "I" => FlushMode::NonVolatileMemoryNoDrain,
                    _ => {
                        return Err((
                            format!("`-N{value}` is not a flush mode"),
                            "write -Nv, -Nn or -Ni".into(),
                        ));
                    }
                });
                Knob::Flush
            }
            'o' => {
                target.requests = number('o', value, 1, u32::MAX, "8")?;
                Knob::Requests
            }
            'O' => {
                span.request_count = number('O', value, 1, u32::MAX, "32")?;
                Knob::ThreadRequests
            }
            'p' if value.is_empty() => {
                target.parallel = true;
                Knob::Parallel
            }
            'P' => {
                let bare = if value.is_empty() { "65536" } else { value };
                self.profile.progress = Some(number('P', bare, 1, u32::MAX, "65536")?);
                Knob::Progress
            }
            'r' => return self.random(value),
            'R' => {
                let format = value.strip_prefix('p').unwrap_or(value);
                self.profile.profile_only = format.len() < value.len();
                self.profile.result_format = match format {
                    "text" => ResultFormat::Text,
                    "xml" => ResultFormat::Xml,
                    "" if self.profile.profile_only => ResultFormat::Text,
                    _ => {
                        return Err((format!("`-R{value}` is not a format"), "write -Rtext or -Rxml".into()));
                    }
                };
                Knob::Results
            }
            's' => {
                let stride = value.strip_prefix('i');
                if target.align_bytes.is_some() || target.random_percent > 0 {
                    return Err((
                        format!("`{word}`: sequential I/O is already given, or conflicts with -r"),
                        "give -s or -si once, and not with -r (for -rs, -r sets the alignment)".into(),
                    ));
                }
                let size = stride.unwrap_or(value);
                let align = if size.is_empty() { u64::from(target.block_bytes) } else { self.size(size)? };
                self.target.align_bytes = Some(align);
                if stride.is_some() {
                    self.target.interlocked = true;
                    return Ok(vec![Knob::Stride, Knob::Interlocked]);
                }
                Knob::Stride
            }
            'S' => return self.caching(value, word),
            't' => {
                target.threads_per_target = Some(number('t', value, 1, u32::MAX, "4")?);
                Knob::Threads
            }
            'T' => {
                let size = self.size(value)?;
                if size == 0 {
                    return Err((
                        format!("`{word}`: the offset is zero"),
                        "write -T1G, or leave -T out".into(),
                    ));
                }
                self.target.thread_stride_bytes = size;
                Knob::ThreadStride
            }
            'v' if value.is_empty() => {
                self.profile.verbose = true;
                Knob::Verbose
            }
            'v' if value == "s" => {
                self.profile.wait_statistics = true;
                Knob::Verbose
            }
            'w' if value.is_empty() => {
                return Err((
                    "`-w` has no percentage of writes; DiskSpd 2.2 refuses it, though its help says -w0"
                        .into(),
                    "write -w0 for reads only, -w100 for writes only".into(),
                ));
            }
            'w' => {
                target.write_percent = number('w', value, 0, 100, "30")?;
                Knob::Writes
            }
            'W' => {
                span.warmup_s = number('W', value, 0, u32::MAX, "5")?;
                Knob::Warmup
            }
            'x' if value.is_empty() => {
                span.completion_routines = true;
                Knob::Completion
            }
            'y' => {
                self.profile.events.push(event(value)?);
                Knob::Events
            }
            'z' => {
                span.seed = seed(value)?;
                Knob::Seed
            }
            'Z' => {
                self.buffers(value)?;
                if value == "r" { Knob::RandomWriteData } else { Knob::WriteBuffers }
            }
            ':' => {
                self.profile.flags = Some(number(':', value, 0, u32::MAX, "1")?);
                Knob::Flags
            }
            _ => return Err(unknown(letter, value, word)),
        };
        Ok(vec![knob])
    }

    /// The target's end, which only one switch may set.
    pub(super) fn set_end(&mut self, end: u64, word: &str) -> Result<(), BadSwitch> {
        if self.target.end_bytes.is_some() {
            return Err((
                format!("`{word}`: the end of the target is already given"),
                "give -f<size> or -B<base>:<length>, not both".into(),
            ));
        }
        self.target.end_bytes = Some(end);
        Ok(())
    }
}

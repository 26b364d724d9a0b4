//! The values of switches.

use super::options::{
    CacheMode, EventKind, Fill, NamedEvent, OffsetRange, Processor, RandomZones, RangeUnit, WriteBuffers,
};
use super::switch::Knob;
use super::turn::Switches;

/// Reason why a switch can't stand, and what to write instead.
pub(super) type BadSwitch = (String, String);

/// Every switch, for the answer to an unknown one.
const SWITCHES: &str = "a b B c C d D e f F g h i I j l L n N o O p P r R s S t T v w W x X y z Z";

/// A whole number within bounds, as the value of a switch.
pub(super) fn number(switch: char, value: &str, from: u32, to: u32, example: &str) -> Result<u32, BadSwitch> {
    let help = || format!("write -{switch}{example}");
    match value.parse::<u32>() {
        Ok(n) if (from..=to).contains(&n) => Ok(n),
        Ok(n) if n < from => Err((format!("`-{switch}{value}`: at least {from} is needed"), help())),
        Ok(_) => Err((format!("`-{switch}{value}`: at most {to} is possible"), help())),
        Err(_) if value.is_empty() => Err((format!("`-{switch}` has no number"), help())),
        Err(_) => Err((format!("`-{switch}{value}`: `{value}` is not a whole number"), help())),
    }
}

impl Switches {
    /// `-r[align]`, `-rs<percent>`, `-rd<distribution>`.
    pub(super) fn random(&mut self, value: &str) -> Result<Vec<Knob>, BadSwitch> {
        if let Some(percent) = value.strip_prefix('s') {
            let percent = number('r', percent, 1, 100, "s50")
                .map_err(|_| (format!("`-r{value}`: 1 to 100 percent random"), "write -rs50".to_string()))?;
            if self.target.align_bytes.is_some() && self.target.random_percent == 0 {
                return Err(sequential_and_random());
            }
            self.target.random_percent = percent;
            return Ok(vec![Knob::RandomRatio]);
        }
        if let Some(zones) = value.strip_prefix('d') {
            self.target.zones = Some(self.zones(zones)?);
            return Ok(vec![Knob::Zones]);
        }
        let align = if value.is_empty() { u64::from(self.target.block_bytes) } else { self.size(value)? };
        if align == 0 {
            return Err((format!("`-r{value}`: nothing can be aligned to zero"), "write -r or -r4K".into()));
        }
        match self.target.align_bytes {
            Some(_) if self.target.random_percent == 0 => return Err(sequential_and_random()),
            Some(_) => {
                return Err(("-r is given twice".into(), "give -r once, with one alignment".into()));
            }
            None => self.target.align_bytes = Some(align),
        }
        if self.target.random_percent == 0 {
            self.target.random_percent = 100;
        }
        Ok(vec![Knob::Random])
    }

    /// `pct<io>/<target>:…` or `abs<io>/<size>:…`.
    pub(super) fn zones(&self, text: &str) -> Result<RandomZones, BadSwitch> {
        let help = || "write -rdpct90/10:10/90 or -rdabs90/10G:5/50G".to_string();
        let (unit, ranges) = if let Some(rest) = text.strip_prefix("pct") {
            (RangeUnit::Percent, rest)
        } else if let Some(rest) = text.strip_prefix("abs") {
            (RangeUnit::Bytes, rest)
        } else {
            return Err((format!("`-rd{text}`: a distribution begins with pct or abs"), help()));
        };
        let ranges = ranges.split(':').map(|range| {
            let wrong = |why: &str| (format!("`{range}`: {why}"), help());
            let (ios, size) =
                range.split_once('/').ok_or_else(|| wrong("percent of I/Os / size is expected"))?;
            let io_percent = ios.parse().ok().filter(|n| *n <= 100);
            let io_percent = io_percent.ok_or_else(|| wrong("0 to 100 percent of the I/Os are possible"))?;
            let size = match unit {
                RangeUnit::Percent => size.parse().ok().filter(|n| (1..=100).contains(n)),
                RangeUnit::Bytes => Some(self.size(size)?).filter(|n| *n > 0),
            };
            Ok(OffsetRange { io_percent, size: size.ok_or_else(|| wrong("a zone is not empty"))? })
        });
        Ok(RandomZones { unit, ranges: ranges.collect::<Result<_, BadSwitch>>()? })
    }

    /// `-Sh` and `-h`.
    pub(super) fn uncached(&mut self, word: &str) -> Result<(), BadSwitch> {
        if self.cache.is_some() || self.write_through.is_some() || self.mapped {
            return Err(cache_conflict(word));
        }
        self.cache = Some(CacheMode::Unbuffered);
        self.write_through = Some(true);
        Ok(())
    }

    /// `-S[bhmruw]`.
    pub(super) fn caching(&mut self, value: &str, word: &str) -> Result<Vec<Knob>, BadSwitch> {
        let mut knobs = vec![Knob::Cache];
        for flag in if value.is_empty() { "u" } else { value }.chars() {
            let unbuffered = self.cache == Some(CacheMode::Unbuffered);
            match flag {
                'b' | 'r' | 'u' if self.cache.is_some() => return Err(cache_conflict(word)),
                'b' => self.cache = Some(CacheMode::Cached),
                'r' => self.cache = Some(CacheMode::RemoteOnly),
                'u' if !self.mapped => self.cache = Some(CacheMode::Unbuffered),
                'h' => {
                    self.uncached(word)?;
                    knobs.push(Knob::WriteThrough);
                }
                'm' if !self.mapped && !unbuffered => {
                    self.mapped = true;
                    knobs.push(Knob::Mapped);
                }
                'w' if self.write_through.is_none() => {
                    self.write_through = Some(true);
                    knobs.push(Knob::WriteThrough);
                }
                'm' | 'u' | 'w' => return Err(cache_conflict(word)),
                _ => {
                    return Err((
                        format!("`{word}`: -S has no `{flag}`"),
                        "after -S: b cached, u uncached, w write-through, h = uw, r remote cache only, m mapped"
                            .into(),
                    ));
                }
            }
        }
        Ok(knobs)
    }

    /// `-Z`, `-Zr`, `-Z<size>[,<file>]`.
    pub(super) fn buffers(&mut self, value: &str) -> Result<(), BadSwitch> {
        match value {
            "" => self.target.buffers = WriteBuffers::Zeros,
            "r" => self.span.random_write_data = true,
            _ => {
                let (size, file) = value.split_once(',').map_or((value, None), |(s, f)| (s, Some(f)));
                let bytes = self.size(size)?;
                if bytes == 0 {
                    return Err((format!("`-Z{value}`: the buffer is empty"), "write -Z1M".into()));
                }
                self.target.buffers = WriteBuffers::Source(Fill {
                    bytes,
                    file: file.filter(|f| !f.is_empty()).map(str::to_string),
                });
            }
        }
        Ok(())
    }
}

pub(super) fn bad_hint(value: &str) -> BadSwitch {
    (
        format!("`-f{value}` is neither a size nor hints"),
        "write -f10G (use the first 10 GiB) or -f with r, s, t (hints)".to_string(),
    )
}

fn sequential_and_random() -> BadSwitch {
    ("sequential I/O (-s) conflicts with random I/O (-r, -rs)".into(), "keep one of them".into())
}

fn cache_conflict(word: &str) -> BadSwitch {
    (
        format!("`{word}` conflicts with an earlier -S or -h"),
        "give it once: -Sh (or -h) is uncached and write-through, -Su uncached, -Sw write-through".into(),
    )
}

pub(super) fn unknown(letter: char, value: &str, word: &str) -> BadSwitch {
    let other =
        if letter.is_ascii_uppercase() { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() };
    let known = |c: char| SWITCHES.split(' ').any(|s| s == c.to_string());
    if letter == '?' {
        return ("`-?` only prints DiskSpd's help".into(), "leave it out".into());
    }
    if letter == '\0' {
        return (format!("`{word}` is not a switch"), "write a letter after it".into());
    }
    if known(letter) {
        return (format!("`-{letter}` takes no value, but `{value}` follows"), format!("write -{letter}"));
    }
    let help = if known(other) {
        format!("did you mean -{other}{value}? The case of a switch counts")
    } else {
        format!("the switches are {SWITCHES}")
    };
    (format!("`{word}` is not a switch of DiskSpd's"), help)
}

/// `-a`, `-ag`, `-a0,1,2`, `-ag0,0,1,g1,0`: the processors, none for the default.
pub(super) fn processors(value: &str) -> Result<Vec<Processor>, BadSwitch> {
    let mut list = Vec::new();
    if value.is_empty() || value == "g" {
        return Ok(list);
    }
    let wrong = |item: &str| {
        (format!("`-a{value}`: `{item}` is not a processor"), "write -a0,1,2 or -ag0,0,1,g1,0,1".to_string())
    };
    let mut group = 0;
    let mut last_is_group = false;
    for item in value.split(',') {
        last_is_group = item.starts_with('g');
        match item.strip_prefix('g') {
            Some(number) => group = number.parse().map_err(|_| wrong(item))?,
            None => list.push(Processor { group, core: item.parse().map_err(|_| wrong(item))? }),
        }
    }
    if last_is_group {
        return Err((format!("`-a{value}` ends in a group without processors"), "add their numbers".into()));
    }
    Ok(list)
}

pub(super) fn event(value: &str) -> Result<NamedEvent, BadSwitch> {
    let mut letters = value.chars();
    let kind = match letters.next() {
        Some('s') => EventKind::Started,
        Some('f') => EventKind::Finished,
        Some('r') => EventKind::WaitToRun,
        Some('p') => EventKind::Stop,
        Some('e') => EventKind::SetAndQuit,
        _ => {
            return Err((
                format!("`-y{value}` is not an event"),
                "after -y: s, f, r, p or e and a name".into(),
            ));
        }
    };
    let name = letters.as_str().to_string();
    if name.is_empty() {
        return Err((format!("`-y{value}` has no name"), format!("write -y{value}<name>")));
    }
    Ok(NamedEvent { kind, name })
}

pub(super) fn seed(value: &str) -> Result<Option<u64>, BadSwitch> {
    if value.is_empty() {
        return Ok(None);
    }
    number('z', value, 0, u32::MAX, "17").map(|seed| Some(u64::from(seed)))
}

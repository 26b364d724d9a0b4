//! The words of `--observed` and `--want`: `iops=1000 throughput=140MB/s read=30%`, and for a volume or a disk
//! `data.0: iops=500`.

use iobound_units::{
    Bytes, parse_bandwidth, parse_bytes, parse_count, parse_iops, parse_percent, parse_rate, parse_span,
};

use crate::observed::{Access, Figures, Observed, Part};
use crate::want::Want;

const EXPECTED: &str = "write 'iops=1000 throughput=140MB/s latency=p99:5ms block=32KiB depth=16 read=30% \
access=random queue=2.4' for all disks together, and 'data.0: iops=500' for one volume or disk; before the first volume also \
'size=200GiB duration=30s after=45min cpu=98% iowait=5% read-ahead=4MiB application=6MB/s credits-left=vm:0% raw=12000 sync=yes \
flushes=300 buffered=no from-snapshot=yes'; give the figures that you know";

impl Observed {
    /// Reads the words of `--observed`; names of volumes and disks end in a colon.
    ///
    /// # Errors
    /// Returns an error if a word cannot be read; it has the word and the expected form.
    pub fn parse(text: &str) -> Result<Observed, String> {
        let mut observed = Observed::default();
        let mut part: Option<usize> = None;
        let mut seen: Vec<(Option<usize>, String)> = Vec::new();
        for word in words_of(text) {
            if let Some(name) = word.strip_suffix(':').filter(|name| !name.contains('=')) {
                if observed.parts.iter().any(|part| part.name == name) {
                    return Err(format!(
                        "`{name}` is given twice: give one set of figures for each volume or disk"
                    ));
                }
                observed.parts.push(Part { name: name.to_string(), figures: Figures::default() });
                part = Some(observed.parts.len() - 1);
                continue;
            }
            let (key, value) =
                word.split_once('=').ok_or_else(|| format!("`{word}` has no `=`: {EXPECTED}"))?;
            let what = match key {
                "latency" => latency_word(value),
                "credits-left" => format!("credits-left {}", value.split(':').next().unwrap_or_default()),
                _ => key.to_string(),
            };
            if seen.contains(&(part, what.clone())) {
                return Err(format!("`{what}` is given twice: {EXPECTED}"));
            }
            seen.push((part, what));
            let is_of_all = match part {
                None => observed.circumstance(key, value, word)?,
                Some(_) => Observed::default().circumstance(key, value, word)?,
            };
            if let (true, Some(part)) = (is_of_all, part) {
                let name = &observed.parts[part].name;
                return Err(format!(
                    "`{word}` after `{name}:`: {key} is said of all disks together: write it before the first name: '{word} {name}: iops=500'"
                ));
            }
            if is_of_all {
                continue;
            }
            let figures = match part {
                Some(part) => &mut observed.parts[part].figures,
                None => &mut observed.total,
            };
            read_figure(figures, key, value, word)?;
            observed.is_throughput_stated |= key == "throughput";
            observed.is_throughput_in_mib |= key == "throughput" && value.contains('i');
        }
        observed.sum_parts();
        if !observed.total.has_any() && !observed.parts.iter().any(|part| part.figures.has_any()) {
            return Err(format!("no rate and no latency: {EXPECTED}"));
        }
        observed.derive();
        Ok(observed)
    }

    /// Reads what is of the whole only; `false`: it is something else.
    fn circumstance(&mut self, key: &str, value: &str, word: &str) -> Result<bool, String> {
        let of = |error: iobound_units::ParseError| format!("`{word}`: {error}");
        match key {
            "duration" => self.duration = Some(parse_span(value).map_err(of)?),
            "after" => self.after = Some(parse_span(value).map_err(of)?),
            "cpu" => self.cpu = Some(parse_percent(value).map_err(of)?.fraction()),
            "iowait" => self.iowait = Some(parse_percent(value).map_err(of)?.fraction()),
            "size" => {
                let size = parse_bytes(value).map_err(of)?;
                if size == Bytes::ZERO {
                    return Err(format!("`{word}`: the size must be above zero; {EXPECTED}"));
                }
                self.size = Some(size);
            }
            "credits-left" => {
                let (of_what, share) = value.split_once(':').unwrap_or_default();
                let used = 1.0 - parse_percent(share).map_err(of)?.fraction();
                match of_what {
                    "disk" => self.credits_used.disk = Some(used),
                    "vm" => self.credits_used.vm = Some(used),
                    _ => {
                        return Err(format!(
                            "`{word}`: write credits-left=disk:0% (BurstBalance) or credits-left=vm:0% (EBSIOBalance%, EBSByteBalance%)"
                        ));
                    }
                }
            }
            "from-snapshot" => self.from_snapshot = Some(yes_or_no(key, value, word)?),
            "buffered" => self.buffered = Some(yes_or_no(key, value, word)?),
            "sync" => self.synced = Some(yes_or_no(key, value, word)?),
            "flushes" => {
                let flushes = iops_of(value).map_err(|error| {
                    format!("`{word}`: {error}; flushes are those of one device a second (iostat -x: f/s): write flushes=300")
                })?;
                self.flushes_per_s = Some(flushes);
            }
            "raw" => {
                let iops = iops_of(value).map_err(|error| {
                    format!("`{word}`: {error}; raw is what the same load gives without a file system: write raw=12000")
                })?;
                self.raw_iops = Some(iops);
            }
            "read-ahead" => self.read_ahead = Some(parse_bytes(value).map_err(of)?),
            "application" => {
                self.application_bytes_per_s = Some(throughput_of(value).map_err(of)?);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The whole is the sum of its parts where nothing else is said of it.
    fn sum_parts(&mut self) {
        let parts = &self.parts;
        let sum = |figure: fn(&Figures) -> Option<f64>| -> Option<f64> {
            (!parts.is_empty())
                .then(|| parts.iter().map(|part| figure(&part.figures)).sum::<Option<f64>>())?
        };
        self.total.iops = self.total.iops.or(sum(|figures| figures.iops));
        let bytes = self.total.throughput_bytes_per_s.or(sum(|figures| figures.throughput_bytes_per_s));
        self.total.throughput_bytes_per_s = bytes;
        // The mix of all is the mean over the I/Os of volumes whose mix is known.
        let mix = Figures::sum(parts.iter().map(|part| &part.figures)).read;
        self.total.read = self.total.read.or(mix.filter(|_| !parts.is_empty()));
    }
}

impl Want {
    /// Reads the words of `--want`: `iops=5000 throughput=200MB/s latency=p99:5ms`.
    ///
    /// # Errors
    /// Returns an error if a word cannot be read; it has the word and the expected form.
    pub fn parse(text: &str) -> Result<Want, String> {
        const WISH: &str = "write 'iops=5000', 'throughput=200MB/s', 'latency=p99:5ms', or several";
        let mut figures = Figures::default();
        for word in words_of(text) {
            let (key, value) = word.split_once('=').ok_or_else(|| format!("`{word}` has no `=`: {WISH}"))?;
            if !matches!(key, "iops" | "throughput" | "latency") {
                return Err(format!("a goal has no `{key}`: {WISH}"));
            }
            read_figure(&mut figures, key, value, word)?;
        }
        if !figures.has_any() {
            return Err(format!("the goal is empty: {WISH}"));
        }
        Ok(Want {
            iops: figures.iops,
            throughput_bytes_per_s: figures.throughput_bytes_per_s,
            latency_us: figures.latency_us,
        })
    }
}

/// A fact that is so or is not.
fn yes_or_no(key: &str, value: &str, word: &str) -> Result<bool, String> {
    match value {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(format!("`{word}`: write {key}=yes or {key}=no")),
    }
}

/// I/Os a second, which a mean need not have whole: `189.45`.
fn iops_of(value: &str) -> Result<f64, iobound_units::ParseError> {
    match parse_iops(value) {
        Ok(iops) => Ok(iops.0 as f64),
        Err(error) => parse_rate(&format!("{value}iops")).map(|rate| rate.iops_f64(0.0)).map_err(|_| error),
    }
}

/// A mean number of outstanding I/Os, as iostat prints it (`aqu-sz`): `0.77`.
fn depth_of(value: &str) -> Result<f64, iobound_units::ParseError> {
    match parse_count(value) {
        Ok(depth) => Ok(depth as f64),
        Err(error) => decimal(value).ok_or(error),
    }
}

/// A mean size, which need not be whole bytes: `4.69KiB`, as iostat's `rareq-sz` with its unit.
fn block_of(value: &str) -> Result<f64, iobound_units::ParseError> {
    mean_of(value, |text| parse_bytes(text).map(|bytes| bytes.get() as f64))
}

/// A mean throughput, which need not be whole bytes a second: `119.2MiB/s`.
fn throughput_of(value: &str) -> Result<f64, iobound_units::ParseError> {
    mean_of(value, |text| parse_bandwidth(text).map(|bytes| bytes.0 as f64))
}

/// A decimal number of a unit, whole or not.
fn mean_of(
    value: &str,
    read: impl Fn(&str) -> Result<f64, iobound_units::ParseError>,
) -> Result<f64, iobound_units::ParseError> {
    let error = match read(value) {
        Ok(whole) => return Ok(whole),
        Err(error) => error,
    };
    let unit = value.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let number = decimal(&value[..value.len() - unit.len()]);
    match (number, read(&format!("1{unit}"))) {
        (Some(number), Ok(unit)) => Ok(number * unit),
        _ => Err(error),
    }
}

/// Digits with one point between them, and nothing else: no sign, no exponent.
fn decimal(text: &str) -> Option<f64> {
    let (whole, part) = text.split_once('.')?;
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !(is_number(whole) && is_number(part)) {
        return None;
    }
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The deepest queue of all together that a workload here can have.
const DEEPEST: f64 = 65_536.0;

/// More I/Os a second than any VM of a cloud does, by an order of magnitude (the largest local disks of a VM: 12 million).
const MOST_IOPS: f64 = 1e8;

/// The words of a text. A comma between digits groups thousands; before a letter or at the end of a word it separates.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let mut last = 0;
    let starts = text.match_indices(',').map(|(at, _)| at + 1);
    let parts: Vec<&str> = starts
        .filter(|at| text[*at..].starts_with(|next: char| next.is_ascii_alphabetic()))
        .chain([text.len()])
        .map(|at| &text[std::mem::replace(&mut last, at)..at])
        .collect();
    let words = parts.into_iter().flat_map(|part| part.split([' ', ';', '\t', '\n']));
    words.map(|word| word.trim_end_matches(',')).filter(|word| !word.is_empty())
}

fn latency_word(value: &str) -> String {
    format!("latency {}", value.split_once(':').map_or("mean", |(which, _)| which))
}

fn read_figure(figures: &mut Figures, key: &str, value: &str, word: &str) -> Result<(), String> {
    let of = |error: iobound_units::ParseError| format!("`{word}`: {error}");
    let positive = |figure: f64| {
        if figure > 0.0 {
            Ok(figure)
        } else {
            Err(format!("`{word}`: the figure must be above zero; {EXPECTED}"))
        }
    };
    match key {
        "iops" => {
            let iops = positive(iops_of(value).map_err(of)?)?;
            if iops > MOST_IOPS {
                return Err(format!(
                    "`{word}`: no VM does so many I/Os a second; write the measured figure, such as iops=50000"
                ));
            }
            figures.iops = Some(iops);
        }
        "throughput" => {
            figures.throughput_bytes_per_s = Some(positive(throughput_of(value).map_err(of)?)?);
        }
        "block" => figures.block = Some(positive(block_of(value).map_err(of)?)?),
        "depth" | "queue" => {
            let depth = positive(depth_of(value).map_err(of)?)?;
            if depth > DEEPEST {
                return Err(format!("`{word}`: the {key} is too large; write {key}=65536 or less"));
            }
            // Nobody asks for a part of an I/O: a fraction is a mean that somebody counted.
            match key == "queue" || depth.fract() != 0.0 {
                true => figures.queue = Some(depth),
                false => figures.depth = Some(depth),
            }
        }
        "read" => figures.read = Some(parse_percent(value).map_err(of)?.fraction()),
        "access" => {
            figures.access = Some(match value {
                "random" => Access::Random,
                "sequential" => Access::Sequential,
                _ => return Err(format!("`{word}`: write access=random or access=sequential")),
            });
        }
        "latency" => {
            let (which, time) = value.split_once(':').unwrap_or(("mean", value));
            let us = positive(parse_span(time).map_err(of)?.us_f64())?;
            let latency = &mut figures.latency_us;
            match which {
                "mean" => latency.mean = Some(us),
                "p50" => latency.p50 = Some(us),
                "p95" => latency.p95 = Some(us),
                "p99" => latency.p99 = Some(us),
                _ => {
                    return Err(format!(
                        "`{word}`: write latency=2ms, or mean:, p50:, p95: or p99: before the time"
                    ));
                }
            }
        }
        _ => return Err(format!("unknown key `{key}`: {EXPECTED}")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_words_are_read_and_what_follows_from_them_is_worked_out() {
        let text =
            "iops=1000 throughput=140MB/s read=30% latency=p99:5ms access=random duration=30s after=45min";
        let observed = Observed::parse(text).unwrap();
        // 140 x 10^6 / 1,000
        assert_eq!(observed.total.block, Some(140_000.0));
        assert_eq!((observed.total.read, observed.total.latency_us.p99), (Some(0.3), Some(5_000.0)));
        assert_eq!(observed.total.access, Some(Access::Random));
        assert!(observed.derived[0].contains("throughput / IOPS"), "{:?}", observed.derived);
    }

    #[test]
    fn littles_law_gives_the_third_of_rate_latency_and_depth() {
        let observed = Observed::parse("latency=2ms depth=16 block=4KiB").unwrap();
        // 16 / 2 ms
        assert_eq!(observed.total.iops, Some(8_000.0));
        let observed = Observed::parse("iops=8000 depth=16").unwrap();
        assert_eq!(observed.total.latency_us.mean, Some(2_000.0));
    }

    #[test]
    fn volumes_and_disks_are_named_with_a_colon() {
        let observed = Observed::parse("block=4KiB data.0: iops=4000 data.1: iops=1000").unwrap();
        assert_eq!(observed.total.iops, Some(5_000.0));
        assert_eq!(Observed::parse("iops=189.45").unwrap().total.iops, Some(189.45));
        assert_eq!(Observed::parse("iops=19,882, depth=32").unwrap().total.iops, Some(19_882.0));
        let commas = Observed::parse("iops=19,882,read=30%,latency=2ms").unwrap().total;
        assert_eq!(
            (commas.iops, commas.read, commas.latency_us.mean),
            (Some(19_882.0), Some(0.3), Some(2_000.0))
        );
        assert_eq!(observed.parts[1].figures.iops, Some(1_000.0));
    }

    #[test]
    fn means_are_read_as_iostat_prints_them() {
        let observed = Observed::parse("iops=2257 depth=0.77 block=4.69KiB").unwrap();
        assert_eq!((observed.total.depth, observed.total.queue), (None, Some(0.77)));
        assert_eq!(Observed::parse("iops=2257 queue=2").unwrap().total.queue, Some(2.0));
        assert_eq!(Observed::parse("iops=2257 depth=2").unwrap().total.depth, Some(2.0));
        // 4.69 x 1,024
        assert_eq!(observed.total.block, Some(4.69 * 1024.0));
        assert_eq!(Observed::parse("iops=5 block=4803B").unwrap().total.block, Some(4_803.0));
        // 119.2 x 2^20, which is no whole number of bytes.
        let bytes = Observed::parse("throughput=119.2MiB/s").unwrap().total.throughput_bytes_per_s;
        assert_eq!(bytes, Some(119.2 * 1_048_576.0));
        for text in ["iops=1 depth=0.0", "iops=1 depth=.5", "iops=1 depth=1e3", "iops=1 depth=-0.5"] {
            assert!(Observed::parse(text).is_err(), "{text}");
        }
        for text in
            ["iops=1 block=4.69", "iops=1 block=4.6.9KiB", "iops=1 block=0.0KiB", "iops=1 block=4.69s"]
        {
            assert!(Observed::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_unreadable_observation_is_refused_with_an_example() {
        for text in [
            "",
            "555",
            "iops",
            "iops=many",
            "iops=0",
            "iops=1 iops=2",
            "block=4KiB",
            "iops=1 depth=1000000",
            "colour=blue",
            "iops=9900000000",
            "iops=1000 raw=yes",
            "iops=1000 sync=always",
            "iops=1000 buffered=1",
            "iops=1000 flushes=yes",
            "iops=1000 sync=yes sync=no",
            "latency=p42:3ms",
        ] {
            let error = Observed::parse(text).expect_err(text);
            assert!(error.contains("write") || error.contains("expected"), "{text}: {error}");
        }
        let of_all = "`sync=yes` after `log:`: sync is said of all disks together: write it before the first name: 'sync=yes log: iops=500'";
        assert_eq!(Observed::parse("log: iops=200 sync=yes").unwrap_err(), of_all);
        assert!(Want::parse("block=4KiB").unwrap_err().contains("iops=5000"));
    }
}

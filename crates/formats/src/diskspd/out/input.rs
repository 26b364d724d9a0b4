//! `Input parameters:`, what was asked for.

use super::super::options::{
    Affinity, CacheMode, FlushMode, Profile, RandomZones, RangeUnit, Target, Throttle, TimeSpan, WriteBuffers,
};
use super::page::{Page, size, size_in_column};

/// The command line and the parameters of each time span.
pub(super) fn parameters(page: &mut Page, profile: &Profile, command: &str) {
    page.line(format_args!("\nCommand Line: {command}\n"));
    if let Some(flags) = profile.flags.filter(|flags| *flags > 0) {
        page.line(format_args!("Experiment Flags: {flags:#x} ({flags})\n"));
    }
    page.line(format_args!("Input parameters:\n"));
    if profile.verbose {
        page.line(format_args!("\tusing verbose mode"));
    }
    for (index, span) in profile.time_spans.iter().enumerate() {
        page.line(format_args!("\ttimespan: {:>3}\n\t-------------", index + 1));
        time_span(page, span);
        page.line(format_args!(""));
    }
}

fn time_span(page: &mut Page, span: &TimeSpan) {
    page.line(format_args!("\tduration: {}s", span.duration_s));
    page.line(format_args!("\twarm up time: {}s", span.warmup_s));
    page.line(format_args!("\tcool down time: {}s", span.cooldown_s));
    if span.affinity == Affinity::None {
        page.line(format_args!("\taffinity disabled"));
    }
    if span.measure_latency {
        page.line(format_args!("\tmeasuring latency"));
    }
    if span.iops_deviation {
        page.line(format_args!("\tgathering IOPS at intervals of {}ms", span.bucket_ms));
    }
    if let Some(seed) = span.seed {
        page.line(format_args!("\trandom seed: {seed}"));
    }
    if span.thread_count > 0 {
        page.line(format_args!("\tthread pool with {} threads", span.thread_count));
        page.line(format_args!("\tnumber of outstanding I/O operations per thread: {}", span.request_count));
    }
    if let Affinity::Processors(processors) = &span.affinity {
        let list: Vec<String> = processors.iter().map(|p| format!("{}/{}", p.group, p.core)).collect();
        page.line(format_args!("\tadvanced affinity round robin (group/core): {}", list.join(", ")));
    }
    if span.random_write_data {
        page.line(format_args!("\tgenerating random data for each write IO"));
        page.line(format_args!("\t  WARNING: this increases the CPU cost of issuing writes and should only"));
        page.line(format_args!("\t           be compared to other results using the -Zr flag"));
    }
    for target in &span.targets {
        parameters_of(page, target, span);
    }
}

fn parameters_of(page: &mut Page, target: &Target, span: &TimeSpan) {
    match target.path.strip_prefix('*') {
        Some(number) => page.line(format_args!("\tpath: template target '{number}'")),
        None => page.line(format_args!("\tpath: '{}'", target.path)),
    }
    let mut say = |text: std::fmt::Arguments<'_>| page.line(format_args!("\t\t{text}"));
    say(format_args!("think time: {}ms", target.think_ms));
    say(format_args!("burst size: {}", target.burst));
    caching(&mut say, target);
    buffers(&mut say, target);
    if target.parallel {
        say(format_args!("using parallel async I/O"));
    }
    match target.write_percent {
        0 => say(format_args!("performing read test")),
        100 => say(format_args!("performing write test")),
        w => say(format_args!("performing mix test (read/write ratio: {}/{w})", 100 - w)),
    }
    say(format_args!("block size: {}", size(u64::from(target.block_bytes))));
    let align = size(target.align());
    match target.random_percent {
        0 if target.interlocked => say(format_args!("using interlocked sequential I/O (stride: {align})")),
        0 => say(format_args!("using sequential I/O (stride: {align})")),
        100 => say(format_args!("using random I/O (alignment: {align})")),
        percent => say(format_args!(
            "using mixed random/sequential I/O ({percent}% random) (alignment/stride: {align})"
        )),
    }
    if span.thread_count == 0 || span.request_count == 0 {
        say(format_args!("number of outstanding I/O operations per thread: {}", target.requests));
    } else {
        say(format_args!("relative IO weight in thread pool: {}", target.weight));
    }
    for (name, bytes) in [
        ("base file offset", target.base_bytes),
        ("max file size", target.end_bytes.unwrap_or(0)),
        ("thread stride size", target.thread_stride_bytes),
    ] {
        if bytes > 0 {
            say(format_args!("{name}: {}", size(bytes)));
        }
    }
    for (given, hint) in [
        (target.hints.sequential, "FILE_FLAG_SEQUENTIAL_SCAN"),
        (target.hints.random, "FILE_FLAG_RANDOM_ACCESS"),
        (target.hints.temporary, "FILE_ATTRIBUTE_TEMPORARY"),
    ] {
        if given {
            say(format_args!("using {hint} hint"));
        }
    }
    // DiskSpd goes on to say that it uses completion ports or routines, which are not what I/O goes through here.
    if span.thread_count == 0 {
        say(format_args!("threads per file: {}", target.threads()));
    }
    let priority = ["very low", "low", "normal"].get(target.priority.saturating_sub(1) as usize);
    say(format_args!("IO priority: {}", priority.unwrap_or(&"unknown")));
    match target.throttle {
        Some(Throttle::Iops(iops)) => say(format_args!("throughput rate-limited to {iops} IOPS")),
        Some(Throttle::BytesPerMs(bytes)) => say(format_args!("throughput rate-limited to {bytes} B/ms")),
        None => {}
    }
    if let Some(zones) = &target.zones {
        say(format_args!("IO Distribution:"));
        zones_asked(&mut say, zones);
    }
}

fn caching(say: &mut impl FnMut(std::fmt::Arguments<'_>), target: &Target) {
    say(format_args!(
        "{}",
        match target.cache {
            CacheMode::Cached => "using software cache",
            CacheMode::RemoteOnly => "local software cache disabled, remote cache enabled",
            CacheMode::Unbuffered => "software cache disabled",
        }
    ));
    say(format_args!(
        "{}",
        match (target.write_through, target.cache) {
            (false, _) => "using hardware write cache, writethrough off",
            (true, CacheMode::Unbuffered) => "hardware write cache disabled, writethrough on",
            (true, _) => "hardware and software write caches disabled, writethrough on",
        }
    ));
    if target.memory_mapped {
        say(format_args!(
            "memory mapped I/O enabled{}",
            match target.flush {
                None => "",
                Some(FlushMode::ViewOfFile) => ", flush mode: FlushViewOfFile",
                Some(FlushMode::NonVolatileMemory) => ", flush mode: FlushNonVolatileMemory",
                Some(FlushMode::NonVolatileMemoryNoDrain) =>
                    ", flush mode: FlushNonVolatileMemory with no drain",
            }
        ));
    }
}

fn buffers(say: &mut impl FnMut(std::fmt::Arguments<'_>), target: &Target) {
    match &target.buffers {
        WriteBuffers::Counting => {}
        WriteBuffers::Zeros => say(format_args!("zeroing write buffers")),
        WriteBuffers::Source(fill) => {
            say(format_args!("write buffer size: {}", size(fill.bytes)));
            match &fill.file {
                Some(file) => say(format_args!("write buffer source: '{file}'")),
                None => say(format_args!("write buffer source: random fill")),
            }
        }
    }
}

fn zones_asked(say: &mut impl FnMut(std::fmt::Arguments<'_>), zones: &RandomZones) {
    let mut at = 0u64;
    for range in &zones.ranges {
        let (io, end) = (range.io_percent, at.saturating_add(range.size));
        match zones.unit {
            RangeUnit::Percent => {
                say(format_args!("   {io:>3}% of IO => [{at:>2}% - {end:>3}%) of target"));
            }
            RangeUnit::Bytes => {
                let start = if at == 0 { "     0   ".to_string() } else { size_in_column(at) };
                let end = if range.size == 0 { "      end".to_string() } else { size_in_column(end) };
                say(format_args!("   {io:>3}% of IO => [{start} - {end})"));
            }
        }
        at = end;
    }
}

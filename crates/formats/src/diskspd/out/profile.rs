//! The `Profile` element: what was asked for, complete, so that it can be run again.

use super::super::options::{
    Affinity, CacheMode, Etw, FlushMode, Profile, RandomZones, RangeUnit, ResultFormat, Target, Throttle,
    TimeSpan, WriteBuffers,
};
use super::page::Markup;

/// Events that can be traced: the words of `-e`, and their elements.
const TRACED: [(&str, &str); 12] = [
    ("PROCESS", "Process"),
    ("THREAD", "Thread"),
    ("IMAGE_LOAD", "ImageLoad"),
    ("DISK_IO", "DiskIO"),
    ("MEMORY_PAGE_FAULTS", "MemoryPageFaults"),
    ("MEMORY_HARD_FAULTS", "MemoryHardFaults"),
    ("NETWORK", "Network"),
    ("REGISTRY", "Registry"),
    ("p", "UsePagedMemory"),
    ("q", "UsePerfTimer"),
    ("s", "UseSystemTimer"),
    ("c", "UseCyclesCounter"),
];

/// The whole profile. Named events (`-y`) have no place in one.
pub(super) fn element(markup: &mut Markup, profile: &Profile) {
    markup.open("Profile", &[]);
    markup.leaf("Progress", profile.progress.unwrap_or(0));
    if let Some(flags) = profile.flags.filter(|flags| *flags > 0) {
        markup.leaf("ExperimentFlags", flags);
    }
    markup.leaf(
        "ResultFormat",
        match profile.result_format {
            ResultFormat::Text => "text",
            ResultFormat::Xml => "xml",
        },
    );
    markup.leaf("Verbose", profile.verbose);
    if profile.wait_statistics {
        markup.leaf("VerboseStats", true);
    }
    if let Some(files) = &profile.precreate_files {
        markup.leaf("PrecreateFiles", files);
    }
    if let Some(etw) = &profile.etw {
        traced(markup, etw);
    }
    markup.open("TimeSpans", &[]);
    profile.time_spans.iter().for_each(|span| time_span(markup, span));
    markup.close("TimeSpans");
    markup.close("Profile");
}

fn traced(markup: &mut Markup, etw: &Etw) {
    markup.open("ETW", &[]);
    for (word, element) in TRACED {
        markup.leaf(element, etw.words.iter().any(|said| said == word || said == element));
    }
    markup.close("ETW");
}

fn time_span(markup: &mut Markup, span: &TimeSpan) {
    markup.open("TimeSpan", &[]);
    markup.leaf("CompletionRoutines", span.completion_routines);
    markup.leaf("MeasureLatency", span.measure_latency);
    markup.leaf("CalculateIopsStdDev", span.iops_deviation);
    markup.leaf("DisableAffinity", span.affinity == Affinity::None);
    markup.leaf("Duration", span.duration_s);
    markup.leaf("Warmup", span.warmup_s);
    markup.leaf("Cooldown", span.cooldown_s);
    markup.leaf("ThreadCount", span.thread_count);
    markup.leaf("RequestCount", span.request_count);
    markup.leaf("IoBucketDuration", span.bucket_ms);
    if let Some(seed) = span.seed {
        markup.leaf("RandSeed", seed);
    }
    if span.random_write_data {
        markup.leaf("RandomWriteData", true);
    }
    if let Affinity::Processors(processors) = &span.affinity {
        markup.open("Affinity", &[]);
        for processor in processors {
            markup.empty(
                "AffinityGroupAssignment",
                &[("Group", &processor.group), ("Processor", &processor.core)],
            );
        }
        markup.close("Affinity");
    }
    markup.open("Targets", &[]);
    span.targets.iter().for_each(|target| target_element(markup, target));
    markup.close("Targets");
    markup.close("TimeSpan");
}

fn target_element(markup: &mut Markup, target: &Target) {
    markup.open("Target", &[]);
    markup.leaf("Path", &target.path);
    markup.leaf("BlockSize", target.block_bytes);
    markup.leaf("BaseFileOffset", target.base_bytes);
    markup.leaf("SequentialScan", target.hints.sequential);
    markup.leaf("RandomAccess", target.hints.random);
    markup.leaf("TemporaryFile", target.hints.temporary);
    markup.leaf("UseLargePages", target.large_pages);
    match target.cache {
        CacheMode::Cached => {}
        CacheMode::RemoteOnly => markup.leaf("DisableLocalCache", true),
        CacheMode::Unbuffered => markup.leaf("DisableOSCache", true),
    }
    if target.write_through {
        markup.leaf("WriteThrough", true);
    }
    if target.memory_mapped {
        markup.leaf("MemoryMappedIo", true);
    }
    if let Some(flush) = target.flush {
        markup.leaf(
            "FlushType",
            match flush {
                FlushMode::ViewOfFile => "ViewOfFile",
                FlushMode::NonVolatileMemory => "NonVolatileMemory",
                FlushMode::NonVolatileMemoryNoDrain => "NonVolatileMemoryNoDrain",
            },
        );
    }
    buffers(markup, &target.buffers);
    markup.leaf("ParallelAsyncIO", target.parallel);
    if target.burst > 0 {
        markup.leaf("BurstSize", target.burst);
    }
    if target.think_ms > 0 {
        markup.leaf("ThinkTime", target.think_ms);
    }
    if let Some(bytes) = target.create_bytes {
        markup.leaf("FileSize", bytes);
    }
    if target.random_percent > 0 {
        markup.leaf("Random", target.align());
        if target.random_percent < 100 {
            markup.leaf("RandomRatio", target.random_percent);
        }
        if let Some(zones) = &target.zones {
            distribution(markup, zones);
        }
    } else {
        markup.leaf("StrideSize", target.align());
        markup.leaf("InterlockedSequential", target.interlocked);
    }
    markup.leaf("ThreadStride", target.thread_stride_bytes);
    markup.leaf("MaxFileSize", target.end_bytes.unwrap_or(0));
    markup.leaf("RequestCount", target.requests);
    markup.leaf("WriteRatio", target.write_percent);
    match target.throttle {
        Some(Throttle::Iops(iops)) => markup.marked("Throughput", &[("unit", &"IOPS")], iops),
        Some(Throttle::BytesPerMs(bytes)) => markup.leaf("Throughput", bytes),
        None => markup.leaf("Throughput", 0),
    }
    markup.leaf("ThreadsPerFile", target.threads());
    markup.leaf("IOPriority", target.priority);
    markup.leaf("Weight", target.weight);
    if !target.thread_targets.is_empty() {
        markup.open("ThreadTargets", &[]);
        for thread in &target.thread_targets {
            markup.open("ThreadTarget", &[]);
            markup.leaf("Thread", thread.thread);
            if let Some(weight) = thread.weight {
                markup.leaf("Weight", weight);
            }
            markup.close("ThreadTarget");
        }
        markup.close("ThreadTargets");
    }
    markup.close("Target");
}

fn buffers(markup: &mut Markup, buffers: &WriteBuffers) {
    markup.open("WriteBufferContent", &[]);
    match buffers {
        WriteBuffers::Counting => markup.leaf("Pattern", "sequential"),
        WriteBuffers::Zeros => markup.leaf("Pattern", "zero"),
        WriteBuffers::Source(fill) => {
            markup.leaf("Pattern", "random");
            markup.open("RandomDataSource", &[]);
            markup.leaf("SizeInBytes", fill.bytes);
            if let Some(file) = &fill.file {
                markup.leaf("FilePath", file);
            }
            markup.close("RandomDataSource");
        }
    }
    markup.close("WriteBufferContent");
}

fn distribution(markup: &mut Markup, zones: &RandomZones) {
    let unit = match zones.unit {
        RangeUnit::Percent => "Percent",
        RangeUnit::Bytes => "Absolute",
    };
    markup.open("Distribution", &[]);
    markup.open(unit, &[]);
    for range in &zones.ranges {
        markup.marked("Range", &[("IO", &range.io_percent)], range.size);
    }
    markup.close(unit);
    markup.close("Distribution");
}

//! Information about options that leave the I/O as it is, or that can't be carried.

use super::options::{Affinity, CacheMode, EventKind, ReadProfile, Target, Throttle, TimeSpan, WriteBuffers};
use super::switch::Knob;
use crate::error::Trouble;
use crate::notes::Notes;

/// Notes on the whole invocation that do not change the I/O.
pub(super) fn note_profile(read: &ReadProfile, trouble: &mut Trouble, notes: &mut Notes) {
    let profile = &read.profile;
    let mut say = |knob: Knob, says: &str| {
        if read.places.keys().any(|(_, _, said)| *said == knob) {
            notes.add(read.name(knob), says);
        }
    };
    say(Knob::Results, "it sets the format of DiskSpd's own report: no effect here");
    say(Knob::Verbose, "DiskSpd's verbose output: no effect here");
    say(Knob::Progress, "DiskSpd's progress dots: no effect here");
    say(Knob::Etw, "Windows event tracing: no effect here");
    say(Knob::Flags, "an experimental flag of DiskSpd's: no effect here");
    say(Knob::Precreate, "files are laid out before the run in any case");
    say(Knob::Latency, "latency is always measured here");
    say(Knob::Buckets, "the figures of each interval are always kept here");
    say(Knob::Affinity, "threads are not bound to processors here");
    say(Knob::NoAffinity, "threads are not bound to processors here");
    say(Knob::Completion, "how completions are delivered: no effect here");
    say(Knob::LargePages, "the pages of the buffers: no effect here");
    say(Knob::Hints, "hints to the Windows cache: no effect here");
    say(Knob::Priority, "the I/O priority is not set here");
    if let Some(event) = profile.events.iter().find(|event| event.kind == EventKind::SetAndQuit) {
        trouble.add(
            read.place(usize::MAX, usize::MAX, Knob::Events),
            format!("`-ye{}` sets an event and quits: there is no I/O to run", event.name),
            "leave it out",
        );
    } else if !profile.events.is_empty() {
        notes.add("-y", "named events of Windows are neither signalled nor waited for here");
    }
}

pub(super) fn note_span(read: &ReadProfile, index: usize, span: &TimeSpan, notes: &mut Notes) {
    if span.seed.is_none() && span.targets.iter().any(|target| target.random_percent > 0) {
        notes.add(
            read.name(Knob::Seed),
            "DiskSpd takes the seed from the time since boot; here it is 0, or the number after -z",
        );
    }
    if span.request_count > 0 && span.targets.len() > 1 {
        notes.add(
            read.name(Knob::ThreadRequests),
            "DiskSpd chooses the target of each I/O at random; here the targets take turns",
        );
    }
    if let Affinity::Processors(_) = span.affinity
        && !read.said(index, usize::MAX, Knob::Affinity)
    {
        notes.add(read.name(Knob::Affinity), "threads are not bound to processors here");
    }
}

pub(super) fn note_target(
    read: &ReadProfile,
    index: usize,
    number: usize,
    target: &Target,
    trouble: &mut Trouble,
    notes: &mut Notes,
) {
    if target.memory_mapped {
        trouble.add(
            read.place(index, number, Knob::Mapped),
            "memory-mapped I/O is not supported: the memory manager decides which I/O reaches the disk",
            "use -Su or -Sh",
        );
    }
    match target.cache {
        CacheMode::RemoteOnly => trouble.add(
            read.place(index, number, Knob::Cache),
            "-Sr (only the cache of a remote server) is not supported",
            "use -Su or -Sh",
        ),
        CacheMode::Cached => notes.add(
            read.name(Knob::Cache),
            "without -Su or -Sh, the system's cache is used: a run measures memory too, while a prediction \
             assumes that every I/O reaches the disk",
        ),
        CacheMode::Unbuffered => {}
    }
    if let Some(Throttle::Iops(iops)) = target.throttle
        && u64::from(iops) * u64::from(target.block_bytes) > u64::from(u32::MAX)
    {
        notes.add(
            read.name(Knob::Throttle),
            format!(
                "DiskSpd 2.2 overflows here ({iops} x {} bytes do not fit in 32 bits); the written value is used",
                target.block_bytes
            ),
        );
    }
    if (1..100).contains(&target.random_percent) && (1..100).contains(&target.write_percent) {
        notes.add(
            read.name(Knob::RandomRatio),
            "DiskSpd keeps the direction during a sequential run; here the direction of each I/O is random",
        );
    }
    if let WriteBuffers::Source(fill) = &target.buffers {
        let from =
            fill.file.as_deref().map_or("a buffer of random data".to_string(), |f| format!("the file {f}"));
        notes.add(
            read.name(Knob::WriteBuffers),
            format!("writes use incompressible data, not {} bytes of {from}", fill.bytes),
        );
    }
}

//! `verify=pattern`: the pattern of a job's blocks, and whether blocks that are read can be compared with it.

use iobound_workload::{BlockPattern, Job, Share};

use super::buffer_pattern::parse_blocks;
use super::jobfile::Section;
use super::units::Wrong;

/// The pattern of a job with `verify=pattern`.
///
/// # Errors
/// Returns an error if there is nothing to compare or later writes would change a part of it; it names the fix.
pub fn verify_pattern(section: &Section, job: &Job) -> Result<BlockPattern, Wrong> {
    let Some(text) = section.settings.get("verify_pattern").and_then(|setting| setting.value.as_deref())
    else {
        return Err((
            format!("job {}: verify=pattern without verify_pattern", section.name),
            "add verify_pattern=0xdeadbeef, or use verify=crc32c".into(),
        ));
    };
    let pattern = parse_blocks(text).map_err(|(what, help)| (format!("verify_pattern: {what}"), help))?;
    if job.writes() && !is_stable(&pattern, job) {
        return Err((
            format!(
                "job {}: verify=pattern with blocks that overlap in part: each begins the pattern anew, so that a later \
                 write changes a part of an earlier block",
                section.name
            ),
            "use one block size without blockalign, or a pattern without %o that the block sizes are multiples of".into(),
        ));
    }
    let reads = job.mix.iter().any(|share| share.op == iobound_units::Op::Read && share.weight > 0);
    if job.read_back_after.is_some() && reads {
        return Err((
            format!(
                "job {}: verify=pattern with verify_backlog in a job that reads and writes",
                section.name
            ),
            "leave verify_backlog out, or use rw=write or rw=randwrite".into(),
        ));
    }
    Ok(pattern)
}

/// True if a block that was written holds its pattern whatever the job writes later.
fn is_stable(pattern: &BlockPattern, job: &Job) -> bool {
    let written: Vec<&Share> =
        job.mix.iter().filter(|share| share.op.moves_data() && share.weight > 0).collect();
    let boundary = |share: &Share| share.align.map_or(u64::from(share.block), |align| align.get());
    let largest = written.iter().map(|share| u64::from(share.block)).max().unwrap_or(0);
    // Blocks of one size on its multiples are the same or apart.
    let is_apart = written
        .iter()
        .all(|share| u64::from(share.block) == largest && boundary(share).is_multiple_of(largest));
    let steps = job.access.stride.into_iter().chain(job.access.thread_stride).chain(job.access.backward);
    // A stream with gaps meets nothing but itself.
    let is_stream =
        !job.any_random() && job.threads == 1 && job.access.stride.is_some_and(|step| step.get() >= largest);
    let is_apart = is_apart && (is_stream || steps.clone().all(|step| step.get().is_multiple_of(largest)));
    // The map of blocks leaves none out and none twice.
    let is_mapped = job.access.once_each && !job.any_sequential() && job.threads == 1;
    // The same byte at each place, whichever block it is of.
    let period = pattern.len() as u64;
    let sizes = written.iter().flat_map(|share| [u64::from(share.block), boundary(share)]);
    let is_periodic = !pattern.has_offsets()
        && sizes.chain(steps.map(|step| step.get())).all(|size| size.is_multiple_of(period));
    is_apart || is_mapped || is_periodic
}

#[cfg(test)]
mod tests {
    use super::super::{Action, Command};
    use super::super::{NoContext, parse_command};
    use super::*;

    fn asked(options: &str) -> Result<BlockPattern, Wrong> {
        let line = format!("fio --name=a --size=1m --direct=1 --verify=pattern {options}");
        let Command { jobs, action, .. } = parse_command(&line, &NoContext).unwrap();
        let Action::Run(foreign) = action else { panic!("{line} is a run") };
        verify_pattern(&jobs.jobs[0], &foreign.workload.jobs[0])
    }

    #[test]
    fn blocks_that_a_later_write_changes_in_part_are_refused() {
        for fits in [
            "--rw=randread --bs=4k --verify_pattern=%o",
            "--rw=randwrite --bs=4k --norandommap --verify_pattern=%o0xdead",
            "--rw=write --bssplit=4k/50:8k/50 --verify_pattern=0xdeadbeef",
            "--rw=randwrite --bssplit=4k/50:8k/50 --verify_pattern=0xabcdef",
            "--rw=randwrite --blockalign=8k --verify_pattern=%o",
            "--rw=randread --bssplit=4k/50:8k/50 --norandommap --verify_pattern=%o",
            "--rw=write:2k --bs=4k --verify_pattern=%o",
            "--rw=write --verify_backlog=8 --verify_pattern=1",
        ] {
            assert!(asked(fits).is_ok(), "{fits}: {:?}", asked(fits));
        }
        for (unfit, word) in [
            ("--rw=write", "without verify_pattern"),
            ("--rw=write --verify_pattern=x", "neither a number nor a string"),
            ("--rw=randwrite --bs=4k --blockalign=512 --verify_pattern=%o", "overlap"),
            ("--rw=randwrite --bssplit=4k/50:8k/50 --norandommap --verify_pattern=0xabcdef", "overlap"),
            ("--rw=randrw --verify_backlog=8 --verify_pattern=1", "verify_backlog"),
        ] {
            let (what, help) = asked(unfit).unwrap_err();
            assert!(what.contains(word) && !help.is_empty(), "{unfit}: {what}");
        }
    }
}

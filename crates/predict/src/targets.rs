use iobound_catalog::Resolved;
use iobound_units::TargetId;
use iobound_workload::{Note, Target, Targets, Workload};

/// The volumes of a configuration as targets: their ids are their indices in the blueprint.
pub fn targets_of(resolved: &Resolved) -> Vec<Target> {
    let volumes = resolved.blueprint.volumes.iter().enumerate();
    volumes
        .map(|(index, volume)| Target {
            name: volume.name.clone(),
            id: TargetId(index as u16),
            size: volume.size,
            members_of: resolved
                .names
                .iter()
                .find(|named| named.name != volume.name && named.volumes.contains(&index))
                .map(|named| named.name.clone()),
        })
        .collect()
}

/// Settles the target names of a foreign workload: a name of a volume or of a disk that is a volume means it;
/// any other means the first volume, which a note says.
pub fn name_targets(workload: &mut Workload, resolved: &Resolved) -> Vec<Note> {
    let mut notes: Vec<Note> = Vec::new();
    let first = resolved.names.first().map(|named| named.name.clone()).unwrap_or_default();
    for job in &mut workload.jobs {
        let Targets::Named(names) = &mut job.targets else { continue };
        for name in names.iter_mut() {
            if resolved.volumes_of(name).is_some() {
                continue;
            }
            let note = Note { about: name.clone(), says: format!("is mapped to the volume {first}") };
            if !notes.contains(&note) {
                notes.push(note);
            }
            name.clone_from(&first);
        }
        names.dedup();
    }
    notes
}

use std::path::PathBuf;

use iobound_machine::open::Facts;
use iobound_machine::space::Free;
use iobound_units::{Bytes, GIB};

use super::plan::Room;
use super::refusal::{Because, Refusal};

/// Space that one target needs of its file system.
pub(super) struct Claim {
    /// The target.
    pub(super) path: PathBuf,
    /// Its folder, which is there.
    pub(super) folder: PathBuf,
    /// Unallocated bytes.
    pub(super) bytes: u64,
}

/// Space that stays free on a file system of this size: a twentieth, and no more than a gibibyte. Others write there too,
/// and full file systems are slow ones.
fn kept(total: u64) -> u64 {
    (total / 20).min(GIB)
}

/// The file systems that the claims fill, or those that are too full.
pub(super) fn rooms(claims: &[Claim]) -> Result<Vec<Room>, Vec<Refusal>> {
    let mut known: Vec<(u64, Room)> = Vec::new();
    let mut refusals = Vec::new();
    for claim in claims.iter().filter(|claim| claim.bytes > 0) {
        let looked =
            Facts::at(&claim.folder).and_then(|facts| Ok((facts.filesystem, Free::at(&claim.folder)?)));
        let (device, system) = match looked {
            Ok(looked) => looked,
            Err(error) => {
                refusals.push(Refusal {
                    path: claim.path.clone(),
                    because: Because::NoSpace,
                    found: format!("cannot determine the free space of its file system ({error})"),
                    help: "name a path on a local file system".to_string(),
                });
                continue;
            }
        };
        match known.iter_mut().find(|(other, _)| *other == device) {
            Some((_, room)) => room.needed = Bytes(room.needed.get().saturating_add(claim.bytes)),
            None => {
                let room = Room {
                    path: claim.path.clone(),
                    needed: Bytes(claim.bytes),
                    free: Bytes(system.available_bytes),
                    kept: Bytes(kept(system.total_bytes)),
                };
                known.push((device, room));
            }
        }
    }
    let rooms: Vec<Room> = known.into_iter().map(|(_, room)| room).collect();
    refusals.extend(rooms.iter().filter_map(full));
    if refusals.is_empty() { Ok(rooms) } else { Err(refusals) }
}

fn full(room: &Room) -> Option<Refusal> {
    let Room { path, needed, free, kept } = room;
    let most = free.get().saturating_sub(kept.get());
    (needed.get() > most).then(|| Refusal {
        path: path.clone(),
        because: Because::NoSpace,
        found: format!("{needed} would be written beside it, {free} are free and {kept} stay free"),
        help: match most {
            0 => "free some space, or name a folder on another file system".to_string(),
            most => format!("free some space, or give a --size that needs at most {} in all", Bytes(most)),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(needed: u64, free: u64, total: u64) -> Room {
        Room { path: "a".into(), needed: Bytes(needed), free: Bytes(free), kept: Bytes(kept(total)) }
    }

    #[test]
    fn a_twentieth_stays_free_and_at_most_a_gibibyte() {
        assert_eq!(kept(100 << 20), 5 << 20);
        assert_eq!(kept(10 << 40), GIB);
        assert_eq!(full(&room(9 * GIB, 10 * GIB, 1 << 40)), None);
        let refusal = full(&room(9 * GIB + 1, 10 * GIB, 1 << 40)).expect("a byte too much");
        assert!(refusal.help.contains("at most 9 GiB"), "{refusal}");
        let refusal = full(&room(1, 0, 1 << 40)).expect("nothing is free");
        assert!(!refusal.help.contains("--size"), "no size is small enough: {refusal}");
    }

    #[test]
    fn claims_on_one_file_system_add_up() {
        let folder = tempfile::tempdir().expect("a folder");
        let claim = |bytes| Claim { path: folder.path().join("a"), folder: folder.path().into(), bytes };
        assert_eq!(rooms(&[claim(0)]).expect("nothing is claimed"), []);
        let free = rooms(&[claim(1)]).expect("a byte is there")[0].free.get();
        assert!(rooms(&[claim(free / 3 * 2), claim(free / 3 * 2)]).is_err());
    }
}

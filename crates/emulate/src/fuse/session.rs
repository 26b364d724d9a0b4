//! The session with the kernel's FUSE.

use std::io;
use std::path::Path;
use std::sync::Arc;

use fuser::{BackgroundSession, Config, MountOption, SessionACL};

use super::files::Files;
use super::replies::Replies;
use super::server::FuseServer;
use super::{MountOptions, Users};
use crate::front::Front;
use crate::lateness::Lateness;
use crate::request::FrontId;
use crate::shared::Shared;

pub(super) type FuseSession = BackgroundSession;

/// Mounts the exports at a directory. Returns the session and the delay of its replies.
///
/// # Errors
/// Returns an error if mounting is not permitted or FUSE is missing.
pub(super) fn start(
    shared: &Arc<Shared>,
    id: FrontId,
    at: &Path,
    options: &MountOptions,
) -> io::Result<(FuseSession, Arc<Lateness>)> {
    let replies = Arc::new(Replies::new(shared, id));
    let files = Files::new(FuseServer::new(shared, id, &replies));
    let session = fuser::Session::new(files, at, &config_of(options))?;
    // Before the first request is read: after a failed mount the same id may be used again.
    shared.set_front(id, Arc::clone(&replies) as Arc<dyn Front>);
    Ok((session.spawn()?, Arc::clone(replies.lateness())))
}

fn config_of(options: &MountOptions) -> Config {
    let mut config = Config::default();
    config.mount_options = vec![
        MountOption::FSName("iobound".into()),
        // As an option of the kernel: the library gives a subtype of its own only to the helper.
        MountOption::CUSTOM("subtype=iobound".into()),
        MountOption::DefaultPermissions,
        MountOption::NoDev,
        MountOption::NoSuid,
        MountOption::NoExec,
        MountOption::NoAtime,
    ];
    config.acl = match options.users {
        Users::Owner => SessionACL::Owner,
        Users::OwnerAndRoot => SessionACL::All,
    };
    config.n_threads = Some(options.threads);
    config.clone_fd = options.threads > 1;
    config
}

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::error::StoreError;
use crate::id::RunId;
use crate::keep::{NewRun, keep};
use crate::query::{Query, Row, rows};
use crate::read::{Kept, read};
use crate::schema::{APPLICATION, VERSION, migrate, version_of};

/// How long another process's transaction is waited for: each is one run, written in a fraction of a second.
const PATIENCE: Duration = Duration::from_secs(5);

/// A results store.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    connection: Connection,
}

impl Store {
    /// Opens a store to write to, and makes the file and its folder where they are not there.
    ///
    /// # Errors
    /// The file can't be made or is no store.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        let failed = |cause| failure(path, "written", cause);
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| {
                let why = format!("{} can't be made: {error}", folder.display());
                failed(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(14), Some(why)))
            })?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
        connection.busy_timeout(PATIENCE).map_err(failed)?;
        check(path, &connection)?;
        // Readers and a writer do not wait for one another. Where the file system can't have it, as some over a network,
        // SQLite goes on with its journal, and says so by this pragma's answer, which changes nothing here.
        connection
            .pragma_update_and_check(None, "journal_mode", "wal", |row| row.get::<_, String>(0))
            .map_err(failed)?;
        connection.pragma_update(None, "foreign_keys", true).map_err(failed)?;
        migrate(&mut connection).map_err(failed)?;
        Ok(Store { path: path.to_path_buf(), connection })
    }

    /// Opens a store that is there, to read. One of an earlier version is brought up to date first.
    ///
    /// # Errors
    /// There is no such file, it can't be read, or it is no store.
    pub fn open_to_read(path: &Path) -> Result<Store, StoreError> {
        if !path.exists() {
            return Err(StoreError::Missing(path.to_path_buf()));
        }
        let failed = |cause| failure(path, "read", cause);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
        connection.busy_timeout(PATIENCE).map_err(failed)?;
        let connection = match check(path, &connection) {
            // The index of the log can't be made beside a file in a folder that nobody may write to.
            Err(StoreError::Sqlite { cause, .. })
                if cause.sqlite_error_code() == Some(ErrorCode::CannotOpen) && !has_log(path) =>
            {
                immutable(path).map_err(failed)?
            }
            Err(error) => return Err(error),
            Ok(()) => connection,
        };
        let version = check_version(path, &connection)?;
        if version < VERSION {
            drop(connection);
            return Store::open(path);
        }
        Ok(Store { path: path.to_path_buf(), connection })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps runs that belong together, all of them or none.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn keep(&mut self, runs: &[NewRun<'_>]) -> Result<Vec<RunId>, StoreError> {
        let path = self.path.clone();
        let failed = |cause| failure(&path, "written", cause);
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let ids = keep(&transaction, runs).map_err(failed)?;
        transaction.commit().map_err(failed)?;
        Ok(ids)
    }

    /// The runs that a query finds, the newest first.
    ///
    /// # Errors
    /// The file can't be read.
    pub fn list(&self, query: &Query) -> Result<Vec<Row>, StoreError> {
        rows(&self.connection, query).map_err(|cause| failure(&self.path, "read", cause))
    }

    /// A run with all that is kept of it; `None` where there is none of that id.
    ///
    /// # Errors
    /// The file can't be read, or the run's part of it is damaged.
    pub fn get(&self, id: RunId) -> Result<Option<Kept>, StoreError> {
        let found = read(&self.connection, id).map_err(|cause| failure(&self.path, "read", cause))?;
        found.transpose().map_err(|why| StoreError::Damaged { path: self.path.clone(), id, why })
    }

    /// Deletes runs, and returns those that were there. Their ids are not given again.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn delete(&mut self, ids: &[RunId]) -> Result<Vec<RunId>, StoreError> {
        let path = self.path.clone();
        let failed = |cause| failure(&path, "written", cause);
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let mut deleted = Vec::new();
        for id in ids {
            let count = transaction.execute("DELETE FROM runs WHERE run = ?1", [id.0]).map_err(failed)?;
            if count > 0 {
                deleted.push(*id);
            }
        }
        let unused =
            "DELETE FROM machines WHERE machine NOT IN (SELECT machine FROM runs WHERE machine IS NOT NULL)";
        transaction.execute(unused, []).map_err(failed)?;
        transaction.commit().map_err(failed)?;
        Ok(deleted)
    }
}

fn failure(path: &Path, doing: &'static str, cause: rusqlite::Error) -> StoreError {
    if cause.sqlite_error_code() == Some(ErrorCode::NotADatabase) {
        return StoreError::NotAStore { path: path.to_path_buf(), what: "it is no SQLite database".into() };
    }
    StoreError::Sqlite { path: path.to_path_buf(), doing, cause }
}

/// Sees that a database is a store, or empty.
fn check(path: &Path, connection: &Connection) -> Result<(), StoreError> {
    let failed = |cause| failure(path, "read", cause);
    // Both as of one moment: between the two somebody else may make it a store.
    let now = connection.unchecked_transaction().map_err(failed)?;
    let application: i64 =
        now.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(failed)?;
    let tables: i64 =
        now.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(failed)?;
    drop(now);
    if application != APPLICATION && (application != 0 || tables > 0) {
        let what = "it is another program's database".to_string();
        return Err(StoreError::NotAStore { path: path.to_path_buf(), what });
    }
    check_version(path, connection).map(drop)
}

fn check_version(path: &Path, connection: &Connection) -> Result<i64, StoreError> {
    let version = version_of(connection).map_err(|cause| failure(path, "read", cause))?;
    if version > VERSION {
        return Err(StoreError::Newer { path: path.to_path_buf(), version });
    }
    Ok(version)
}

/// Whether runs may be in a log beside the file.
fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(log).is_ok_and(|log| log.len() > 0)
}

/// A file that nobody writes, without locks.
fn immutable(path: &Path) -> rusqlite::Result<Connection> {
    let escaped: String = path
        .to_string_lossy()
        .chars()
        .map(|c| match c {
            '%' | '?' | '#' => format!("%{:02x}", c as u32),
            c => c.to_string(),
        })
        .collect();
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(format!("file:{escaped}?immutable=1"), flags)
}

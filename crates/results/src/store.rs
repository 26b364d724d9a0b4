use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::error::StoreError;
use crate::id::RunId;
use crate::keep::{NewRun, keep};
use crate::log::application_in_log;
use crate::place::{NoPlace, Place};
use crate::query::{Query, Row, rows};
use crate::read::{Kept, read};
use crate::schema::{APPLICATION, VERSION, migrate, version_of};

/// Time that another process's transaction is waited for: each is one run, written in a fraction of a second.
const PATIENCE: Duration = Duration::from_secs(5);

/// Kind of a database that is not a store.
const FOREIGN: &str = "it is another program's database";

/// Kind of an empty database.
const EMPTY: &str = "it is empty: it contains no runs";

/// A results store.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    connection: Connection,
}

impl Store {
    /// Opens a store to write to. A file and its folder that are not there are made; an empty file becomes a store.
    ///
    /// # Errors
    /// Returns an error if the file cannot be created, is not a regular file, or is not a store.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| {
                let why = format!("cannot create {}: {error}", folder.display());
                failure(path, "written", cannot_open(why))
            })?;
        }
        is_free(path)?;
        let place = Place::existing_or_new(path).map_err(|why| misplaced(path, "written", why))?;
        Store::to_write(path, &place, Blank::Formatted)
    }

    /// Sees that a file is a store, or could become one: there is none yet, or it is empty. Nothing is written.
    ///
    /// # Errors
    /// Returns an error if it is not a store or cannot be read.
    pub fn check(path: &Path) -> Result<(), StoreError> {
        match Place::existing(path) {
            Err(NoPlace::Missing) => is_free(path),
            Ok(place) => look(path, &place),
            Err(why) => Err(misplaced(path, "read", why)),
        }
    }

    /// Opens a store that is there, to change what is in it.
    ///
    /// # Errors
    /// Returns an error if the file does not exist, cannot be written, or is not a store.
    pub fn open_existing(path: &Path) -> Result<Store, StoreError> {
        let place = Place::existing(path).map_err(|why| misplaced(path, "written", why))?;
        Store::to_write(path, &place, Blank::Refused)
    }

    fn to_write(path: &Path, place: &Place, blank: Blank) -> Result<Store, StoreError> {
        let failed = |cause| failure(path, "written", cause);
        look(path, place)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let mut connection = open_gently(place, flags).map_err(failed)?;
        place.confirm().map_err(|why| misplaced(path, "written", why))?;
        check(path, &connection, blank)?;
        // It is a store, whose log is brought in as SQLite does.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false).map_err(failed)?;
        // Readers and a writer do not wait for one another. Where the file system can't have it, as some over a network,
        // SQLite goes on with its journal, and says so by this pragma's answer, which changes nothing here.
        connection
            .pragma_update_and_check(None, "journal_mode", "wal", |row| row.get::<_, String>(0))
            .map_err(failed)?;
        connection.pragma_update(None, "foreign_keys", true).map_err(failed)?;
        migrate(&mut connection).map_err(failed)?;
        Ok(Store { path: path.to_path_buf(), connection })
    }

    /// Opens a store that is there, to read. One of an earlier version is brought up to date first; no other file is changed.
    ///
    /// # Errors
    /// Returns an error if the file does not exist, cannot be read, or is not a store.
    pub fn open_to_read(path: &Path) -> Result<Store, StoreError> {
        let place = Place::existing(path).map_err(|why| misplaced(path, "read", why))?;
        let failed = |cause| failure(path, "read", cause);
        look(path, &place)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let connection = open_gently(&place, flags).map_err(failed)?;
        place.confirm().map_err(|why| misplaced(path, "read", why))?;
        let connection = match check(path, &connection, Blank::Refused) {
            // The index of the log can't be made beside a file in a folder that nobody may write to.
            Err(StoreError::Sqlite { cause, .. })
                if cause.sqlite_error_code() == Some(ErrorCode::CannotOpen) && !has_log(place.path()) =>
            {
                let connection = immutable(place.path()).map_err(failed)?;
                check(path, &connection, Blank::Refused)?;
                connection
            }
            Err(error) => return Err(error),
            Ok(()) => connection,
        };
        let version = check_version(path, &connection)?;
        if version < VERSION {
            drop(connection);
            return Store::to_write(path, &place, Blank::Refused);
        }
        Ok(Store { path: path.to_path_buf(), connection })
    }

    /// Path of the store.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps runs that belong together, all of them or none.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
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
    /// Returns an error if the file cannot be read.
    pub fn list(&self, query: &Query) -> Result<Vec<Row>, StoreError> {
        rows(&self.connection, query).map_err(|cause| failure(&self.path, "read", cause))
    }

    /// A run with all that is kept of it; `None` where there is none of that id.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or the run's part of it is damaged.
    pub fn get(&self, id: RunId) -> Result<Option<Kept>, StoreError> {
        let found = read(&self.connection, id).map_err(|cause| failure(&self.path, "read", cause))?;
        found.transpose().map_err(|why| StoreError::Damaged { path: self.path.clone(), id, why })
    }

    /// Deletes runs, and returns those that were there. Their ids are not given again.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
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

fn cannot_open(why: String) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CANTOPEN), Some(why))
}

fn misplaced(path: &Path, doing: &'static str, why: NoPlace) -> StoreError {
    match why {
        NoPlace::Missing => StoreError::Missing(path.to_path_buf()),
        NoPlace::Unfit(what) => StoreError::NotAStore { path: path.to_path_buf(), what },
        NoPlace::Io(error) => failure(path, doing, cannot_open(error.to_string())),
    }
}

fn failure(path: &Path, doing: &'static str, cause: rusqlite::Error) -> StoreError {
    if cause.sqlite_error_code() == Some(ErrorCode::NotADatabase) {
        return StoreError::NotAStore {
            path: path.to_path_buf(),
            what: "it is not an SQLite database".into(),
        };
    }
    StoreError::Sqlite { path: path.to_path_buf(), doing, cause }
}

/// Use of an empty database.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blank {
    /// It becomes a store.
    Formatted,
    /// It is none: who reads or deletes makes nothing.
    Refused,
}

/// Sees that a database is a store, or empty where that is all right.
fn check(path: &Path, connection: &Connection, blank: Blank) -> Result<(), StoreError> {
    let failed = |cause| failure(path, "read", cause);
    // Both as of one moment: between the two somebody else may make it a store.
    let now = connection.unchecked_transaction().map_err(failed)?;
    let application: i64 =
        now.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(failed)?;
    let tables: i64 =
        now.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(failed)?;
    drop(now);
    let no_store = |what: &str| Err(StoreError::NotAStore { path: path.to_path_buf(), what: what.into() });
    if application != APPLICATION && (application != 0 || tables > 0) {
        return no_store(FOREIGN);
    }
    if application != APPLICATION && blank == Blank::Refused {
        return no_store(EMPTY);
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

/// Looks at a database without locks and without writing: even one that is only opened and closed is written to, where its
/// journal is rolled back. What another process writes meanwhile may make this look fail; the next one has locks.
///
/// # Errors
/// Returns an error if it is another program's database or a store of a later version, or a file beside it belongs to
/// another database.
fn look(path: &Path, place: &Place) -> Result<(), StoreError> {
    let no_store = |what: &str| Err(StoreError::NotAStore { path: path.to_path_buf(), what: what.into() });
    let deadline = Instant::now() + PATIENCE;
    loop {
        let is_blank = std::fs::metadata(place.path()).is_ok_and(|found| found.len() == 0);
        if !is_blank {
            let now = immutable(place.path()).map_err(|cause| failure(path, "read", cause));
            match now.and_then(|now| check(path, &now, Blank::Refused)) {
                Err(StoreError::NotAStore { what, .. }) if what == EMPTY => {}
                Err(error @ (StoreError::NotAStore { .. } | StoreError::Newer { .. })) => return Err(error),
                _ => return Ok(()),
            }
            // All of it may be in its log, which SQLite would bring in.
            match application_in_log(&beside(place.path(), "-wal")) {
                Some(id) if i64::from(id) == APPLICATION => return Ok(()),
                Some(_) => return no_store(FOREIGN),
                None => {}
            }
        }
        // Not a store yet. Another process that makes it has a journal for a moment.
        let left = if is_blank { &["-journal", "-wal"][..] } else { &["-journal"] };
        let Some(ending) = left.iter().find(|ending| has_content(place.path(), ending)) else {
            return Ok(());
        };
        if Instant::now() > deadline {
            return no_store(&belongs_elsewhere(ending));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Sees that nothing of another database lies where a store is going to be made.
///
/// # Errors
/// Returns an error if a log or a journal lies there: SQLite would remove it.
fn is_free(path: &Path) -> Result<(), StoreError> {
    let left = ["-journal", "-wal"].into_iter().find(|ending| has_content(path, ending));
    match left.filter(|_| !path.exists()) {
        Some(ending) => {
            Err(StoreError::NotAStore { path: path.to_path_buf(), what: belongs_elsewhere(ending) })
        }
        None => Ok(()),
    }
}

fn belongs_elsewhere(ending: &str) -> String {
    format!("the file with {ending} at the end of its name holds another database's transactions")
}

/// Opens a database that may be another program's: nothing beside it is removed when it is closed again.
fn open_gently(place: &Place, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(place.path(), flags)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

/// True if runs may be in a log beside the file.
fn has_log(path: &Path) -> bool {
    has_content(path, "-wal")
}

/// True if the file of that ending beside a database has anything in it.
fn has_content(path: &Path, ending: &str) -> bool {
    std::fs::metadata(beside(path, ending)).is_ok_and(|found| found.len() > 0)
}

/// The path of the file of that ending beside a database.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut beside = path.as_os_str().to_owned();
    beside.push(ending);
    beside.into()
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
    let flags = flags | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    Connection::open_with_flags(format!("file:{escaped}?immutable=1"), flags)
}

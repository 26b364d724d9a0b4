//! The tables, and how those of earlier versions become these.

use rusqlite::{Connection, TransactionBehavior};

/// The version of the tables.
pub const VERSION: i64 = 3;

/// SQLite's number for whose file it is: "iobd".
pub(crate) const APPLICATION: i64 = 0x696f_6264;

/// From each version to the next. What has been released is never edited.
const STEPS: [&str; VERSION as usize] = [
    "
    CREATE TABLE machines (
        machine INTEGER PRIMARY KEY,
        host TEXT,
        kernel TEXT,
        processors INTEGER,
        facts TEXT NOT NULL UNIQUE
    );
    CREATE TABLE devices (
        machine INTEGER NOT NULL REFERENCES machines ON DELETE CASCADE,
        name TEXT NOT NULL,
        kind TEXT,
        model TEXT,
        size_bytes INTEGER,
        scheduler TEXT,
        read_ahead_kib INTEGER,
        queue_requests INTEGER,
        hardware_queues INTEGER,
        max_request_kib INTEGER,
        rotational INTEGER,
        logical_sector INTEGER,
        physical_sector INTEGER,
        write_cache TEXT,
        made_of TEXT,
        PRIMARY KEY (machine, name)
    );
    CREATE TABLE runs (
        run INTEGER PRIMARY KEY AUTOINCREMENT,
        at TEXT NOT NULL,
        verb TEXT NOT NULL,
        name TEXT,
        source TEXT NOT NULL,
        ended TEXT NOT NULL,
        error TEXT,
        target TEXT,
        engine TEXT,
        machine INTEGER REFERENCES machines,
        configuration TEXT,
        workload TEXT,
        workload_toml TEXT,
        seed TEXT,
        command TEXT,
        program TEXT NOT NULL,
        counted_s REAL,
        depth_requested INTEGER,
        depth_achieved REAL,
        iops REAL,
        throughput_bytes_per_s REAL,
        mean_us REAL,
        p50_us REAL,
        p99_us REAL,
        max_us REAL,
        errors INTEGER,
        document TEXT NOT NULL
    );
    CREATE INDEX runs_at ON runs (at);
    CREATE TABLE summaries (
        run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        part TEXT NOT NULL,
        name TEXT NOT NULL,
        operation TEXT NOT NULL,
        ios INTEGER,
        bytes INTEGER,
        errors INTEGER,
        iops REAL,
        throughput_bytes_per_s REAL,
        loop TEXT,
        mean_us REAL,
        stdev_us REAL,
        min_us REAL,
        p50_us REAL,
        p90_us REAL,
        p95_us REAL,
        p99_us REAL,
        p99_9_us REAL,
        p99_99_us REAL,
        p99_999_us REAL,
        p99_9999_us REAL,
        max_us REAL,
        service_mean_us REAL,
        service_p99_us REAL,
        PRIMARY KEY (run, part, name, operation)
    ) WITHOUT ROWID;
    CREATE TABLE series (
        run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        interval INTEGER NOT NULL,
        start_s REAL NOT NULL,
        end_s REAL NOT NULL,
        phase TEXT NOT NULL,
        cut_short INTEGER NOT NULL,
        iops REAL NOT NULL,
        throughput_bytes_per_s REAL,
        read_iops REAL,
        read_throughput_bytes_per_s REAL,
        read_errors INTEGER,
        read_mean_us REAL,
        read_min_us REAL,
        read_p50_us REAL,
        read_p99_us REAL,
        read_max_us REAL,
        write_iops REAL,
        write_throughput_bytes_per_s REAL,
        write_errors INTEGER,
        write_mean_us REAL,
        write_min_us REAL,
        write_p50_us REAL,
        write_p99_us REAL,
        write_max_us REAL,
        PRIMARY KEY (run, interval)
    ) WITHOUT ROWID;
    CREATE TABLE histograms (
        run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
        job INTEGER NOT NULL,
        name TEXT NOT NULL,
        operation TEXT NOT NULL,
        count INTEGER NOT NULL,
        min_ns INTEGER,
        max_ns INTEGER,
        sum_ns TEXT NOT NULL,
        sum_of_squares_ns2 TEXT NOT NULL,
        saturated INTEGER NOT NULL,
        hdr_v2 BLOB NOT NULL,
        PRIMARY KEY (run, job, operation)
    );
    ",
    // Runs that belong together: stages of one command, rows of a lab, both sides of `run --vs`.
    "
    ALTER TABLE runs ADD COLUMN first_of_command INTEGER;
    ALTER TABLE runs ADD COLUMN side TEXT;
    UPDATE runs SET first_of_command = run;
    ",
    // The latencies of each interval, in classes (`latencies.rs`).
    "
    ALTER TABLE series ADD COLUMN read_latencies BLOB;
    ALTER TABLE series ADD COLUMN write_latencies BLOB;
    ",
];

/// The version of the tables of a file: 0 of an empty one.
pub(crate) fn version_of(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Makes the tables those of this version: all steps that are missing, or none.
pub(crate) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    migrate_to(connection, VERSION)
}

pub(crate) fn migrate_to(connection: &mut Connection, version: i64) -> rusqlite::Result<()> {
    if version_of(connection)? >= version {
        return Ok(());
    }
    // Another process may be at it: whoever comes second finds it done.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done = version_of(&transaction)?;
    for step in STEPS.iter().take(version as usize).skip(done as usize) {
        transaction.execute_batch(step)?;
    }
    if done < version {
        transaction.pragma_update(None, "user_version", version)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
    }
    transaction.commit()
}

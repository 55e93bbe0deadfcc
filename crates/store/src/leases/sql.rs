//! The SQL of leases on rows: how rows of `runs`, `messages`, `jobs`, `maintenance_jobs` and `triggers` are claimed,
//! renewed, released and fenced.
//!
//! Each macro is one clause or statement over a table's description, and expands to a literal: nothing is formatted
//! when it is executed. Clauses of a single table stand with that table. Numbers are those of parameters.

/// A condition: the row is work that may be held.
macro_rules! open {
    (runs) => {
        "status IN ('pending', 'running')"
    };
    (messages) => {
        "direction = 'outbound' AND status IN ('pending', 'sending')"
    };
    (jobs) => {
        "status = 'pending'"
    };
    (triggers) => {
        "lease_owner IS NOT NULL"
    };
    (maintenance_jobs) => {
        "lease_owner IS NOT NULL"
    };
}
pub(crate) use open;

/// The primary key.
macro_rules! key {
    (maintenance_jobs) => {
        "name"
    };
    ($table:ident) => {
        "id"
    };
}
pub(crate) use key;

/// The assignments of a statement that takes over work whose lease was not released: one more death. `lease_until` is
/// the old value: NULL was never held, 0 was released. A row that was only queued keeps a mark that is proof at any
/// count.
macro_rules! counted {
    // One that waited for more of its input was not worked on.
    (runs) => {
        $crate::leases::sql::counted!(isolation " AND wake_at IS NULL")
    };
    // Nothing isolates a trigger.
    (triggers) => {
        $crate::leases::sql::counted!(deaths "")
    };
    // Nor a maintenance job, which is put off by each death.
    (maintenance_jobs) => {
        $crate::leases::sql::counted!(deaths "")
    };
    (messages) => {
        $crate::leases::sql::counted!(isolation "")
    };
    (jobs) => {
        $crate::leases::sql::counted!(isolation "")
    };
    (deaths $unless:literal) => {
        concat!("deaths = deaths + CASE WHEN lease_until > 0", $unless, " THEN 1 ELSE 0 END")
    };
    (isolation $unless:literal) => {
        concat!(
            $crate::leases::sql::counted!(deaths $unless),
            ", isolation = CASE WHEN lease_until > 0
                 THEN CASE isolation WHEN 'working' THEN 'died' WHEN 'working_again' THEN 'died_again'
                     WHEN 'died_again' THEN 'died_again' WHEN 'waiting' THEN 'waited' WHEN 'waited' THEN 'waited' END
                 ELSE CASE WHEN isolation IN ('died', 'died_again', 'waited') THEN isolation END END"
        )
    };
}
pub(crate) use counted;

/// A condition: nobody holds the row, or its lease ran out before the parameter `$over`. `$1` is the worker that looks,
/// and `$of` stands before each column, as `p.`.
macro_rules! free {
    // Work in flight in this worker is not free, however old its lease, unless the worker released it.
    (runs, $over:literal, $of:literal) => {
        concat!(
            "(",
            $of,
            "lease_until IS NULL OR ",
            $of,
            "lease_until < $",
            $over,
            " AND (",
            $of,
            "lease_owner <> $1 OR ",
            $of,
            "lease_until = 0))"
        )
    };
    (messages, $over:literal) => {
        concat!(
            "(lease_until IS NULL OR (lease_until < $",
            $over,
            " AND lease_owner <> $1))"
        )
    };
    (jobs, $over:literal) => {
        concat!("(lease_until IS NULL OR lease_until < $", $over, ")")
    };
    (maintenance_jobs, $over:literal) => {
        $crate::leases::sql::free!(jobs, $over)
    };
    // A worker takes its own again.
    (triggers, $over:literal) => {
        concat!(
            "(lease_until IS NULL OR lease_owner = $1 OR lease_until < $",
            $over,
            ")"
        )
    };
}
pub(crate) use free;

/// The beginning of a claim: worker `$1` holds the row until `$2`. A death of the one before is counted.
macro_rules! take {
    (runs) => {
        $crate::leases::sql::take!(runs, "epoch = epoch + 1, ", $crate::leases::sql::counted!(runs))
    };
    (messages) => {
        $crate::leases::sql::take!(messages, "", $crate::leases::sql::counted!(messages))
    };
    (jobs) => {
        $crate::leases::sql::take!(jobs, "epoch = epoch + 1, ", $crate::leases::sql::counted!(jobs))
    };
    (maintenance_jobs) => {
        $crate::leases::sql::take!(
            maintenance_jobs,
            "epoch = epoch + 1, ",
            $crate::leases::sql::counted!(maintenance_jobs)
        )
    };
    (triggers) => {
        $crate::leases::sql::take!(
            triggers,
            "",
            $crate::leases::sql::counted!(deaths " AND lease_owner <> $1")
        )
    };
    ($table:ident, $epoch:literal, $counted:expr) => {
        concat!(
            "UPDATE ", stringify!($table), " SET lease_owner = $1, lease_until = $2, ", $epoch, $counted
        )
    };
}
pub(crate) use take;

/// The end of the rows that a claim chooses, on PostgreSQL: those that another transaction claims are passed over.
macro_rules! skip_locked {
    () => {
        " FOR UPDATE SKIP LOCKED"
    };
}
pub(crate) use skip_locked;

/// A condition, the fence: the row is still that claim's. The parameters are its key, its owner and its epoch, if claims
/// of its table are counted.
macro_rules! fenced {
    ($table:ident, $id:literal, $owner:literal) => {
        concat!(
            $crate::leases::sql::key!($table),
            " = $",
            $id,
            " AND lease_owner = $",
            $owner,
            " AND ",
            $crate::leases::sql::open!($table)
        )
    };
    ($table:ident, $id:literal, $owner:literal, $epoch:literal) => {
        concat!(
            "epoch = $",
            $epoch,
            " AND ",
            $crate::leases::sql::fenced!($table, $id, $owner)
        )
    };
}
pub(crate) use fenced;

/// The assignments that release a row.
macro_rules! freed {
    () => {
        "lease_owner = NULL, lease_until = NULL"
    };
}
pub(crate) use freed;

/// Renews one claim until `$1`: its fence begins at `$2`.
macro_rules! renew {
    (messages) => {
        concat!(
            "UPDATE messages SET lease_until = $1 WHERE ",
            $crate::leases::sql::fenced!(messages, 2, 3)
        )
    };
    ($table:ident) => {
        concat!(
            "UPDATE ",
            stringify!($table),
            " SET lease_until = $1 WHERE ",
            $crate::leases::sql::fenced!($table, 2, 3, 4)
        )
    };
}
pub(crate) use renew;

/// Renews until `$1` every claim of worker `$2` that it did not give back.
macro_rules! renew_all {
    ($table:ident) => {
        concat!(
            "UPDATE ",
            stringify!($table),
            " SET lease_until = $1 WHERE lease_owner = $2 AND lease_until > 0 AND ",
            $crate::leases::sql::open!($table)
        )
    };
}

/// Gives back every claim of worker `$1`, or everybody's if that is NULL.
macro_rules! release {
    ($table:ident, $set:expr) => {
        concat!(
            "UPDATE ",
            stringify!($table),
            " SET ",
            $set,
            " WHERE ",
            $crate::leases::sql::open!($table),
            " AND ($1 IS NULL OR lease_owner = $1) AND lease_owner IS NOT NULL"
        )
    };
}

/// Counts a death on every row that is held.
macro_rules! count {
    ($table:ident) => {
        concat!(
            "UPDATE ",
            stringify!($table),
            " SET ",
            $crate::leases::sql::counted!($table),
            " WHERE ",
            $crate::leases::sql::open!($table),
            " AND lease_owner IS NOT NULL AND lease_until > 0"
        )
    };
}

/// The leases that end later than `$1`, a row a worker.
macro_rules! skewed {
    ($table:ident) => {
        concat!(
            "SELECT '",
            stringify!($table),
            "' AS held, lease_owner AS owner, MAX(lease_until) AS until FROM ",
            stringify!($table),
            " WHERE ",
            $crate::leases::sql::open!($table),
            " AND lease_until > $1 AND lease_owner IS NOT NULL GROUP BY lease_owner"
        )
    };
}

/// Gives back what worker `$1` holds until later than `$2`, but no later than `$3`: a death is counted.
macro_rules! release_skewed {
    ($table:ident, $set:expr) => {
        concat!(
            "UPDATE ",
            stringify!($table),
            " SET ",
            $set,
            ", ",
            $crate::leases::sql::counted!($table),
            " WHERE ",
            $crate::leases::sql::open!($table),
            " AND lease_owner = $1 AND lease_until > $2 AND lease_until <= $3"
        )
    };
}

/// The assignments that release a row, for statements that are formatted.
pub(crate) const FREED: &str = freed!();
/// Renews what a worker holds of what is renewed by its heartbeat.
pub(crate) const RENEW_ALL: [&str; 2] = [renew_all!(runs), renew_all!(messages)];
/// Gives back the runs of a worker, or of all.
pub(crate) const RELEASE_RUNS: &str = release!(runs, "lease_until = 0");
/// Gives back what a worker holds, or all do, but runs.
pub(crate) const RELEASE_OTHERS: [&str; 5] = [
    release!(messages, "lease_until = 0"),
    release!(jobs, "lease_until = 0"),
    release!(triggers, freed!()),
    release!(maintenance_jobs, freed!()),
    "UPDATE leases SET until = 0 WHERE $1 IS NULL OR owner = $1",
];
/// Counts a death on everything that is held.
pub(crate) const COUNT_ALL: [&str; 5] = [
    count!(runs),
    count!(messages),
    count!(jobs),
    count!(triggers),
    count!(maintenance_jobs),
];
/// The leases that end later than `$1`, of every kind that [`RELEASE_SKEWED_RUNS`] and its like release.
pub(crate) const SKEWED: &str = concat!(
    skewed!(runs),
    " UNION ALL ",
    skewed!(messages),
    " UNION ALL ",
    skewed!(jobs),
    " UNION ALL ",
    skewed!(maintenance_jobs),
    " UNION ALL SELECT name, owner, until FROM leases WHERE until > $1"
);
/// Gives back skewed leases on runs.
pub(crate) const RELEASE_SKEWED_RUNS: &str = release_skewed!(runs, "lease_until = 0");
/// Gives back skewed leases on messages.
pub(crate) const RELEASE_SKEWED_MESSAGES: &str = release_skewed!(messages, freed!());
/// Gives back skewed leases on jobs.
pub(crate) const RELEASE_SKEWED_JOBS: &str = release_skewed!(jobs, "lease_until = 0");
/// Gives back skewed leases on maintenance jobs.
pub(crate) const RELEASE_SKEWED_MAINTENANCE: &str = release_skewed!(maintenance_jobs, freed!());

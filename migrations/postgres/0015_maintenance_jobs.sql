-- Maintenance: what one process at a time does again and again. A row a job: when it is due, the lease of the process that does
-- it, and how it went. Older versions do the same in each process, by no row; every one of these jobs may be done twice.

CREATE TABLE maintenance_jobs (
    name               TEXT PRIMARY KEY,
    due_at             BIGINT NOT NULL,
    lease_owner        TEXT,
    lease_until        BIGINT,
    epoch              BIGINT NOT NULL,
    deaths             BIGINT NOT NULL,        -- of processes that held it, since it last ended
    runs               BIGINT NOT NULL,        -- how often it ended, failures included
    failures           BIGINT NOT NULL,        -- how often it failed
    failures_in_a_row  BIGINT NOT NULL,        -- how often since it last succeeded
    last_began_at      BIGINT,
    last_ended_at      BIGINT,
    last_succeeded_at  BIGINT,
    last_failed_at     BIGINT,
    last_error         TEXT                    -- why it failed the last time that it did
);

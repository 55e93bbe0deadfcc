-- How often the process died that held a piece of work, how it was worked on then, and when it was set aside for that.

ALTER TABLE runs ADD COLUMN deaths BIGINT NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN isolation TEXT;          -- of a suspect: how it is worked on, or was at the last death
ALTER TABLE runs ADD COLUMN quarantined_at BIGINT;
CREATE INDEX runs_quarantined ON runs (quarantined_at) WHERE quarantined_at IS NOT NULL;

ALTER TABLE jobs ADD COLUMN deaths BIGINT NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN isolation TEXT;
ALTER TABLE jobs ADD COLUMN quarantined_at BIGINT;
CREATE INDEX jobs_quarantined ON jobs (quarantined_at) WHERE quarantined_at IS NOT NULL;

ALTER TABLE messages ADD COLUMN deaths BIGINT NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN isolation TEXT;
ALTER TABLE messages ADD COLUMN quarantined_at BIGINT;
CREATE INDEX messages_quarantined ON messages (quarantined_at) WHERE quarantined_at IS NOT NULL;

ALTER TABLE triggers ADD COLUMN deaths BIGINT NOT NULL DEFAULT 0;
ALTER TABLE triggers ADD COLUMN quarantined_at BIGINT;
CREATE INDEX triggers_quarantined ON triggers (quarantined_at) WHERE quarantined_at IS NOT NULL;

ALTER TABLE files ADD COLUMN deaths BIGINT NOT NULL DEFAULT 0;
ALTER TABLE files ADD COLUMN quarantined_at BIGINT;
CREATE INDEX files_quarantined ON files (quarantined_at) WHERE quarantined_at IS NOT NULL;

-- Events of platforms that are stored one by one after a process died, each announced before it is worked on.
CREATE TABLE inbound_attempts (
    id              TEXT PRIMARY KEY,       -- a hash of what the platform calls it
    platform        TEXT NOT NULL,
    deaths          BIGINT NOT NULL,
    quarantined_at  BIGINT,                 -- it is confirmed without being stored
    updated_at      BIGINT NOT NULL
);

-- Imports of people's data: how far each is, so that one that was killed goes on where it was.

CREATE TABLE imports (
    id          TEXT PRIMARY KEY,            -- the digest of what is imported, and for whom
    source      TEXT NOT NULL,               -- its format
    reached     BIGINT NOT NULL,             -- how many of its records are stored
    started_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL,
    ended_at    BIGINT                       -- NULL: it is not complete
);

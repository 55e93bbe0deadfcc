-- Sessions of people in a browser, and the links by which they begin.

CREATE TABLE sessions (
    id          TEXT PRIMARY KEY,
    token_hash  TEXT NOT NULL UNIQUE,
    user_id     TEXT REFERENCES users (id) ON DELETE CASCADE,   -- NULL: the operator's
    account     TEXT NOT NULL,               -- the account of the platform `web` by which its person speaks, without `api:`
    user_agent  TEXT,
    created_at  BIGINT NOT NULL,
    seen_at     BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX sessions_expires ON sessions (expires_at);

CREATE TABLE login_links (
    link_hash   TEXT PRIMARY KEY,
    user_id     TEXT REFERENCES users (id) ON DELETE CASCADE,   -- NULL: the operator's
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL
);
CREATE INDEX login_links_user ON login_links (user_id) WHERE user_id IS NOT NULL;

-- Passkeys, by which people log in to the dashboard, and the challenges that browsers answer with them.

CREATE TABLE passkeys (
    id            TEXT PRIMARY KEY,
    credential_id TEXT NOT NULL UNIQUE,      -- the name that its authenticator gave it, in base64url
    user_id       TEXT REFERENCES users (id) ON DELETE CASCADE,   -- NULL: the operator's
    user_handle   TEXT NOT NULL,             -- the name by which its authenticator knows its person, in base64url
    rp_id         TEXT NOT NULL,             -- the host of the dashboard that it is for
    public_key    TEXT NOT NULL,             -- as COSE writes it, in base64url
    sign_count    BIGINT NOT NULL,           -- how often it signed, as its authenticator counts; 0: it does not
    name          TEXT NOT NULL,
    created_at    BIGINT NOT NULL,
    used_at       BIGINT                     -- NULL: nobody logged in with it
);
CREATE INDEX passkeys_user ON passkeys (user_id) WHERE user_id IS NOT NULL;

CREATE TABLE passkey_challenges (
    challenge_hash TEXT PRIMARY KEY,
    session_id     TEXT REFERENCES sessions (id) ON DELETE CASCADE,   -- which adds a passkey; NULL: it is to log in
    user_handle    TEXT,                     -- of the passkey that is added
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL
);
CREATE INDEX passkey_challenges_session ON passkey_challenges (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX passkey_challenges_expires ON passkey_challenges (expires_at);

-- What comes due: a run that sleeps by cron, a run that begins by the clock or by a webhook, a reminder.

-- The table is built anew; what hangs on it goes along.
CREATE TABLE old_firings AS SELECT trigger_id, due_at, fired_at FROM trigger_firings;
DROP TABLE trigger_firings;
ALTER TABLE triggers RENAME TO old_triggers;

CREATE TABLE triggers (
    id               TEXT PRIMARY KEY,
    kind             TEXT NOT NULL,         -- wake | run | reminder
    name             TEXT UNIQUE,           -- of a webhook: what its address ends in
    run_id           TEXT UNIQUE REFERENCES runs (id),      -- of a wake: the run that sleeps
    agent_id         TEXT REFERENCES agents (id),           -- of a run: who does it; NULL: the channel's agent
    channel_id       TEXT REFERENCES channels (id),         -- where it speaks
    user_id          TEXT REFERENCES users (id),            -- for whom
    context_id       TEXT REFERENCES contexts (id),         -- of a run: the conversation
    content          TEXT NOT NULL,         -- of a run: what is asked; of a reminder: what is said
    webhook          BOOLEAN NOT NULL,      -- a signed request fires it
    cron             TEXT,
    time_zone        TEXT NOT NULL,
    catch_up         TEXT NOT NULL,         -- once | skip: due times that passed while nobody was there
    enabled          BOOLEAN NOT NULL,
    next_at          BIGINT,                -- NULL: it is off, has ended, or waits for its webhook
    created_by       TEXT,                  -- who made it, in words
    idempotency_key  TEXT UNIQUE,           -- of the call that made it
    created_at       BIGINT NOT NULL,
    updated_at       BIGINT NOT NULL,
    last_fired_at    BIGINT,
    last_error       TEXT
);
INSERT INTO triggers (id, kind, run_id, content, webhook, cron, time_zone, catch_up, enabled, next_at, created_at,
                      updated_at)
    SELECT id, 'wake', run_id, '', FALSE, cron, time_zone, catch_up, TRUE, next_at, created_at, created_at
    FROM old_triggers;
DROP TABLE old_triggers;

CREATE TABLE trigger_firings (
    trigger_id  TEXT NOT NULL REFERENCES triggers (id) ON DELETE CASCADE,
    due_at      BIGINT NOT NULL,
    fired_at    BIGINT NOT NULL,
    PRIMARY KEY (trigger_id, due_at)
);
INSERT INTO trigger_firings SELECT trigger_id, due_at, fired_at FROM old_firings;
DROP TABLE old_firings;

CREATE INDEX triggers_due ON triggers (next_at) WHERE kind <> 'wake' AND next_at IS NOT NULL;
CREATE INDEX triggers_by_user ON triggers (user_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX triggers_by_channel ON triggers (channel_id) WHERE channel_id IS NOT NULL;
CREATE INDEX triggers_by_context ON triggers (context_id) WHERE context_id IS NOT NULL;

-- By what the requests of a webhook are signed.
CREATE TABLE trigger_secrets (
    trigger_id  TEXT PRIMARY KEY REFERENCES triggers (id) ON DELETE CASCADE,
    secret      TEXT NOT NULL
);
-- The signatures that a webhook took, as long as they would be good again.
CREATE TABLE webhook_calls (
    trigger_id  TEXT NOT NULL REFERENCES triggers (id) ON DELETE CASCADE,
    signature   TEXT NOT NULL,
    signed_at   BIGINT NOT NULL,
    PRIMARY KEY (trigger_id, signature)
);

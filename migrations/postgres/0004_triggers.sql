-- What comes due: a run that sleeps by cron, a run that begins by the clock or by a webhook, a reminder.

ALTER TABLE triggers
    ADD COLUMN kind             TEXT NOT NULL DEFAULT 'wake',   -- wake | run | reminder
    ADD COLUMN name             TEXT UNIQUE,                    -- of a webhook: what its address ends in
    ADD COLUMN agent_id         TEXT REFERENCES agents (id),    -- of a run: who does it; NULL: the channel's agent
    ADD COLUMN channel_id       TEXT REFERENCES channels (id),  -- where it speaks
    ADD COLUMN user_id          TEXT REFERENCES users (id),     -- for whom
    ADD COLUMN context_id       TEXT REFERENCES contexts (id),  -- of a run: the conversation
    ADD COLUMN content          TEXT NOT NULL DEFAULT '',       -- of a run: what is asked; of a reminder: what is said
    ADD COLUMN webhook          BOOLEAN NOT NULL DEFAULT FALSE, -- a signed request fires it
    ADD COLUMN enabled          BOOLEAN NOT NULL DEFAULT TRUE,
    ADD COLUMN created_by       TEXT,                           -- who made it, in words
    ADD COLUMN idempotency_key  TEXT UNIQUE,                    -- of the call that made it
    ADD COLUMN updated_at       BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN last_fired_at    BIGINT,
    ADD COLUMN last_error       TEXT,
    ALTER COLUMN run_id DROP NOT NULL,                          -- of a wake: the run that sleeps
    ALTER COLUMN cron DROP NOT NULL,
    ALTER COLUMN next_at DROP NOT NULL;                         -- NULL: it is off, has ended, or waits for its webhook
UPDATE triggers SET updated_at = created_at;
ALTER TABLE triggers
    ALTER COLUMN kind DROP DEFAULT,
    ALTER COLUMN content DROP DEFAULT,
    ALTER COLUMN webhook DROP DEFAULT,
    ALTER COLUMN enabled DROP DEFAULT,
    ALTER COLUMN updated_at DROP DEFAULT;

ALTER TABLE trigger_firings
    DROP CONSTRAINT trigger_firings_trigger_id_fkey,
    ADD FOREIGN KEY (trigger_id) REFERENCES triggers (id) ON DELETE CASCADE;

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

-- Rules about tool calls, what counts against them, and what has read words from outside.

-- A rule goes with the person, space or conversation that it is about.
CREATE TABLE policies (
    id          TEXT PRIMARY KEY,
    rule        TEXT NOT NULL,              -- JSON, without the three below
    user_id     TEXT REFERENCES users (id) ON DELETE CASCADE,
    space_id    TEXT REFERENCES spaces (id) ON DELETE CASCADE,
    context_id  TEXT REFERENCES contexts (id) ON DELETE CASCADE,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL
);
CREATE INDEX policies_by_user ON policies (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX policies_by_context ON policies (context_id) WHERE context_id IS NOT NULL;

-- One row a call that counts against a limit; whose it is, its run says.
CREATE TABLE policy_uses (
    policy      TEXT NOT NULL,              -- the rule's id, or where it stands
    run_id      TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    call        TEXT NOT NULL,              -- the call's idempotency key
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (policy, run_id, call)
);
CREATE INDEX policy_uses_by_time ON policy_uses (policy, created_at);
CREATE INDEX policy_uses_by_run ON policy_uses (run_id);

-- It has read words from outside.
ALTER TABLE runs ADD COLUMN tainted BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX runs_tainted ON runs (context_id) WHERE tainted;
CREATE INDEX runs_asking ON runs (user_id, id) WHERE wake_reason = 'tool_confirm';

-- Usage of calls that belong to no run, whose role a model had and in which channel; budgets.

CREATE TABLE usage_new (
    id                  TEXT PRIMARY KEY,
    run_id              TEXT REFERENCES runs (id),   -- NULL: a job's call
    seq                 BIGINT,                      -- the step that holds the reply
    user_id             TEXT REFERENCES users (id),
    space_id            TEXT REFERENCES spaces (id),
    channel_id          TEXT,                        -- it may be gone by now
    role                TEXT NOT NULL,               -- executor | planner | verifier | memory | vision
    provider            TEXT NOT NULL,
    model               TEXT NOT NULL,
    prompt_tokens       BIGINT NOT NULL,
    completion_tokens   BIGINT NOT NULL,
    cached_tokens       BIGINT NOT NULL,
    cache_write_tokens  BIGINT NOT NULL,
    estimated           BOOLEAN NOT NULL,
    cost                DOUBLE PRECISION NOT NULL,
    created_at          BIGINT NOT NULL,
    UNIQUE (run_id, seq)
);
INSERT INTO usage_new (id, run_id, seq, user_id, space_id, channel_id, role, provider, model, prompt_tokens,
                       completion_tokens, cached_tokens, cache_write_tokens, estimated, cost, created_at)
SELECT u.run_id || '-' || u.seq, u.run_id, u.seq, u.user_id, u.space_id, r.channel_id, 'executor', u.provider, u.model,
       u.prompt_tokens, u.completion_tokens, u.cached_tokens, 0, u.estimated, u.cost, u.created_at
FROM usage u JOIN runs r ON r.id = u.run_id;
DROP TABLE usage;
ALTER TABLE usage_new RENAME TO usage;
CREATE INDEX usage_by_time ON usage (created_at);
CREATE INDEX usage_by_user ON usage (user_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX usage_by_user_time ON usage (user_id, created_at);
CREATE INDEX usage_by_space ON usage (space_id, created_at);

-- What was spent of a budget: a sum of usage, kept because it is asked before each call. A missing row is summed anew.
CREATE TABLE budget_spending (
    subject  TEXT NOT NULL,                  -- a person's id, a space's id, or: bot
    period   TEXT NOT NULL,                  -- 2026-11-22 | 2026-11
    cost     DOUBLE PRECISION NOT NULL,
    tokens   BIGINT NOT NULL,
    PRIMARY KEY (subject, period)
);
-- What calls that are under way may cost at most; void with the lease of whose call it is.
CREATE TABLE budget_reservations (
    holder   TEXT NOT NULL,                  -- a run's id, or a job's
    epoch    BIGINT NOT NULL,                -- its claim
    subject  TEXT NOT NULL,
    cost     DOUBLE PRECISION NOT NULL,
    tokens   BIGINT NOT NULL,
    PRIMARY KEY (holder, subject)
);
CREATE INDEX budget_reservations_by_subject ON budget_reservations (subject);
-- Who was told that a budget is spent.
CREATE TABLE budget_notices (
    subject    TEXT NOT NULL,
    period     TEXT NOT NULL,
    recipient  TEXT NOT NULL,                -- a person's id, or: owner
    holder     TEXT NOT NULL,                -- whose end told them
    PRIMARY KEY (subject, period, recipient)
);

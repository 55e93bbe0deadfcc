-- Usage of calls that belong to no run, whose role a model had and in which channel; budgets.

ALTER TABLE usage DROP CONSTRAINT usage_pkey;
ALTER TABLE usage ADD COLUMN id TEXT;
ALTER TABLE usage ADD COLUMN channel_id TEXT;                                -- it may be gone by now
ALTER TABLE usage ADD COLUMN role TEXT NOT NULL DEFAULT 'executor';          -- executor | planner | verifier | memory | vision
ALTER TABLE usage ADD COLUMN cache_write_tokens BIGINT NOT NULL DEFAULT 0;
UPDATE usage SET id = run_id || '-' || seq, channel_id = (SELECT channel_id FROM runs r WHERE r.id = usage.run_id);
ALTER TABLE usage ADD PRIMARY KEY (id);
ALTER TABLE usage ALTER COLUMN run_id DROP NOT NULL;                         -- NULL: a job's call
ALTER TABLE usage ALTER COLUMN seq DROP NOT NULL;
ALTER TABLE usage ADD CONSTRAINT usage_run_id_seq UNIQUE (run_id, seq);
CREATE INDEX usage_by_time ON usage (created_at);
DROP INDEX usage_by_user;
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

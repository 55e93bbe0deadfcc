-- Agents that an owner makes, the versions of their prompts, and lists by when their rows changed.

-- config: it stands in bot.toml; owner: an owner made it, and starts leave it as it is.
ALTER TABLE agents ADD COLUMN source TEXT NOT NULL DEFAULT 'config';
-- A deleted agent stays for the runs that it did, and is listed no more; NULL: it is not deleted.
ALTER TABLE agents ADD COLUMN deleted_at BIGINT;

-- Append-only: the newest version of an agent is its prompt.
CREATE TABLE agent_prompts (
    agent_id    TEXT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    version     BIGINT NOT NULL,             -- from 1
    prompt      TEXT NOT NULL,
    source      TEXT NOT NULL,               -- config | owner
    restores    BIGINT,                      -- the version that it brought back
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (agent_id, version)
);

-- For live views and for lists by time.
CREATE INDEX runs_updated ON runs (updated_at);
CREATE INDEX messages_failed ON messages (id) WHERE direction = 'outbound' AND status = 'failed';
CREATE INDEX run_feedback_given ON run_feedback (given_at, run_id);

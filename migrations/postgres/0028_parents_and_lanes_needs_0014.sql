-- Threads know the channel that they belong to, and several runs work at once in a shared conversation.
--
-- A version that knows 14 works beside this one: its runs are all of lane 0, where one works at a time, as before.

-- The channel of a thread or topic; NULL: it is none, or nothing was said there since it is known.
ALTER TABLE channels ADD COLUMN parent_id TEXT REFERENCES channels (id) ON DELETE SET NULL;
CREATE INDEX channels_parent ON channels (parent_id) WHERE parent_id IS NOT NULL;

-- Where a run works beside others of its conversation: in each lane one at a time.
ALTER TABLE runs ADD COLUMN lane BIGINT NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX runs_one_per_lane ON runs (context_id, lane)
    WHERE kind = 'coordinator' AND status IN ('pending', 'running');
DROP INDEX runs_one_per_context;

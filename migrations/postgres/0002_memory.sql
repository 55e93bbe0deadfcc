-- Memory: what a conversation leaves behind, the jobs that write it, search, and linking accounts.

-- How a run answers: run (tools, steps) or chat (one model call).
ALTER TABLE runs ADD COLUMN mode TEXT NOT NULL DEFAULT 'run';

-- The account of a private channel's person: what goes along when that account is detached.
ALTER TABLE channels ADD COLUMN account TEXT;

-- What a compaction left: the summary that heads the conversation, whose words it tells (JSON: user ids), and the
-- last message that is told by it instead of being shown.
ALTER TABLE contexts ADD COLUMN summary TEXT;
ALTER TABLE contexts ADD COLUMN summary_of TEXT;
ALTER TABLE contexts ADD COLUMN compacted_through TEXT;
-- The last message that the memory writer has read.
ALTER TABLE contexts ADD COLUMN remembered_through TEXT;

-- Work that belongs to no run; claimed by lease, like runs.
CREATE TABLE jobs (
    id           TEXT PRIMARY KEY,
    kind         TEXT NOT NULL,             -- memory_write | erase
    mode         TEXT,                      -- of a memory write: close | compact
    context_id   TEXT REFERENCES contexts (id),
    user_id      TEXT REFERENCES users (id),
    through      TEXT,                      -- of a memory write: the last message that it reads
    status       TEXT NOT NULL,             -- pending | done | failed
    attempts     BIGINT NOT NULL,
    due_at       BIGINT NOT NULL,
    lease_owner  TEXT,
    lease_until  BIGINT,
    epoch        BIGINT NOT NULL,
    result       TEXT,                      -- JSON: what was applied, and what was skipped and why
    error        TEXT,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    ended_at     BIGINT,
    purged_at    BIGINT                     -- of a compaction: when its messages were deleted
);
-- A conversation is compacted once at a time.
CREATE UNIQUE INDEX jobs_one_compaction ON jobs (context_id) WHERE mode = 'compact' AND status = 'pending';
CREATE INDEX jobs_claimable ON jobs (due_at) WHERE status = 'pending';
CREATE INDEX jobs_by_context ON jobs (context_id, id);
CREATE INDEX jobs_by_user ON jobs (user_id, id);
CREATE INDEX jobs_kept ON jobs (ended_at) WHERE mode = 'compact' AND purged_at IS NULL;
-- A message goes with its files.
CREATE INDEX files_by_message ON files (message_id);

-- Codes by which two accounts become one person's; stored as their SHA-256.
CREATE TABLE link_codes (
    code_hash         TEXT PRIMARY KEY,
    user_id           TEXT NOT NULL REFERENCES users (id),
    platform          TEXT NOT NULL,        -- the account that asked for it
    platform_user_id  TEXT NOT NULL,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL
);
CREATE INDEX link_codes_by_user ON link_codes (user_id);
CREATE TABLE link_attempts (
    platform          TEXT NOT NULL,
    platform_user_id  TEXT NOT NULL,
    attempted_at      BIGINT NOT NULL
);
CREATE INDEX link_attempts_by_account ON link_attempts (platform, platform_user_id, attempted_at);

-- For listing and deleting what is one person's.
CREATE INDEX contexts_by_user ON contexts (user_id, last_user_interaction_at);
CREATE INDEX channels_by_user ON channels (user_id);
CREATE INDEX runs_by_user ON runs (user_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX usage_by_user ON usage (user_id, run_id, seq) WHERE user_id IS NOT NULL;
-- What a person said; what was answered is found by their runs.
CREATE INDEX messages_by_user ON messages (user_id, id) WHERE direction = 'inbound';
CREATE INDEX channels_by_active_context ON channels (active_context_id) WHERE active_context_id IS NOT NULL;
CREATE INDEX memory_items_by_context ON memory_items (context_id);
CREATE INDEX memory_items_by_space ON memory_items (origin_space) WHERE origin_space IS NOT NULL;

-- Full-text search over messages. `search_id` is the message's number in the index; NULL: it is not in it yet.
-- Commands and their answers belong to no conversation, and are not searched.
ALTER TABLE messages ADD COLUMN search_id BIGINT;
CREATE UNIQUE INDEX messages_by_search_id ON messages (search_id) WHERE search_id IS NOT NULL;
CREATE INDEX messages_unindexed ON messages (channel_id, id) WHERE search_id IS NULL AND context_id IS NOT NULL;
CREATE SEQUENCE message_search_ids;
-- `terms`: where the message was said (@ and the channel's id), then its terms, as search/terms.rs makes them.
CREATE TABLE message_search (
    id     BIGINT PRIMARY KEY,
    terms  TSVECTOR NOT NULL
);
-- What waits to be sorted in is looked through by every search: keep it short (kB).
CREATE INDEX message_search_terms ON message_search USING gin (terms) WITH (gin_pending_list_limit = 256);
-- What is deleted leaves the index; what is changed is indexed anew.
CREATE FUNCTION messages_leave_search() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM message_search WHERE id = old.search_id;
    IF TG_OP = 'UPDATE' THEN
        new.search_id := NULL;
        RETURN new;
    END IF;
    RETURN old;
END
$$;
CREATE TRIGGER messages_deleted BEFORE DELETE ON messages FOR EACH ROW
    WHEN (old.search_id IS NOT NULL) EXECUTE FUNCTION messages_leave_search();
CREATE TRIGGER messages_edited BEFORE UPDATE OF content ON messages FOR EACH ROW
    WHEN (old.search_id IS NOT NULL AND new.content <> old.content) EXECUTE FUNCTION messages_leave_search();

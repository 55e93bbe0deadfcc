-- The roles that platforms give to people, settings with the person who changed them, and limits that hold over several
-- processes.

-- The roles that a run's person had where they asked: JSON, a list of ids and names; NULL: not known.
ALTER TABLE runs ADD COLUMN platform_roles TEXT;
-- The roles that a rule is about: JSON, a list of ids or names; NULL: it is about everybody.
ALTER TABLE policies ADD COLUMN platform_roles TEXT;
-- The model that answers in a conversation, where its person chose one.
ALTER TABLE contexts ADD COLUMN model TEXT;

-- Changes of settings that people made in a chat.
CREATE TABLE setting_changes (
    id          TEXT PRIMARY KEY,
    scope       TEXT NOT NULL,               -- as in settings
    name        TEXT NOT NULL,
    old_value   TEXT,                        -- NULL: it was not set
    new_value   TEXT,                        -- NULL: it is not set any more
    user_id     TEXT REFERENCES users (id) ON DELETE SET NULL,
    changed_at  BIGINT NOT NULL,
    undone_at   BIGINT                       -- when it was taken back
);
CREATE INDEX setting_changes_scope ON setting_changes (scope, id);
CREATE INDEX setting_changes_user ON setting_changes (user_id) WHERE user_id IS NOT NULL;

-- Token buckets of those who write.
CREATE TABLE rate_buckets (
    subject     TEXT NOT NULL,               -- a person's id, a space's or channel's
    name        TEXT NOT NULL,               -- which limit
    tokens      DOUBLE PRECISION NOT NULL,   -- how many messages were left
    filled_at   BIGINT NOT NULL,             -- when so many were left
    refused     BIGINT NOT NULL DEFAULT 0,   -- how many messages in a row were too many
    PRIMARY KEY (subject, name)
);
CREATE INDEX rate_buckets_filled ON rate_buckets (filled_at);

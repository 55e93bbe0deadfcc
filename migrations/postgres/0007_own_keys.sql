-- People's own keys for model providers, calls that were made by one, and who had a document indexed.

CREATE TABLE user_secrets (
    id          TEXT PRIMARY KEY,            -- it is sealed under this name
    user_id     TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    provider    TEXT NOT NULL,               -- the provider's name in the configuration
    sealed      TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    UNIQUE (user_id, provider)
);

-- What such a call cost is its person's, and no budget's.
ALTER TABLE usage ADD COLUMN own_key BOOLEAN NOT NULL DEFAULT FALSE;

-- Who had it indexed, also where it is a place's. Not a reference: what an earlier version erases is gone all the same.
ALTER TABLE documents ADD COLUMN made_by TEXT;
CREATE INDEX documents_by_maker ON documents (made_by);
UPDATE documents SET made_by = user_id WHERE user_id IS NOT NULL;

-- The due time that somebody was up for, and that waits for its conversation.
ALTER TABLE triggers ADD COLUMN waiting_at BIGINT;

-- Files: where they belong, who made them, and what is stored of them; documents, cut into pieces that can be found.

ALTER TABLE files ADD COLUMN channel_id TEXT REFERENCES channels (id);
-- The root of the run that made it; not a reference, since a file outlives its run.
ALTER TABLE files ADD COLUMN root_run_id TEXT;
ALTER TABLE files ADD COLUMN sha256 TEXT;
ALTER TABLE files ADD COLUMN idempotency_key TEXT;

CREATE UNIQUE INDEX files_by_key ON files (idempotency_key);
CREATE INDEX files_by_user ON files (user_id, id);
CREATE INDEX files_by_channel ON files (channel_id, id);

-- What is stored, or about to be, and named by no file: deleted once that is sure.
CREATE TABLE loose_files (
    location    TEXT PRIMARY KEY,
    since       BIGINT NOT NULL
);

CREATE TRIGGER files_left AFTER DELETE ON files
WHEN old.sha256 IS NOT NULL
BEGIN
    INSERT INTO loose_files (location, since) VALUES (old.location, 0) ON CONFLICT (location) DO NOTHING;
END;

-- Documents that can be searched, of a person or of a shared channel, cut into pieces.
CREATE TABLE documents (
    id               TEXT PRIMARY KEY,
    user_id          TEXT REFERENCES users (id),
    channel_id       TEXT REFERENCES channels (id),
    file_id          TEXT,                  -- not a reference: a document outlives the file that it was made of
    title            TEXT NOT NULL,
    idempotency_key  TEXT,
    created_at       BIGINT NOT NULL
);
CREATE UNIQUE INDEX documents_by_key ON documents (idempotency_key);
CREATE INDEX documents_by_user ON documents (user_id);
CREATE INDEX documents_by_channel ON documents (channel_id);

CREATE TABLE document_chunks (
    id           INTEGER PRIMARY KEY,
    document_id  TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    seq          BIGINT NOT NULL,
    content      TEXT NOT NULL,
    model        TEXT,                      -- the model of its embedding
    embedding    TEXT                       -- 32-bit floats, little-endian, base64
);
CREATE UNIQUE INDEX document_chunks_by_seq ON document_chunks (document_id, seq);

-- `terms`: whose it is and where (@ and the ids), then its terms, as search/terms.rs makes them.
CREATE VIRTUAL TABLE chunk_search USING fts5 (
    terms, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '@'"
);
CREATE TRIGGER chunks_deleted AFTER DELETE ON document_chunks BEGIN
    DELETE FROM chunk_search WHERE rowid = old.id;
END;

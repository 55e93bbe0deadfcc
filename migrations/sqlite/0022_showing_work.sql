-- Messages that stand only while a run is at work, and how people liked answers.

CREATE TABLE status_messages (
    run_id              TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    channel_id          TEXT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
    platform            TEXT NOT NULL,
    address             TEXT NOT NULL,               -- JSON
    platform_message_id TEXT,                        -- NULL: it is about to be sent, or nobody knows it
    delivery_key        TEXT NOT NULL,
    becomes             TEXT,                        -- the key of the part that it becomes; NULL: it goes away
    worker              TEXT NOT NULL,               -- the process that shows it
    shown_at            BIGINT NOT NULL
);

CREATE TABLE run_feedback (
    run_id   TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    user_id  TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    verdict  TEXT NOT NULL,                          -- liked, disliked
    given_by TEXT NOT NULL,                          -- reaction, button
    given_at BIGINT NOT NULL,
    PRIMARY KEY (run_id, user_id)
);
CREATE INDEX run_feedback_user ON run_feedback (user_id);

-- What an API caller sent with its own key, as a SHA-256: the same key with another content is no repeat.
ALTER TABLE messages ADD COLUMN request_hash TEXT;
-- Questions and answers to commands, which belong to no conversation.
CREATE INDEX messages_aside ON messages (channel_id, id) WHERE direction = 'outbound' AND context_id IS NULL;

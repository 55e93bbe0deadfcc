-- Messages that change one that was sent before, such as a question that is settled.

-- The outbound message that is changed; NULL: it is a message of its own.
ALTER TABLE messages ADD COLUMN edits TEXT;
CREATE INDEX messages_edits ON messages (edits) WHERE edits IS NOT NULL;

-- Messages that came long after they were said, as after an outage: everything else is found by when it was stored.
CREATE INDEX messages_stored_late ON messages (channel_id, sent_at) WHERE sent_at < created_at - 86400000;

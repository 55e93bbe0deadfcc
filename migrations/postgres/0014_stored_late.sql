-- Messages that came more than a day after they were said, as after an outage, or were stored while the clock had been put
-- back by more than that, so that their ids tell of a later time: everything else that was said at a time is found by ids.
-- An id begins with eight digits of its time, of 65 s each.

CREATE INDEX messages_stored_late ON messages (channel_id, (CASE WHEN sent_at < created_at THEN sent_at ELSE created_at END))
    WHERE (sent_at < created_at - 86400000 OR SUBSTR(id, 1, 8) > LPAD(TO_HEX((created_at + 86400000) / 65536), 8, '0'));

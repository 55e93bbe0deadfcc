UPDATE messages SET lease_owner = $1, lease_until = $2,
    deaths = deaths + CASE WHEN lease_until > 0 THEN 1 ELSE 0 END,
    isolation = CASE WHEN lease_until > 0
        THEN CASE isolation WHEN 'working' THEN 'died' WHEN 'working_again' THEN 'died_again' WHEN 'died_again' THEN 'died_again'
            WHEN 'waiting' THEN 'waited' WHEN 'waited' THEN 'waited' END
        ELSE CASE WHEN isolation IN ('died', 'died_again', 'waited') THEN isolation END END
WHERE id IN (
    SELECT id FROM messages
    WHERE direction = 'outbound' AND status IN ('pending', 'sending')
      AND (lease_until IS NULL OR (lease_until < $3 AND lease_owner <> $1))
      AND EXISTS (SELECT 1 FROM channels c WHERE c.id = messages.channel_id AND $5 LIKE '%,' || c.platform || ',%')
    ORDER BY id LIMIT $4
    FOR UPDATE SKIP LOCKED)
RETURNING id, channel_id, (SELECT platform FROM channels c WHERE c.id = messages.channel_id) AS platform, run_id, address, attempts, deaths, isolation, late_since

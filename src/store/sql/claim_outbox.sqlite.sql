UPDATE messages SET lease_owner = $1, lease_until = $2
WHERE id IN (
    SELECT id FROM messages
    WHERE direction = 'outbound' AND status IN ('pending', 'sending')
      AND (lease_until IS NULL OR (lease_until < $3 AND lease_owner <> $1))
      AND EXISTS (SELECT 1 FROM channels c WHERE c.id = messages.channel_id AND $5 LIKE '%,' || c.platform || ',%')
    ORDER BY id LIMIT $4)
RETURNING id, channel_id, (SELECT platform FROM channels c WHERE c.id = messages.channel_id) AS platform, run_id, address, attempts, late_since

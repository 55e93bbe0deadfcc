UPDATE runs SET status = 'running', lease_owner = $1, lease_until = $2, epoch = epoch + 1, updated_at = $3
WHERE id IN (
    SELECT id FROM runs
    WHERE status = 'pending' AND (lease_until IS NULL OR lease_until < $3) AND (wake_at IS NULL OR wake_at <= $3)
      AND (channel_id IS NULL OR EXISTS (
          SELECT 1 FROM channels c WHERE c.id = runs.channel_id AND $5 LIKE '%,' || c.platform || ',%'))
    ORDER BY id LIMIT $4
    FOR UPDATE SKIP LOCKED)
RETURNING id, epoch

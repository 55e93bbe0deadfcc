UPDATE runs SET status = 'running', lease_owner = $1, lease_until = $2, epoch = epoch + 1, updated_at = $3,
    deaths = deaths + CASE WHEN lease_until > 0 AND wake_at IS NULL THEN 1 ELSE 0 END,
    isolation = CASE WHEN lease_until > 0
        THEN CASE isolation WHEN 'working' THEN 'died' WHEN 'working_again' THEN 'died_again' WHEN 'died_again' THEN 'died_again'
            WHEN 'waiting' THEN 'waited' WHEN 'waited' THEN 'waited' END
        ELSE CASE WHEN isolation IN ('died', 'died_again', 'waited') THEN isolation END END
WHERE id IN (
    SELECT id FROM runs
    WHERE status = 'pending' AND (lease_until IS NULL OR lease_until < $7 AND (lease_owner <> $1 OR lease_until = 0)) AND (wake_at IS NULL OR wake_at <= $3)
      AND (channel_id IS NULL OR EXISTS (
          SELECT 1 FROM channels c WHERE c.id = runs.channel_id AND $5 LIKE '%,' || c.platform || ',%'))
      AND (kind = 'coordinator' OR id IN (
          SELECT id FROM (
              SELECT p.id, ROW_NUMBER() OVER (PARTITION BY p.root_run_id ORDER BY p.id) AS place,
                     (SELECT COUNT(*) FROM runs w
                      WHERE w.root_run_id = p.root_run_id AND w.parent_run_id IS NOT NULL AND w.status = 'running') AS at_work
              FROM runs p
              WHERE p.status = 'pending' AND p.parent_run_id IS NOT NULL
                AND (p.lease_until IS NULL OR p.lease_until < $7 AND (p.lease_owner <> $1 OR p.lease_until = 0)) AND (p.wake_at IS NULL OR p.wake_at <= $3)) line
          WHERE place + at_work <= $6))
    ORDER BY id LIMIT $4
    FOR UPDATE SKIP LOCKED)
RETURNING id, epoch, deaths, isolation, quarantined_at

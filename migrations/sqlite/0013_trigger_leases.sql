-- Which process is about to fire a trigger, and until when that is its own: one that is left was held by a process that died.

ALTER TABLE triggers ADD COLUMN lease_owner TEXT;
ALTER TABLE triggers ADD COLUMN lease_until BIGINT;

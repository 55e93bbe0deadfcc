-- Memory items that were made of their person's words alone.

-- The time of the write that nobody else's words had a part in: such an item is its person's own as long as it was last
-- seen then. 0: others had a part in it. NULL, or another time: not known, as of items that older versions wrote; their
-- conversation tells, by its runs that have read words from outside.
ALTER TABLE memory_items ADD COLUMN own_at BIGINT;

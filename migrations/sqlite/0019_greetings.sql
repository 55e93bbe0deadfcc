-- What a bot says once where it was added.

-- When it introduced itself in the space; NULL: not since it came, or it came before this was kept.
ALTER TABLE spaces ADD COLUMN greeted_at BIGINT;

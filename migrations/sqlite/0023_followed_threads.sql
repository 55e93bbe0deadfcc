-- Threads in which a bot hears everything.

-- When somebody first addressed the bot in a thread, or the bot opened it; NULL: not since the last /close.
ALTER TABLE channels ADD COLUMN followed_at BIGINT;

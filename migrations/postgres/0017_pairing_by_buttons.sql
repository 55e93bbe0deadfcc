-- Requests to be let in, decided in the chat of an owner.

-- When the owners were last told of this account's request.
ALTER TABLE pairings ADD COLUMN noticed_at BIGINT;
-- The messages that told them, a JSON list of ids.
ALTER TABLE pairings ADD COLUMN notices TEXT;
-- Since when the account is not heard; NULL: it is.
ALTER TABLE pairings ADD COLUMN blocked_at BIGINT;

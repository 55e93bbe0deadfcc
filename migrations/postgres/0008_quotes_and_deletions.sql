-- What a message answers, as it was when that was written, and whose words those are; when a message was deleted on its
-- platform.
ALTER TABLE messages ADD COLUMN quote TEXT;
ALTER TABLE messages ADD COLUMN quoted_user_id TEXT;
ALTER TABLE messages ADD COLUMN deleted_at BIGINT;
-- What somebody answers is looked up by the platform's id of it.
CREATE INDEX message_parts_by_platform_id ON message_parts (platform_message_id) WHERE platform_message_id IS NOT NULL;

INSERT INTO users (id, name, role, created_at, updated_at) VALUES
    ('01a00000-0000-7000-8000-0000000000a1', 'ann', 'member', 1, 1),
    ('01a00000-0000-7000-8000-0000000000b1', 'bob', 'member', 1, 1),
    ('01a00000-0000-7000-8000-0000000000c1', 'cleo', 'stranger', 1, 1),
    ('01a00000-0000-7000-8000-0000000000d1', 'dan', 'stranger', 1, 1),
    ('01a00000-0000-7000-8000-0000000000e1', 'eve', 'stranger', 1, 1);
INSERT INTO identities (platform, platform_user_id, user_id, name, created_at) VALUES
    ('telegram', '5', '01a00000-0000-7000-8000-0000000000a1', 'ann', 1),
    ('telegram', '6', '01a00000-0000-7000-8000-0000000000b1', 'bob', 1),
    ('telegram', '7', '01a00000-0000-7000-8000-0000000000c1', 'cleo', 1),
    ('telegram', '8', '01a00000-0000-7000-8000-0000000000d1', 'dan', 1),
    ('telegram', '9', '01a00000-0000-7000-8000-0000000000e1', 'eve', 1);
INSERT INTO pairings (platform, platform_user_id, name, code_hash, created_at, expires_at)
    SELECT platform, platform_user_id, name, name, 1, 4102444800000 FROM identities WHERE platform_user_id IN ('7', '8', '9');
INSERT INTO user_secrets (id, user_id, provider, sealed, created_at) SELECT '01a10000-0000-7000-8000-000000000000', id, 'main', '', 1 FROM users WHERE name = 'you';
INSERT INTO spaces (id, platform, external_id, name, created_at)
    VALUES ('01900000-0000-7000-8000-000000000000', 'telegram', '-5', 'Friends', 1);
INSERT INTO channels (id, platform, external_id, kind, name, space_id, enabled, mode, config, created_at, updated_at)
    VALUES ('01910000-0000-7000-8000-000000000000', 'telegram', '-5', 'group', 'Friends', '01900000-0000-7000-8000-000000000000',
        TRUE, 'run', '{}', 1, 1);
INSERT INTO messages (id, direction, channel_id, content, status, address, error, attempts, sent_at, created_at, quarantined_at) VALUES
    ('01920000-0000-7000-8000-000000000000', 'outbound', '01910000-0000-7000-8000-000000000000', 'Hello', 'failed',
        '{"place":"-5","private":false,"reply_to":null,"via":null}', 'gone', 1, 1, 1, NULL),
    ('01930000-0000-7000-8000-000000000000', 'outbound', '01910000-0000-7000-8000-000000000000', 'Hello', 'pending',
        '{"place":"-5","private":false,"reply_to":null,"via":null}', 'gone', 1, 1, 1, 1);
INSERT INTO message_parts (message_id, seq, delivery_key, body, status)
    SELECT id, 0, id, '{"type":"text","text":"Hello","plain":"Hello"}', 'failed' FROM messages WHERE error = 'gone';
INSERT INTO triggers (id, kind, user_id, content, webhook, cron, time_zone, catch_up, enabled, next_at, created_at, updated_at, quarantined_at)
    SELECT '01940000-0000-7000-8000-000000000000', 'run', id, 'news', FALSE, '0 8 * * *', 'UTC', 'once', TRUE, 4102444800000, 1, 1, 1
    FROM users WHERE name = 'you';

-- Two people in a group and in private, of whom one is erased: what is hers begins with q, what is his with b.
INSERT INTO agents (id, name, prompt, mode, enabled, is_default, created_at, updated_at)
    VALUES ('00000000-0000-7000-8000-00000000000a', 'clifford', 'You are Clifford.', 'run', TRUE, TRUE, 1, 1);
INSERT INTO users (id, name, role, language, time_zone, created_at, updated_at) VALUES ('00000000-0000-7000-8000-0000000000aa', 'Qadanym', 'owner', 'en', NULL, 1000, 1000);
INSERT INTO users (id, name, role, language, time_zone, created_at, updated_at) VALUES ('00000000-0000-7000-8000-0000000000bb', 'Bobnym', 'member', 'en', NULL, 1000, 1000);
INSERT INTO identities VALUES ('telegram', '987654321', '00000000-0000-7000-8000-0000000000aa', 'Qadanym Qsurnym', 'qadahandle', 1000);
INSERT INTO identities VALUES ('telegram', '8', '00000000-0000-7000-8000-0000000000bb', 'Bobnym', 'bobhandle', 1000);
INSERT INTO pairings (platform, platform_user_id, name, code_hash, created_at, expires_at) VALUES ('telegram', '987654321', 'Qadanym', 'qhash', 1, 2);
INSERT INTO spaces (id, platform, external_id, name, left_at, created_at) VALUES ('00000000-0000-7000-8000-000000000005', 'telegram', '-5', 'A group', NULL, 500);
INSERT INTO channels (id, platform, external_id, kind, name, space_id, user_id, enabled, disabled_reason, agent_id, mode, active_context_id, config, last_message_at, created_at, updated_at, account, followed_at) VALUES ('00000000-0000-7000-8000-0000000000c1', 'telegram', '987654321', 'private', 'Qadanym', NULL, '00000000-0000-7000-8000-0000000000aa', TRUE, NULL, NULL, 'run', NULL, '{}', 9, 9, 9, '987654321', NULL);
INSERT INTO channels (id, platform, external_id, kind, name, space_id, user_id, enabled, disabled_reason, agent_id, mode, active_context_id, config, last_message_at, created_at, updated_at, account, followed_at) VALUES ('00000000-0000-7000-8000-0000000000c2', 'telegram', '8', 'private', 'Bobnym', NULL, '00000000-0000-7000-8000-0000000000bb', TRUE, NULL, NULL, 'run', NULL, '{}', 9, 9, 9, '8', NULL);
INSERT INTO channels (id, platform, external_id, kind, name, space_id, user_id, enabled, disabled_reason, agent_id, mode, active_context_id, config, last_message_at, created_at, updated_at, account, followed_at) VALUES ('00000000-0000-7000-8000-0000000000c3', 'telegram', '-5', 'group', 'A group', '00000000-0000-7000-8000-000000000005', NULL, TRUE, NULL, NULL, 'run', '00000000-0000-7000-8000-0000000000d3', '{}', 9, 9, 9, NULL, NULL);
INSERT INTO contexts (id, channel_id, user_id, space_id, name, turn_count, last_user_interaction_at, created_at, summary, summary_of) VALUES
    ('00000000-0000-7000-8000-0000000000d1', '00000000-0000-7000-8000-0000000000c1', '00000000-0000-7000-8000-0000000000aa', NULL, 'qprivname', 1, 2000, 2000, 'qsummary', NULL),
    ('00000000-0000-7000-8000-0000000000d2', '00000000-0000-7000-8000-0000000000c2', '00000000-0000-7000-8000-0000000000bb', NULL, 'bprivname', 1, 2000, 2000, 'He was told of QGUILDWORT.', '["00000000-0000-7000-8000-0000000000bb"]'),
    ('00000000-0000-7000-8000-0000000000d3', '00000000-0000-7000-8000-0000000000c3', NULL, '00000000-0000-7000-8000-000000000005', '[Qadanym] my qguildwort is what we go by so far…', 1, 2000, 2000, 'Both spoke of a thing.', '["00000000-0000-7000-8000-0000000000aa","00000000-0000-7000-8000-0000000000bb"]');
INSERT INTO runs (id, agent_id, channel_id, user_id, context_id, root_run_id, parent_run_id, kind, level, input_text, output_text, status, epoch, lease_owner, llm_calls, prompt_tokens, completion_tokens, cached_tokens, cost, worked_ms, created_at, updated_at) VALUES
    ('00000000-0000-7000-8000-0000000000e1', '00000000-0000-7000-8000-00000000000a', '00000000-0000-7000-8000-0000000000c1', '00000000-0000-7000-8000-0000000000aa', '00000000-0000-7000-8000-0000000000d1', '00000000-0000-7000-8000-0000000000e1', NULL, 'coordinator', 0, 'my qprivwort', 'qoutput', 'completed', 1, NULL, 1, 1, 1, 0, 0, 0, 2000, 2000),
    ('00000000-0000-7000-8000-0000000000e2', '00000000-0000-7000-8000-00000000000a', '00000000-0000-7000-8000-0000000000c1', '00000000-0000-7000-8000-0000000000aa', '00000000-0000-7000-8000-0000000000d1', '00000000-0000-7000-8000-0000000000e1', '00000000-0000-7000-8000-0000000000e1', 'subagent', 1, 'qtask', 'qresult', 'completed', 1, NULL, 1, 1, 1, 0, 0, 0, 2000, 2000),
    ('00000000-0000-7000-8000-0000000000e3', '00000000-0000-7000-8000-00000000000a', '00000000-0000-7000-8000-0000000000c3', '00000000-0000-7000-8000-0000000000aa', '00000000-0000-7000-8000-0000000000d3', '00000000-0000-7000-8000-0000000000e3', NULL, 'coordinator', 0, '[Bobnym] bjoint too
[Qadanym] my qguildwort is what we go by so far, is it not', 'done', 'completed', 1, NULL, 1, 1, 1, 0, 0, 0, 2000, 2000),
    ('00000000-0000-7000-8000-0000000000e4', '00000000-0000-7000-8000-00000000000a', '00000000-0000-7000-8000-0000000000c3', '00000000-0000-7000-8000-0000000000bb', '00000000-0000-7000-8000-0000000000d3', '00000000-0000-7000-8000-0000000000e4', NULL, 'coordinator', 0, '[Qadanym] so be it
[Bobnym] bkeepwort asks', 'Qadanym said qguildwort', 'completed', 1, NULL, 1, 1, 1, 0, 0, 0, 2000, 2000),
    ('00000000-0000-7000-8000-0000000000e5', '00000000-0000-7000-8000-00000000000a', '00000000-0000-7000-8000-0000000000c3', '00000000-0000-7000-8000-0000000000bb', '00000000-0000-7000-8000-0000000000d3', '00000000-0000-7000-8000-0000000000e5', NULL, 'coordinator', 0, '[Bobnym] bkeepwort waits', NULL, 'running', 3, '00000000-0000-7000-8000-0000000000ff', 1, 1, 1, 0, 0, 0, 2000, 2000);
INSERT INTO messages (id, direction, channel_id, context_id, user_id, run_id, content, attachments, status, attempts, sent_at, created_at) VALUES
    ('00000000-0000-7000-8000-000000000101', 'inbound', '00000000-0000-7000-8000-0000000000c1', '00000000-0000-7000-8000-0000000000d1', '00000000-0000-7000-8000-0000000000aa', '00000000-0000-7000-8000-0000000000e1', 'my qprivwort', '[{"kind":"photo","name":"qfilewort.jpg"}]', 'received', 0, 2000, 2000),
    ('00000000-0000-7000-8000-000000000102', 'outbound', '00000000-0000-7000-8000-0000000000c1', '00000000-0000-7000-8000-0000000000d1', '00000000-0000-7000-8000-0000000000aa', '00000000-0000-7000-8000-0000000000e1', 'qanswer', NULL, 'delivered', 0, 2000, 2000),
    ('00000000-0000-7000-8000-000000000103', 'inbound', '00000000-0000-7000-8000-0000000000c3', '00000000-0000-7000-8000-0000000000d3', '00000000-0000-7000-8000-0000000000bb', '00000000-0000-7000-8000-0000000000e3', '[Bobnym] bjoint too', NULL, 'received', 0, 2000, 2000),
    ('00000000-0000-7000-8000-000000000104', 'inbound', '00000000-0000-7000-8000-0000000000c3', '00000000-0000-7000-8000-0000000000d3', '00000000-0000-7000-8000-0000000000aa', '00000000-0000-7000-8000-0000000000e3', '[Qadanym] my qguildwort is what we go by so far, is it not', NULL, 'received', 0, 2000, 2000),
    ('00000000-0000-7000-8000-000000000105', 'outbound', '00000000-0000-7000-8000-0000000000c3', '00000000-0000-7000-8000-0000000000d3', '00000000-0000-7000-8000-0000000000aa', '00000000-0000-7000-8000-0000000000e3', 'qguildanswer', NULL, 'delivered', 0, 2000, 2000),
    ('00000000-0000-7000-8000-000000000106', 'inbound', '00000000-0000-7000-8000-0000000000c3', '00000000-0000-7000-8000-0000000000d3', '00000000-0000-7000-8000-0000000000aa', '00000000-0000-7000-8000-0000000000e4', '[Qadanym] so be it', NULL, 'received', 0, 2000, 2000),
    ('00000000-0000-7000-8000-000000000107', 'inbound', '00000000-0000-7000-8000-0000000000c3', '00000000-0000-7000-8000-0000000000d3', '00000000-0000-7000-8000-0000000000bb', '00000000-0000-7000-8000-0000000000e4', '[Bobnym] bkeepwort asks', NULL, 'received', 0, 2000, 2000),
    ('00000000-0000-7000-8000-000000000108', 'outbound', '00000000-0000-7000-8000-0000000000c3', '00000000-0000-7000-8000-0000000000d3', '00000000-0000-7000-8000-0000000000bb', '00000000-0000-7000-8000-0000000000e4', 'Bobnym, Qadanym (@QADAHANDLE) said: "so be it"; her QGuildWort bkeepwort.', NULL, 'delivered', 0, 2000, 2000),
    ('00000000-0000-7000-8000-000000000109', 'outbound', '00000000-0000-7000-8000-0000000000c2', '00000000-0000-7000-8000-0000000000d2', '00000000-0000-7000-8000-0000000000bb', NULL, 'In the group, somebody likes qitemwort; you like bitemwort.', NULL, 'delivered', 0, 2000, 2000),
    ('00000000-0000-7000-8000-00000000010a', 'inbound', '00000000-0000-7000-8000-0000000000c2', '00000000-0000-7000-8000-0000000000d2', '00000000-0000-7000-8000-0000000000bb', NULL, 'bprivwort in private', NULL, 'history', 0, 2000, 2000);
UPDATE messages SET quote = '{"by":{"other":"Qadanym"},"text":"the qquotewort of it","media":[]}',
    quoted_user_id = '00000000-0000-7000-8000-0000000000aa' WHERE id = '00000000-0000-7000-8000-000000000107';
INSERT INTO message_parts (message_id, seq, delivery_key, body, status) VALUES
    ('00000000-0000-7000-8000-000000000102', 0, 'k1', '{"type":"text","text":"qanswer","plain":"qanswer"}', 'delivered'),
    ('00000000-0000-7000-8000-000000000108', 0, 'k2', '{"type":"text","text":"said:\nqguildwort <b>Qsurnym</b>","plain":"qguildwort bkeepwort"}', 'delivered');
INSERT INTO run_steps (run_id, seq, type, args_json, result_json, created_at) VALUES
    ('00000000-0000-7000-8000-0000000000e1', 1, 'note', '{"category":"plan","content":"qnote"}', NULL, 2000),
    ('00000000-0000-7000-8000-0000000000e4', 1, 'message', NULL, '{"event":"llm_request","messages":2,"estimated_tokens":9,"prompt_hash":"x","prompt":[{"role":"user","content":"{\"conversation\":[{\"role\":\"user\",\"content\":\"[Qadanym] my qguildwort\\nqitemwort\"}]}"}]}', 2000),
    ('00000000-0000-7000-8000-0000000000e4', 2, 'assistant_message', '{"message":"QGUILDWORT for Bobnym"}', NULL, 2000);
INSERT INTO usage (run_id, seq, user_id, space_id, provider, model, prompt_tokens, completion_tokens, cached_tokens, estimated, cost, created_at, id, role, cache_write_tokens) VALUES ('00000000-0000-7000-8000-0000000000e1', 1, '00000000-0000-7000-8000-0000000000aa', NULL, 'fake', 'fake-1', 1, 1, 0, FALSE, 0, 2000, '00000000-0000-7000-8000-000000000b01', 'executor', 0);
INSERT INTO usage (run_id, seq, user_id, space_id, provider, model, prompt_tokens, completion_tokens, cached_tokens, estimated, cost, created_at, id, role, cache_write_tokens) VALUES ('00000000-0000-7000-8000-0000000000e4', 1, '00000000-0000-7000-8000-0000000000bb', '00000000-0000-7000-8000-000000000005', 'fake', 'fake-1', 1, 1, 0, FALSE, 0, 2000, '00000000-0000-7000-8000-000000000b02', 'executor', 0);
INSERT INTO memory_items VALUES
    ('00000000-0000-7000-8000-000000000201', '00000000-0000-7000-8000-0000000000aa', 0, 'preferences', 'likes', 'likes qitemwort', 1, '00000000-0000-7000-8000-0000000000d1', NULL, TRUE, FALSE, FALSE, 2000, 2000, NULL),
    ('00000000-0000-7000-8000-000000000202', '00000000-0000-7000-8000-0000000000aa', 0, 'preferences', 'qitemkey', 'liked qarchivewort', 1, NULL, NULL, FALSE, FALSE, TRUE, 2000, 2000, NULL),
    ('00000000-0000-7000-8000-000000000203', '00000000-0000-7000-8000-0000000000bb', 0, 'relationships', 'friend', 'heard of qguildwort', 1, '00000000-0000-7000-8000-0000000000d3', '00000000-0000-7000-8000-000000000005', FALSE, FALSE, FALSE, 2000, 2000, NULL),
    ('00000000-0000-7000-8000-000000000204', '00000000-0000-7000-8000-0000000000bb', 0, 'preferences', 'likes', 'likes bitemwort', 1, '00000000-0000-7000-8000-0000000000d3', '00000000-0000-7000-8000-000000000005', FALSE, FALSE, FALSE, 2000, 2000, NULL);
INSERT INTO triggers (id, kind, run_id, channel_id, user_id, content, webhook, cron, time_zone, catch_up, enabled, next_at, created_at, updated_at) VALUES
    ('00000000-0000-7000-8000-000000000301', 'wake', '00000000-0000-7000-8000-0000000000e1', NULL, NULL, '', FALSE, '0 8 * * *', 'UTC', 'once', TRUE, 9, 2000, 2000),
    ('00000000-0000-7000-8000-000000000302', 'reminder', NULL, '00000000-0000-7000-8000-0000000000c3', '00000000-0000-7000-8000-0000000000aa', 'qremindwort', FALSE, '0 9 * * *', 'UTC', 'once', TRUE, 9, 2000, 2000),
    ('00000000-0000-7000-8000-000000000303', 'run', NULL, '00000000-0000-7000-8000-0000000000c1', NULL, 'qhookwort', TRUE, NULL, 'UTC', 'once', TRUE, NULL, 2000, 2000),
    ('00000000-0000-7000-8000-000000000304', 'reminder', NULL, '00000000-0000-7000-8000-0000000000c3', '00000000-0000-7000-8000-0000000000bb', 'tell her of qguildwort, bremindwort', FALSE, NULL, 'UTC', 'once', TRUE, 9, 2000, 2000);
INSERT INTO trigger_secrets VALUES ('00000000-0000-7000-8000-000000000303', 'qhooksecret');
INSERT INTO webhook_calls VALUES ('00000000-0000-7000-8000-000000000303', 'qsignature', 2000);
INSERT INTO trigger_firings VALUES ('00000000-0000-7000-8000-000000000301', 8, 8);
INSERT INTO files (id, user_id, space_id, message_id, name, media_type, size, location, created_at) VALUES ('f1', '00000000-0000-7000-8000-0000000000aa', NULL, '00000000-0000-7000-8000-000000000101', 'qfilewort.jpg', 'image/jpeg', 9, 'files/qfilewort.jpg', 2000);
INSERT INTO settings VALUES ('00000000-0000-7000-8000-0000000000aa', 'mood', 'qsetting', 2000), ('00000000-0000-7000-8000-0000000000c1', 'memory', 'qsetting', 2000), ('bot', 'memory', 'true', 2000);
INSERT INTO api_tokens VALUES ('00000000-0000-7000-8000-000000000401', 'qtoken', 'qtokenhash', '[]', '00000000-0000-7000-8000-0000000000aa', 2000, NULL, NULL);
INSERT INTO sessions VALUES ('00000000-0000-7000-8000-000000000402', 'qsessionhash', '00000000-0000-7000-8000-0000000000aa', 'browser-q', 'qbrowser', 2000, 2000, 9000);
INSERT INTO login_links VALUES ('qloginhash', '00000000-0000-7000-8000-0000000000aa', 2000, 3000);
INSERT INTO passkeys VALUES ('00000000-0000-7000-8000-000000000403', 'qcredential', '00000000-0000-7000-8000-0000000000aa', 'qhandle', 'localhost', 'qpublickey', 3, 'qphone', 2000, NULL);
INSERT INTO passkey_challenges VALUES ('qchallengehash', '00000000-0000-7000-8000-000000000402', 'qhandle', 2000, 3000);
INSERT INTO link_codes VALUES ('qlinkhash', '00000000-0000-7000-8000-0000000000aa', 'telegram', '987654321', 2000, 3000);
INSERT INTO link_attempts VALUES ('telegram', '987654321', 2000), ('telegram', '8', 2000);
INSERT INTO jobs (id, kind, mode, context_id, status, attempts, due_at, epoch, result, created_at, updated_at) VALUES
    ('00000000-0000-7000-8000-000000000501', 'memory_write', 'close', '00000000-0000-7000-8000-0000000000d1', 'done', 1, 2000, 1, '{"applied":["qjobwort"]}', 2000, 2000),
    ('00000000-0000-7000-8000-000000000502', 'memory_write', 'compact', '00000000-0000-7000-8000-0000000000d3', 'done', 1, 2000, 1, '{"applied":["qguildwort","bitemwort","qitemkey"],"people":{"00000000-0000-7000-8000-0000000000aa":{"applied":["of qers"]},"00000000-0000-7000-8000-0000000000bb":{"applied":["of bhis"]}}}', 2000, 2000);
INSERT INTO unreadable_events VALUES ('u1', 'telegram', '{"from":{"id":987654321}}', 'no', 2000), ('u2', 'telegram', '{"from":{"id":8,"text":"bevent"}}', 'no', 2000);
INSERT INTO user_secrets VALUES ('00000000-0000-7000-8000-000000000701', '00000000-0000-7000-8000-0000000000aa', 'qprovider', 'qsealed', 2000);
INSERT INTO policies (id, rule, user_id, space_id, context_id, created_at, updated_at) VALUES ('00000000-0000-7000-8000-000000000801', '{"action":"deny","reason":"qrulewort"}', '00000000-0000-7000-8000-0000000000aa', NULL, NULL, 2000, 2000);
INSERT INTO documents (id, user_id, made_by, channel_id, title, created_at) VALUES ('00000000-0000-7000-8000-000000000901', NULL, '00000000-0000-7000-8000-0000000000aa', '00000000-0000-7000-8000-0000000000c3', 'qdocwort', 2000);
INSERT INTO document_chunks (document_id, seq, content) VALUES ('00000000-0000-7000-8000-000000000901', 0, 'qchunkwort');
INSERT INTO setting_changes VALUES ('00000000-0000-7000-8000-000000000a01', '00000000-0000-7000-8000-000000000005', 'persona', NULL, 'qpersonawort', '00000000-0000-7000-8000-0000000000aa', 2000, NULL);
INSERT INTO rate_buckets VALUES ('00000000-0000-7000-8000-0000000000aa', 'user/day', 1.5, 2000, 0);
INSERT INTO run_feedback VALUES
    ('00000000-0000-7000-8000-0000000000e1', '00000000-0000-7000-8000-0000000000aa', 'liked', 'reaction', 2000),
    ('00000000-0000-7000-8000-0000000000e4', '00000000-0000-7000-8000-0000000000aa', 'disliked', 'button', 2000),
    ('00000000-0000-7000-8000-0000000000e4', '00000000-0000-7000-8000-0000000000bb', 'liked', 'reaction', 2000);

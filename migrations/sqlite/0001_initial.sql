-- Ids are UUIDv7 as TEXT, times milliseconds since the epoch (UTC) as BIGINT, JSON is TEXT.

CREATE TABLE agents (
    id          TEXT PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    prompt      TEXT NOT NULL,
    mode        TEXT NOT NULL,
    enabled     BOOLEAN NOT NULL,
    is_default  BOOLEAN NOT NULL,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL
);

CREATE TABLE users (
    id          TEXT PRIMARY KEY,
    name        TEXT NOT NULL,
    role        TEXT NOT NULL,              -- owner | member | stranger
    language    TEXT,
    time_zone   TEXT,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL
);

CREATE TABLE identities (
    platform          TEXT NOT NULL,
    platform_user_id  TEXT NOT NULL,
    user_id           TEXT NOT NULL REFERENCES users (id),
    name              TEXT NOT NULL,
    handle            TEXT,
    created_at        BIGINT NOT NULL,
    PRIMARY KEY (platform, platform_user_id)
);
CREATE INDEX identities_by_user ON identities (user_id);

-- Unknown people who asked to be let in; the code is stored as its SHA-256.
CREATE TABLE pairings (
    platform          TEXT NOT NULL,
    platform_user_id  TEXT NOT NULL,
    name              TEXT NOT NULL,
    code_hash         TEXT NOT NULL UNIQUE,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    PRIMARY KEY (platform, platform_user_id)
);

CREATE TABLE spaces (
    id           TEXT PRIMARY KEY,
    platform     TEXT NOT NULL,
    external_id  TEXT NOT NULL,
    name         TEXT,
    left_at      BIGINT,
    created_at   BIGINT NOT NULL,
    UNIQUE (platform, external_id)
);

CREATE TABLE channels (
    id                 TEXT PRIMARY KEY,
    platform           TEXT NOT NULL,
    external_id        TEXT NOT NULL,
    kind               TEXT NOT NULL,       -- private | group | thread
    name               TEXT,
    space_id           TEXT REFERENCES spaces (id),
    user_id            TEXT REFERENCES users (id),   -- the person of a private channel
    enabled            BOOLEAN NOT NULL,
    disabled_reason    TEXT,
    agent_id           TEXT REFERENCES agents (id),
    mode               TEXT NOT NULL,
    active_context_id  TEXT,
    config             TEXT NOT NULL,
    last_message_at    BIGINT,
    created_at         BIGINT NOT NULL,
    updated_at         BIGINT NOT NULL,
    UNIQUE (platform, external_id)
);
CREATE INDEX channels_by_last_message ON channels (platform, last_message_at);

CREATE TABLE contexts (
    id                        TEXT PRIMARY KEY,
    channel_id                TEXT NOT NULL REFERENCES channels (id),
    user_id                   TEXT REFERENCES users (id),
    space_id                  TEXT REFERENCES spaces (id),
    name                      TEXT,
    turn_count                BIGINT NOT NULL,
    last_user_interaction_at  BIGINT NOT NULL,
    closed_at                 BIGINT,
    continued_from            TEXT REFERENCES contexts (id),
    created_at                BIGINT NOT NULL
);
CREATE INDEX contexts_by_channel ON contexts (channel_id, last_user_interaction_at);
CREATE INDEX contexts_open ON contexts (last_user_interaction_at) WHERE closed_at IS NULL;

-- The queue of work: pending and running rows are claimed by lease.
CREATE TABLE runs (
    id                 TEXT PRIMARY KEY,
    agent_id           TEXT NOT NULL REFERENCES agents (id),
    channel_id         TEXT REFERENCES channels (id),
    user_id            TEXT REFERENCES users (id),
    context_id         TEXT REFERENCES contexts (id),
    parent_run_id      TEXT REFERENCES runs (id),
    root_run_id        TEXT NOT NULL,
    kind               TEXT NOT NULL,       -- coordinator | subagent
    level              BIGINT NOT NULL,
    profile            TEXT,
    input_text         TEXT NOT NULL,
    input_json         TEXT,
    output_text        TEXT,
    allowed_tools      TEXT,
    address            TEXT,                -- where replies go, fixed when the run is made
    status             TEXT NOT NULL,       -- pending | running | waiting | completed | failed | cancelled
    error              TEXT,
    wake_at            BIGINT,
    wake_reason        TEXT,
    wake_on            TEXT,                -- all | first: which subagents wake it
    lease_owner        TEXT,
    lease_until        BIGINT,
    epoch              BIGINT NOT NULL,
    llm_calls          BIGINT NOT NULL,
    prompt_tokens      BIGINT NOT NULL,
    completion_tokens  BIGINT NOT NULL,
    cached_tokens      BIGINT NOT NULL,
    cost               DOUBLE PRECISION NOT NULL,
    worked_ms          BIGINT NOT NULL,
    created_at         BIGINT NOT NULL,
    updated_at         BIGINT NOT NULL,
    ended_at           BIGINT
);
-- A context has at most one coordinator run at work.
CREATE UNIQUE INDEX runs_one_per_context ON runs (context_id)
    WHERE kind = 'coordinator' AND status IN ('pending', 'running');
CREATE INDEX runs_claimable ON runs (lease_until) WHERE status IN ('pending', 'running');
CREATE INDEX runs_waking ON runs (wake_at) WHERE status = 'waiting';
CREATE INDEX runs_by_parent ON runs (parent_run_id) WHERE parent_run_id IS NOT NULL;
CREATE INDEX runs_by_root ON runs (root_run_id) WHERE parent_run_id IS NOT NULL;
CREATE INDEX runs_by_channel ON runs (channel_id, id);
CREATE INDEX runs_by_status ON runs (status, id);

-- Append-only: a run is the fold of its steps.
CREATE TABLE run_steps (
    run_id             TEXT NOT NULL REFERENCES runs (id),
    seq                BIGINT NOT NULL,
    type               TEXT NOT NULL,
    tool_name          TEXT,
    args_json          TEXT,
    result_json        TEXT,
    status             TEXT,
    idempotency_key    TEXT,
    prompt_tokens      BIGINT,
    completion_tokens  BIGINT,
    cached_tokens      BIGINT,
    duration_ms        BIGINT,
    created_at         BIGINT NOT NULL,
    PRIMARY KEY (run_id, seq)
);

-- Inbound and outbound; an outbound message is its own outbox row, claimed by lease.
CREATE TABLE messages (
    id                   TEXT PRIMARY KEY,
    direction            TEXT NOT NULL,     -- inbound | outbound
    channel_id           TEXT NOT NULL REFERENCES channels (id),
    context_id           TEXT REFERENCES contexts (id),
    user_id              TEXT REFERENCES users (id),
    run_id               TEXT REFERENCES runs (id),
    content              TEXT NOT NULL,
    attachments          TEXT,
    metadata             TEXT,
    platform_message_id  TEXT,
    idempotency_key      TEXT,
    album                TEXT,
    status               TEXT NOT NULL,     -- in: received | queued | history; out: pending | sending | delivered | failed
    address              TEXT,
    error                TEXT,
    attempts             BIGINT NOT NULL,
    lease_owner          TEXT,
    lease_until          BIGINT,
    sent_at              BIGINT NOT NULL,   -- by the platform's clock
    edited_at            BIGINT,
    created_at           BIGINT NOT NULL
);
CREATE UNIQUE INDEX messages_once ON messages (channel_id, platform_message_id)
    WHERE direction = 'inbound' AND platform_message_id IS NOT NULL;
CREATE UNIQUE INDEX messages_once_by_key ON messages (channel_id, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
CREATE INDEX messages_by_context ON messages (context_id, id);
CREATE INDEX messages_by_channel ON messages (channel_id, id);
CREATE INDEX messages_by_run ON messages (run_id);
CREATE INDEX messages_queued ON messages (context_id, sent_at) WHERE status = 'queued';
CREATE INDEX messages_outbox ON messages (lease_until, id)
    WHERE direction = 'outbound' AND status IN ('pending', 'sending');

CREATE TABLE message_parts (
    message_id           TEXT NOT NULL REFERENCES messages (id),
    seq                  BIGINT NOT NULL,
    delivery_key         TEXT NOT NULL,
    body                 TEXT NOT NULL,
    status               TEXT NOT NULL,     -- pending | sending | delivered | failed
    platform_message_id  TEXT,
    delivered_at         BIGINT,
    PRIMARY KEY (message_id, seq)
);

CREATE TABLE memory_items (
    id            TEXT PRIMARY KEY,
    user_id       TEXT NOT NULL REFERENCES users (id),
    level         BIGINT NOT NULL,
    module        TEXT NOT NULL,
    key           TEXT NOT NULL,
    value         TEXT NOT NULL,
    confidence    DOUBLE PRECISION NOT NULL,
    context_id    TEXT REFERENCES contexts (id),
    origin_space  TEXT REFERENCES spaces (id),      -- NULL: said in private
    shareable     BOOLEAN NOT NULL,
    pinned        BOOLEAN NOT NULL,
    archived      BOOLEAN NOT NULL,
    created_at    BIGINT NOT NULL,
    last_seen_at  BIGINT NOT NULL
);
CREATE UNIQUE INDEX memory_items_one_active ON memory_items (user_id, module, key) WHERE NOT archived;
CREATE INDEX memory_items_recall ON memory_items (user_id, level, pinned, last_seen_at) WHERE NOT archived;

CREATE TABLE triggers (
    id         TEXT PRIMARY KEY,
    run_id     TEXT NOT NULL UNIQUE REFERENCES runs (id),
    cron       TEXT NOT NULL,
    time_zone  TEXT NOT NULL,
    catch_up   TEXT NOT NULL,               -- once | skip
    next_at    BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE TABLE trigger_firings (
    trigger_id  TEXT NOT NULL REFERENCES triggers (id),
    due_at      BIGINT NOT NULL,
    fired_at    BIGINT NOT NULL,
    PRIMARY KEY (trigger_id, due_at)
);

CREATE TABLE files (
    id          TEXT PRIMARY KEY,
    user_id     TEXT REFERENCES users (id),
    space_id    TEXT REFERENCES spaces (id),
    message_id  TEXT REFERENCES messages (id),
    name        TEXT NOT NULL,
    media_type  TEXT,
    size        BIGINT,
    location    TEXT NOT NULL,
    created_at  BIGINT NOT NULL
);

CREATE TABLE settings (
    scope       TEXT NOT NULL,              -- bot, or the id of a space, channel or user
    name        TEXT NOT NULL,
    value       TEXT NOT NULL,
    updated_at  BIGINT NOT NULL,
    PRIMARY KEY (scope, name)
);

CREATE TABLE api_tokens (
    id            TEXT PRIMARY KEY,
    name          TEXT NOT NULL,
    token_hash    TEXT NOT NULL UNIQUE,
    scopes        TEXT NOT NULL,
    user_id       TEXT REFERENCES users (id),
    created_at    BIGINT NOT NULL,
    expires_at    BIGINT,
    revoked_at    BIGINT
);

-- What only one process may do at a time: polling a token.
CREATE TABLE leases (
    name        TEXT PRIMARY KEY,
    owner       TEXT NOT NULL,
    until       BIGINT NOT NULL,
    epoch       BIGINT NOT NULL
);

-- One row a model call.
CREATE TABLE usage (
    run_id             TEXT NOT NULL REFERENCES runs (id),
    seq                BIGINT NOT NULL,
    user_id            TEXT REFERENCES users (id),
    space_id           TEXT REFERENCES spaces (id),
    provider           TEXT NOT NULL,
    model              TEXT NOT NULL,
    prompt_tokens      BIGINT NOT NULL,
    completion_tokens  BIGINT NOT NULL,
    cached_tokens      BIGINT NOT NULL,
    estimated          BOOLEAN NOT NULL,
    cost               DOUBLE PRECISION NOT NULL,
    created_at         BIGINT NOT NULL,
    PRIMARY KEY (run_id, seq)
);

-- Platform payloads that could not be read, kept for inspection.
CREATE TABLE unreadable_events (
    id          TEXT PRIMARY KEY,
    platform    TEXT NOT NULL,
    payload     TEXT NOT NULL,
    error       TEXT NOT NULL,
    created_at  BIGINT NOT NULL
);

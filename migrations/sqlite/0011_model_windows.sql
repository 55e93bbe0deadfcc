-- The context windows of models, as their providers told them: in a list of theirs, or in a refusal.

CREATE TABLE model_windows (
    provider    TEXT NOT NULL,               -- the provider's name in the configuration
    base_url    TEXT NOT NULL,               -- without credentials
    model       TEXT NOT NULL,
    source      TEXT NOT NULL,               -- listed or refused
    tokens      BIGINT NOT NULL,
    learned_at  BIGINT NOT NULL,
    PRIMARY KEY (provider, base_url, model, source)
);

-- Which models see images, as they taught by taking or refusing one; and what the files of messages came as.

CREATE TABLE model_images (
    provider    TEXT NOT NULL,               -- the provider's name in the configuration
    base_url    TEXT NOT NULL,               -- without credentials
    model       TEXT NOT NULL,
    sees        BOOLEAN NOT NULL,
    learned_at  BIGINT NOT NULL,
    PRIMARY KEY (provider, base_url, model)
);

ALTER TABLE files ADD COLUMN came_as TEXT;      -- the platform's word: voice, photo, document
ALTER TABLE files ADD COLUMN seconds BIGINT;    -- how long it plays, as the platform told
ALTER TABLE files ADD COLUMN of_others BOOLEAN NOT NULL DEFAULT FALSE;  -- forwarded, or of the message that is answered

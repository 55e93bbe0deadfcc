-- The channels of a server: they are listed, renamed and switched off together.
CREATE INDEX channels_space ON channels (space_id, id) WHERE space_id IS NOT NULL;

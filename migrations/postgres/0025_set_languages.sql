-- Whether a person chose their language; else it is their platform's word.

ALTER TABLE users ADD COLUMN language_set BOOLEAN NOT NULL DEFAULT FALSE;

UPDATE users SET language_set = TRUE
WHERE language IS NOT NULL
AND id IN (SELECT scope FROM setting_changes WHERE name = 'language' AND new_value IS NOT NULL AND undone_at IS NULL);

-- Answers that were asked for again: a message shows its newest run, and keeps the ones before.
--
-- Locks: a new table and a column with a constant default; nothing is rewritten.
-- The version before this one goes on working beside it: it shows the newest answers.

CREATE TABLE message_versions (
    run_id      uuid        PRIMARY KEY,
    message_id  uuid        NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    user_id     text        NOT NULL CHECK (user_id <> ''),
    content     text,
    body        jsonb,
    replaced_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX message_versions_by_message ON message_versions (message_id, replaced_at);

ALTER TABLE message_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE message_versions FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON message_versions TO llm_council_app
    USING (user_id = nullif(current_setting('app.user_id', true), ''))
    WITH CHECK (user_id = nullif(current_setting('app.user_id', true), ''));

REVOKE ALL ON message_versions FROM PUBLIC;
GRANT SELECT, INSERT ON message_versions TO llm_council_app;
-- The figures of an answer that was asked for again go with the end of the run that replaces it.
GRANT DELETE ON run_figures, placings TO llm_council_engine;

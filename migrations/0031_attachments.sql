-- Attachments: files that come with questions.
--
-- Locks: two new tables, so nobody waits but for a moment each table that they refer to (`messages`). The version before
-- this one goes on working beside it: it takes no files, and whatever it deletes takes its links along; files that nothing
-- uses any more are deleted by this version within a day, also those of somebody whom the other one has erased.

CREATE TABLE attachments (
    user_id     text        NOT NULL CHECK (user_id <> ''),
    -- SHA-256 of the content, as hexadecimal digits: a file is kept once per user.
    id          text        NOT NULL CHECK (id ~ '^[0-9a-f]{64}$'),
    -- As it was called when it was uploaded last.
    filename    text        NOT NULL CHECK (filename <> '' AND octet_length(filename) <= 255),
    file_type   text        NOT NULL,
    mime_type   text        NOT NULL,
    size        bigint      NOT NULL CHECK (size > 0),
    content     bytea       NOT NULL,
    -- What it says; null where that could not be found out.
    text        text,
    characters  bigint      NOT NULL DEFAULT 0,
    -- Whether there is more in it than is kept of its text.
    text_is_cut boolean     NOT NULL DEFAULT false,
    -- Why it cannot be read, in a word.
    problem     text,
    created_at  timestamptz NOT NULL DEFAULT now(),
    -- When it was uploaded last: what no question uses is deleted a day after that.
    uploaded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, id),
    CHECK ((text IS NULL) = (problem IS NOT NULL))
);
-- Files are mostly compressed already.
ALTER TABLE attachments ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX attachments_by_time ON attachments (uploaded_at);

-- Which question came with which files, as they were then.
CREATE TABLE message_attachments (
    message_id      uuid    NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    -- From 0.
    place           integer NOT NULL CHECK (place >= 0),
    user_id         text    NOT NULL CHECK (user_id <> ''),
    attachment_id   text    NOT NULL,
    filename        text    NOT NULL,
    file_type       text    NOT NULL,
    mime_type       text    NOT NULL,
    size            bigint  NOT NULL,
    characters      bigint  NOT NULL,
    -- How much of its text the members were given.
    characters_read bigint  NOT NULL,
    PRIMARY KEY (message_id, place),
    CONSTRAINT message_attachments_file FOREIGN KEY (user_id, attachment_id) REFERENCES attachments (user_id, id)
);
CREATE INDEX message_attachments_by_file ON message_attachments (user_id, attachment_id);

-- Row level security -----------------------------------------------------------------------------
DO $rls$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['attachments', 'message_attachments'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY own_rows ON %1$I TO llm_council_app
                 USING (user_id = nullif(current_setting(''app.user_id'', true), ''''))
                 WITH CHECK (user_id = nullif(current_setting(''app.user_id'', true), ''''))', name);
        EXECUTE format('CREATE POLICY engine ON %I TO llm_council_engine USING (true) WITH CHECK (true)', name);
        EXECUTE format('REVOKE ALL ON %I FROM PUBLIC', name);
    END LOOP;
END
$rls$;
-- Administrators who may read somebody's conversations read what the files are called, not the files.
CREATE POLICY reads_with_access ON message_attachments FOR SELECT TO llm_council_app
    USING (nullif(current_setting('app.access_request', true), '') IS NOT NULL AND user_id = user_with_access());

GRANT SELECT, INSERT, DELETE, UPDATE (filename, uploaded_at) ON attachments TO llm_council_app;
GRANT SELECT, INSERT ON message_attachments TO llm_council_app;
-- The engine deletes what nothing uses any more, and what is somebody's who is being erased.
GRANT SELECT, UPDATE (uploaded_at), DELETE ON attachments TO llm_council_engine;
GRANT SELECT, DELETE ON message_attachments TO llm_council_engine;

-- The library: prompts and rubrics, own and shared, with their versions.
--
-- Locks: two new tables, so nobody waits. The version before this one does not know them and goes on working beside it; an erasure
-- that it ends leaves the person's entries: end it before anybody's data is erased.

CREATE TABLE library_entries (
    id         uuid        PRIMARY KEY,
    user_id    text        NOT NULL CHECK (user_id <> ''),
    kind       text        NOT NULL CHECK (kind IN ('prompt', 'rubric')),
    -- The newest version.
    version    integer     NOT NULL CHECK (version > 0),
    -- Whether everybody may read it: that version, and the others that were shared when they were written.
    is_shared  boolean     NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (id, user_id)
);
CREATE INDEX library_entries_by_user ON library_entries (user_id);
CREATE INDEX library_entries_shared ON library_entries (id) WHERE is_shared;

CREATE TABLE library_versions (
    entry_id   uuid        NOT NULL,
    user_id    text        NOT NULL,
    version    integer     NOT NULL CHECK (version > 0),
    name       text        NOT NULL CHECK (name <> ''),
    text       text        NOT NULL CHECK (text <> ''),
    is_shared  boolean     NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (entry_id, version),
    FOREIGN KEY (entry_id, user_id) REFERENCES library_entries (id, user_id) ON DELETE CASCADE
);
CREATE INDEX library_versions_by_user ON library_versions (user_id);

-- Row level security -----------------------------------------------------------------------------
DO $rls$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['library_entries', 'library_versions'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY own_rows ON %I TO llm_council_app
            USING (user_id = nullif(current_setting(''app.user_id'', true), ''''))
            WITH CHECK (user_id = nullif(current_setting(''app.user_id'', true), ''''))', name);
        EXECUTE format('CREATE POLICY engine ON %I TO llm_council_engine USING (true) WITH CHECK (true)', name);
        EXECUTE format('REVOKE ALL ON %I FROM PUBLIC', name);
    END LOOP;
END
$rls$;

CREATE POLICY shared_reads ON library_entries FOR SELECT TO llm_council_app
    USING (is_shared AND nullif(current_setting('app.user_id', true), '') IS NOT NULL);
-- The policies of `library_entries` decide which there are.
CREATE POLICY shared_reads ON library_versions FOR SELECT TO llm_council_app
    USING (is_shared AND EXISTS (SELECT FROM library_entries e WHERE e.id = entry_id AND e.is_shared));
-- Admins delete what is shared, and see nobody's own.
CREATE POLICY shared ON library_entries TO llm_council_admin USING (is_shared) WITH CHECK (false);

GRANT SELECT, INSERT, DELETE, UPDATE (version, is_shared, updated_at) ON library_entries TO llm_council_app;
GRANT SELECT, INSERT, DELETE ON library_versions TO llm_council_app;
GRANT SELECT (id, user_id, kind, is_shared), DELETE ON library_entries TO llm_council_admin;
GRANT SELECT, DELETE ON library_entries, library_versions TO llm_council_engine;

-- Folders: groups of one person's own conversations, in that person's list alone.
--
-- Locks: a new table; `conversations` for a moment, and for writers as long as it takes to read it twice, for the reference and for
-- an index of no rows. The version before this one goes on working beside it; an erasure that it ends leaves the person's folders: end
-- it before anybody's data is erased.

CREATE TABLE folders (
    id         uuid        PRIMARY KEY,
    user_id    text        NOT NULL CHECK (user_id <> ''),
    name       text        NOT NULL CHECK (name <> ''),
    -- The name in lower case, as the program makes it: what the database makes depends on its locale.
    name_key   text        NOT NULL CHECK (name_key <> ''),
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (id, user_id),
    CONSTRAINT folders_name UNIQUE (user_id, name_key)
);

-- Of the same person, always; the reference sees past row level security.
ALTER TABLE conversations
    ADD COLUMN folder_id uuid,
    ADD CONSTRAINT conversations_folder FOREIGN KEY (folder_id, user_id) REFERENCES folders (id, user_id)
        ON DELETE SET NULL (folder_id);
CREATE INDEX conversations_by_folder ON conversations (folder_id) WHERE folder_id IS NOT NULL;

-- Row level security -----------------------------------------------------------------------------
ALTER TABLE folders ENABLE ROW LEVEL SECURITY;
ALTER TABLE folders FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON folders TO llm_council_app
    USING (user_id = nullif(current_setting('app.user_id', true), ''))
    WITH CHECK (user_id = nullif(current_setting('app.user_id', true), ''));
CREATE POLICY engine ON folders TO llm_council_engine USING (true) WITH CHECK (true);

REVOKE ALL ON folders FROM PUBLIC;
-- Locking a row needs the right to change it.
GRANT SELECT, INSERT, DELETE, UPDATE (name, name_key) ON folders TO llm_council_app;
GRANT SELECT, DELETE ON folders TO llm_council_engine;

-- Presets: named councils with their options; a user's own, and those that admins give to everybody.
--
-- Locks: one new table, so nobody waits. The version before this one does not know it.

CREATE TABLE presets (
    id         uuid        PRIMARY KEY,
    -- NULL: everybody's.
    user_id    text        CHECK (user_id <> ''),
    name       text        NOT NULL CHECK (name <> ''),
    -- {"settings": a layer of settings, "options": a request's options}
    value      jsonb       NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX presets_own_name ON presets (user_id, name) WHERE user_id IS NOT NULL;
CREATE UNIQUE INDEX presets_shared_name ON presets (name) WHERE user_id IS NULL;

ALTER TABLE presets ENABLE ROW LEVEL SECURITY;
ALTER TABLE presets FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON presets TO llm_council_app
    USING (user_id = nullif(current_setting('app.user_id', true), ''))
    WITH CHECK (user_id = nullif(current_setting('app.user_id', true), ''));
CREATE POLICY shared_reads ON presets FOR SELECT TO llm_council_app
    USING (user_id IS NULL AND nullif(current_setting('app.user_id', true), '') IS NOT NULL);
-- Admins see and change what is everybody's, nobody's own.
CREATE POLICY shared ON presets TO llm_council_admin USING (user_id IS NULL) WITH CHECK (user_id IS NULL);

REVOKE ALL ON presets FROM PUBLIC;
GRANT SELECT, INSERT, UPDATE, DELETE ON presets TO llm_council_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON presets TO llm_council_admin;

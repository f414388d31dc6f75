-- Projects: conversations of a team, with what is told to the models in all of them. Who may what there is a matter of the
-- role, which a person has by their own name or by a group that the proxy names.
--
-- Locks: new tables; `conversations` for a moment: a column without a default, whose reference needs no look at the rows that
-- there are, a trigger, and an index of no rows, for which the table is read once; `messages` and `message_attachments` for a
-- moment (policies). The version before this one goes on working beside it: what is asked there in a conversation of a project is
-- asked without what the project says, and an erasure that it ends leaves the person's memberships: end it before anybody's data is
-- erased.

CREATE TABLE projects (
    id           uuid        PRIMARY KEY,
    name         text        NOT NULL CHECK (name <> ''),
    -- What every question in it is preceded by.
    instructions text        NOT NULL DEFAULT '',
    -- As in a preset: settings, and options of a request.
    defaults     jsonb       NOT NULL DEFAULT '{}',
    created_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE project_members (
    project_id uuid        NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    kind       text        NOT NULL CHECK (kind IN ('user', 'group')),
    -- The user's id, or the group as the proxy names it.
    name       text        NOT NULL CHECK (name <> ''),
    role       text        NOT NULL CHECK (role IN ('viewer', 'writer', 'owner')),
    added_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, kind, name)
);
CREATE INDEX project_members_by_name ON project_members (kind, name, project_id);

ALTER TABLE conversations ADD COLUMN project_id uuid REFERENCES projects (id) ON DELETE SET NULL;
CREATE INDEX conversations_by_project ON conversations (project_id, updated_at DESC, id) WHERE project_id IS NOT NULL;

-- Who may what -----------------------------------------------------------------------------------
-- The project that the transaction names, if any.
CREATE FUNCTION named_project() RETURNS uuid LANGUAGE sql STABLE AS $$
    SELECT nullif(current_setting('app.project_id', true), '')::uuid
$$;

-- Whether a member is the transaction's user or one of the groups that it names.
CREATE FUNCTION is_caller(kind text, name text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT (kind = 'user' AND name = nullif(current_setting('app.user_id', true), ''))
        OR (kind = 'group' AND nullif(current_setting('app.user_id', true), '') IS NOT NULL
            AND name = ANY (nullif(current_setting('app.groups', true), '')::text[]))
$$;

-- The highest role that the transaction's user has in a project, by name and by groups. It looks with the engine's eyes: the
-- policies that ask it stand on the table that it reads, too. (A function with its definer's rights would see nothing: row level
-- security binds the tables' owner as well.)
CREATE FUNCTION project_role(project uuid) RETURNS text LANGUAGE sql STABLE
SET role = 'llm_council_engine' SET search_path FROM CURRENT AS $$
    SELECT m.role FROM project_members m WHERE m.project_id = project AND is_caller(m.kind, m.name)
    ORDER BY array_position(ARRAY['owner', 'writer', 'viewer'], m.role) LIMIT 1
$$;

-- How the runs stand whose answers a conversation of the named project has. Nothing else of another's run can be read.
CREATE FUNCTION runs_in_project(conversation uuid) RETURNS TABLE (id uuid, status text, error jsonb) LANGUAGE sql STABLE
SET role = 'llm_council_engine' SET search_path FROM CURRENT AS $$
    SELECT r.id, r.status, r.error
    FROM conversations c JOIN runs r ON r.conversation_id = c.id AND r.user_id = c.user_id
    WHERE c.id = conversation AND c.project_id = named_project() AND c.deleted_at IS NULL
      AND project_role(named_project()) IS NOT NULL
$$;

-- Takes a conversation out of the named project, whoever's it is, and changes nothing else of it; for owners.
CREATE FUNCTION take_out_of_project(conversation uuid) RETURNS SETOF uuid LANGUAGE sql VOLATILE
SET role = 'llm_council_engine' SET search_path FROM CURRENT AS $$
    UPDATE conversations SET project_id = NULL
    WHERE id = conversation AND project_id = named_project() AND deleted_at IS NULL
      AND project_role(named_project()) = 'owner'
    RETURNING id
$$;

-- Whoever makes a project owns it: there is none without an owner. (Where nobody is named, rows are brought back from a copy.)
CREATE FUNCTION own_new_project() RETURNS trigger LANGUAGE plpgsql
SET role = 'llm_council_engine' SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO project_members (project_id, kind, name, role)
    SELECT NEW.id, 'user', me, 'owner' FROM nullif(current_setting('app.user_id', true), '') AS me WHERE me IS NOT NULL;
    RETURN NULL;
END
$$;
CREATE TRIGGER own_new_project AFTER INSERT ON projects FOR EACH ROW EXECUTE FUNCTION own_new_project();

-- Nobody puts a conversation where they may not write.
CREATE FUNCTION may_enter_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_user = 'llm_council_app' AND coalesce(project_role(NEW.project_id), 'viewer') = 'viewer' THEN
        RAISE EXCEPTION 'this user may not write in this project' USING ERRCODE = 'LC004';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER may_enter_project BEFORE INSERT OR UPDATE OF project_id ON conversations
    FOR EACH ROW WHEN (NEW.project_id IS NOT NULL) EXECUTE FUNCTION may_enter_project();

-- Row level security -----------------------------------------------------------------------------
DO $rls$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['projects', 'project_members'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY engine ON %I TO llm_council_engine USING (true) WITH CHECK (true)', name);
        EXECUTE format('REVOKE ALL ON %I FROM PUBLIC', name);
    END LOOP;
END
$rls$;

-- Where one is a member oneself, and who else is in the project that one names.
CREATE POLICY own_rows ON project_members FOR SELECT TO llm_council_app USING (is_caller(kind, name));
CREATE POLICY reads_in_project ON project_members FOR SELECT TO llm_council_app
    USING (project_id = named_project() AND (SELECT project_role(named_project())) IS NOT NULL);
CREATE POLICY owner_adds ON project_members FOR INSERT TO llm_council_app
    WITH CHECK (project_id = named_project() AND (SELECT project_role(named_project())) = 'owner');
CREATE POLICY owner_changes ON project_members FOR UPDATE TO llm_council_app
    USING (project_id = named_project() AND (SELECT project_role(named_project())) = 'owner');
CREATE POLICY owner_removes ON project_members FOR DELETE TO llm_council_app
    USING (project_id = named_project() AND (SELECT project_role(named_project())) = 'owner');
CREATE POLICY leaves ON project_members FOR DELETE TO llm_council_app
    USING (kind = 'user' AND name = nullif(current_setting('app.user_id', true), ''));

CREATE POLICY member_reads ON projects FOR SELECT TO llm_council_app
    USING (id IN (SELECT m.project_id FROM project_members m WHERE is_caller(m.kind, m.name)));
CREATE POLICY anybody_makes ON projects FOR INSERT TO llm_council_app
    WITH CHECK (nullif(current_setting('app.user_id', true), '') IS NOT NULL);
CREATE POLICY owner_changes ON projects FOR UPDATE TO llm_council_app
    USING (id = named_project() AND (SELECT project_role(named_project())) = 'owner');
CREATE POLICY owner_deletes ON projects FOR DELETE TO llm_council_app
    USING (id = named_project() AND (SELECT project_role(named_project())) = 'owner');

-- Others' conversations: for reading, as long as they are in the project that the transaction names, and one has a role there.
-- A transaction that names none sees what it saw before. The names stand after `own_rows`, and so are asked after it.
CREATE POLICY reads_in_project ON conversations FOR SELECT TO llm_council_app
    USING (named_project() IS NOT NULL AND project_id = named_project() AND deleted_at IS NULL
           AND (SELECT project_role(named_project())) IS NOT NULL);
CREATE POLICY reads_in_project ON messages FOR SELECT TO llm_council_app
    USING (named_project() IS NOT NULL
           AND EXISTS (SELECT FROM conversations c WHERE c.id = conversation_id AND c.project_id = named_project()));
-- Which files a question came with, not what is in them.
CREATE POLICY reads_in_project ON message_attachments FOR SELECT TO llm_council_app
    USING (named_project() IS NOT NULL
           AND EXISTS (SELECT FROM messages m JOIN conversations c ON c.id = m.conversation_id
                       WHERE m.id = message_id AND c.project_id = named_project()));

GRANT SELECT, INSERT, DELETE, UPDATE (name, instructions, defaults, updated_at) ON projects TO llm_council_app;
GRANT SELECT, INSERT, DELETE, UPDATE (role) ON project_members TO llm_council_app;
GRANT SELECT, DELETE ON projects TO llm_council_engine;
GRANT SELECT, INSERT, DELETE, UPDATE (role) ON project_members TO llm_council_engine;

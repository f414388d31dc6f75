-- How long conversations in a project are kept, where an administrator has chosen that for it.
--
-- Locks: `projects`, `project_members` and `conversations` for a moment each (columns without a default, a trigger, policies); no row is
-- written. The version before this one goes on working beside it and deletes by the rule for all, also in projects with a longer one: end
-- it before the first project gets a rule.

ALTER TABLE projects
    -- Null: the rule for all counts. 0: for as long as their owners want.
    ADD COLUMN retention_days  integer CHECK (retention_days >= 0),
    -- When that was chosen last, also where it was taken back: nothing is deleted in the week after.
    ADD COLUMN retention_since timestamptz,
    ADD COLUMN retention_by    text;

-- When it came into the project that it is in, or out of one. Another rule counts from then on, and deletes nothing in its first week.
ALTER TABLE conversations ADD COLUMN moved_at timestamptz;

CREATE FUNCTION note_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.moved_at := now();
    RETURN NEW;
END
$$;
-- By whomever: also where the project is deleted.
CREATE TRIGGER note_move BEFORE UPDATE OF project_id ON conversations
    FOR EACH ROW WHEN (NEW.project_id IS DISTINCT FROM OLD.project_id) EXECUTE FUNCTION note_move();

-- The rule for a conversation in this project that was moved there then, and since when it counts. Whose conversation is in a project need
-- not be in it any more, so it looks with the engine's eyes.
CREATE FUNCTION rule_in_project(project uuid, moved_at timestamptz) RETURNS TABLE (days integer, since timestamptz)
LANGUAGE sql STABLE SET role = 'llm_council_engine' SET search_path FROM CURRENT AS $$
    SELECT coalesce(p.retention_days, r.days),
           greatest(CASE WHEN p.retention_days IS NULL THEN r.since END, p.retention_since, moved_at)
    FROM projects p LEFT JOIN retention r ON true WHERE p.id = project
$$;

-- Administrators choose it, and see of a project who owns it, but neither its name nor what it says.
CREATE POLICY admin_reads ON projects FOR SELECT TO llm_council_admin USING (true);
CREATE POLICY admin_changes ON projects FOR UPDATE TO llm_council_admin USING (true) WITH CHECK (true);
CREATE POLICY admin_reads ON project_members FOR SELECT TO llm_council_admin USING (true);
GRANT SELECT (id, created_at, retention_days, retention_since, retention_by),
      UPDATE (retention_days, retention_since, retention_by) ON projects TO llm_council_admin;
GRANT SELECT (project_id, kind, name, role) ON project_members TO llm_council_admin;
GRANT UPDATE (retention_by) ON projects TO llm_council_engine;

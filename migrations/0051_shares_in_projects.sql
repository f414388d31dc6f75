-- Links for the members of a project alone: for whoever has a role in it at the moment of reading, by name or by a group.
--
-- Locks: `shares` and `projects` for a moment each: a column without a default, whose reference needs no look at the rows that there
-- are, policies, and an index of no rows, for which the table is read once. The version before this one goes on working beside it: these
-- policies keep such a link from others there, too. It names no groups when it reads a link, so whoever is in the project by a group alone
-- gets a 404 from it; and it knows no project when it makes one, so its links are for everybody.

-- Null: for everybody who has the link.
ALTER TABLE shares ADD COLUMN project_id uuid REFERENCES projects (id) ON DELETE CASCADE;
CREATE INDEX shares_by_project ON shares (project_id) WHERE project_id IS NOT NULL;

ALTER POLICY reads_with_link ON shares
    USING (id::text = nullif(current_setting('app.share_id', true), '') AND expires_at > now()
           AND (project_id IS NULL OR project_role(project_id) IS NOT NULL));
-- Nobody shares with a project that they are not in.
ALTER POLICY own_rows ON shares
    WITH CHECK (user_id = nullif(current_setting('app.user_id', true), '')
                AND (project_id IS NULL OR project_role(project_id) IS NOT NULL));

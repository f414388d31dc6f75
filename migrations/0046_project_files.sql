-- Files of projects: read with every question in one, as its instructions are.
--
-- Locks: a new table, so nobody waits but for a moment for `projects`, which it refers to; `messages` for a moment (a column without a
-- default); no row is written. The version before this one goes on working beside it: what is asked there in a project is asked
-- without the files of the project.

CREATE TABLE project_files (
    project_id  uuid        NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    -- SHA-256 of the content, as hexadecimal digits: a file is in a project once. Who has put it there is in the audit log alone.
    id          text        NOT NULL CHECK (id ~ '^[0-9a-f]{64}$'),
    -- As it was called when it was uploaded last.
    filename    text        NOT NULL CHECK (filename <> '' AND octet_length(filename) <= 255),
    file_type   text        NOT NULL,
    mime_type   text        NOT NULL,
    size        bigint      NOT NULL CHECK (size > 0),
    content     bytea       NOT NULL,
    -- What it says. A file of which that could not be found out is not kept.
    text        text        NOT NULL,
    characters  bigint      NOT NULL,
    -- Whether there is more in it than is kept of its text.
    text_is_cut boolean     NOT NULL DEFAULT false,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id)
);
-- Files are mostly compressed already.
ALTER TABLE project_files ALTER COLUMN content SET STORAGE EXTERNAL;

-- Which files of its project a question was read with, as they were then: names and lengths, and nothing that leads to a file. Null
-- where there were none, as for every question from before.
ALTER TABLE messages ADD COLUMN project_files jsonb;

-- Row level security -----------------------------------------------------------------------------
ALTER TABLE project_files ENABLE ROW LEVEL SECURITY;
ALTER TABLE project_files FORCE ROW LEVEL SECURITY;
REVOKE ALL ON project_files FROM PUBLIC;

-- Who reads the project's instructions reads its files, and who changes the ones changes the others.
CREATE POLICY member_reads ON project_files FOR SELECT TO llm_council_app
    USING (project_id IN (SELECT m.project_id FROM project_members m WHERE is_caller(m.kind, m.name)));
CREATE POLICY owner_adds ON project_files FOR INSERT TO llm_council_app
    WITH CHECK (project_id = named_project() AND (SELECT project_role(named_project())) = 'owner');
CREATE POLICY owner_changes ON project_files FOR UPDATE TO llm_council_app
    USING (project_id = named_project() AND (SELECT project_role(named_project())) = 'owner');
CREATE POLICY owner_removes ON project_files FOR DELETE TO llm_council_app
    USING (project_id = named_project() AND (SELECT project_role(named_project())) = 'owner');

GRANT SELECT, INSERT, DELETE, UPDATE (filename) ON project_files TO llm_council_app;

-- Files in an object store, in the place of the database.
--
-- Locks: `attachments` and `project_files` for themselves for a moment each (a column without a default, a column that may be empty, a check
-- that looks at no row, a trigger); for their indexes each row is looked at once, none of it written and no content read, and uploads
-- wait meanwhile. The version before this one goes on working beside it: it keeps files in the database, and whatever it deletes is
-- removed from the object store as well. It cannot hand out what this one keeps there: end it before an object store is configured.

-- Objects that no file points to: those on their way in, and those on their way out. A row is there before its object, and until its object
-- is gone. It has no user and no content.
CREATE TABLE loose_objects (
    key        uuid        PRIMARY KEY,
    -- When the object is removed: an hour after its upload began, at once when its file was deleted, and anew a while after
    -- somebody has begun to.
    due_at     timestamptz NOT NULL,
    -- Somebody has begun to remove it: no file may come to point to it any more.
    is_leaving boolean     NOT NULL DEFAULT false
);
CREATE INDEX loose_objects_due ON loose_objects (due_at);

ALTER TABLE attachments
    ADD COLUMN object_key uuid,
    ALTER COLUMN content DROP NOT NULL,
    ADD CONSTRAINT attachments_place CHECK ((content IS NULL) <> (object_key IS NULL)) NOT VALID;
ALTER TABLE project_files
    ADD COLUMN object_key uuid,
    ALTER COLUMN content DROP NOT NULL,
    ADD CONSTRAINT project_files_place CHECK ((content IS NULL) <> (object_key IS NULL)) NOT VALID;
CREATE UNIQUE INDEX attachments_by_object ON attachments (object_key) WHERE object_key IS NOT NULL;
CREATE UNIQUE INDEX project_files_by_object ON project_files (object_key) WHERE object_key IS NOT NULL;

-- Row level security -----------------------------------------------------------------------------
ALTER TABLE loose_objects ENABLE ROW LEVEL SECURITY;
ALTER TABLE loose_objects FORCE ROW LEVEL SECURITY;
REVOKE ALL ON loose_objects FROM PUBLIC;
CREATE POLICY engine ON loose_objects TO llm_council_engine USING (true) WITH CHECK (true);
-- Whoever uploads or deletes a file notes its object, and reads none.
CREATE POLICY noted ON loose_objects FOR INSERT WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON loose_objects TO llm_council_engine;
GRANT INSERT ON loose_objects TO llm_council_app;

-- Nothing is removed that a file points to.
CREATE POLICY engine ON project_files FOR SELECT TO llm_council_engine USING (true);
GRANT SELECT (object_key) ON project_files TO llm_council_engine;

-- A file is about to point to this object, in this transaction; false where it is too late, since it is being removed. Who
-- uploads reads no row, so it looks with the engine's eyes.
CREATE FUNCTION place_object(object uuid) RETURNS boolean
LANGUAGE plpgsql SET role = 'llm_council_engine' SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM loose_objects WHERE key = object AND NOT is_leaving;
    RETURN FOUND;
END
$$;

CREATE FUNCTION note_loose_object() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO loose_objects (key, due_at) VALUES (OLD.object_key, now()) ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
-- By whomever, and whatever took the file along: also where its project is deleted.
CREATE TRIGGER note_loose_object AFTER DELETE ON attachments
    FOR EACH ROW WHEN (OLD.object_key IS NOT NULL) EXECUTE FUNCTION note_loose_object();
CREATE TRIGGER note_loose_object AFTER DELETE ON project_files
    FOR EACH ROW WHEN (OLD.object_key IS NOT NULL) EXECUTE FUNCTION note_loose_object();

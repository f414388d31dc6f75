-- Own data: erasing all of a person's, holds that keep it, how long conversations are kept, and access to somebody's
-- conversations by two administrators.
--
-- Locks: new tables, and policies and rights on those that are there, which each need their table for themselves for a
-- moment; nothing is read or rewritten. The version before this one goes on working beside it: it purges in spite of a
-- hold, and lets somebody whose data is being erased go on writing, so end it before the first hold is placed.

-- What holds: everything that is somebody's stays, whoever wants it deleted.
CREATE TABLE legal_holds (
    user_id   text        PRIMARY KEY CHECK (user_id <> ''),
    reason    text        NOT NULL CHECK (reason <> ''),
    placed_by text        NOT NULL,
    placed_at timestamptz NOT NULL DEFAULT now()
);

-- Erasures that have begun and are not over. Whoever dies in one finds it here and goes on.
CREATE TABLE erasures (
    user_id     text        PRIMARY KEY CHECK (user_id <> ''),
    -- Whose the costs are from then on, and whose the lines of the audit log. Nothing leads from one to the other, nor
    -- from either to the person, once this row is gone.
    ledger_name text        NOT NULL DEFAULT 'erased-' || replace(gen_random_uuid()::text, '-', ''),
    audit_name  text        NOT NULL DEFAULT 'erased-' || replace(gen_random_uuid()::text, '-', ''),
    begun_at    timestamptz NOT NULL DEFAULT now()
);

-- How long conversations are kept that nothing happens in. Holds at most one row.
CREATE TABLE retention (
    singleton   boolean     PRIMARY KEY DEFAULT true CHECK (singleton),
    -- What an administrator has chosen; null: what is configured. 0: for as long as their owners want.
    chosen_days integer     CHECK (chosen_days >= 0),
    chosen_by   text,
    -- What is in force, and since when: nothing is deleted before people had a week to read of it.
    days        integer     NOT NULL CHECK (days >= 0),
    since       timestamptz NOT NULL DEFAULT now()
);

-- One administrator asks to read somebody's conversations, another one agrees.
CREATE TABLE access_requests (
    id           uuid        PRIMARY KEY,
    user_id      text        NOT NULL CHECK (user_id <> ''),
    reason       text        NOT NULL CHECK (reason <> ''),
    hours        integer     NOT NULL CHECK (hours BETWEEN 1 AND 24),
    requested_by text        NOT NULL CHECK (requested_by <> user_id),
    requested_at timestamptz NOT NULL DEFAULT now(),
    approved_by  text        CHECK (approved_by <> requested_by AND approved_by <> user_id),
    approved_at  timestamptz,
    expires_at   timestamptz,
    revoked_by   text,
    revoked_at   timestamptz,
    CHECK ((approved_by IS NULL) = (approved_at IS NULL) AND (approved_at IS NULL) = (expires_at IS NULL)),
    CHECK ((revoked_by IS NULL) = (revoked_at IS NULL))
);
CREATE INDEX access_requests_by_user ON access_requests (user_id, requested_at DESC);

-- What was read with one. Rows are added, never changed.
CREATE TABLE access_reads (
    id              bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    request_id      uuid        NOT NULL REFERENCES access_requests (id) ON DELETE CASCADE,
    user_id         text        NOT NULL,
    read_by         text        NOT NULL,
    -- Null: the list of them.
    conversation_id uuid,
    read_at         timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX access_reads_by_request ON access_reads (request_id, id);
CREATE INDEX access_reads_by_user ON access_reads (user_id, id);

-- Row level security -----------------------------------------------------------------------------
DO $rls$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['legal_holds', 'erasures', 'access_requests', 'access_reads'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY engine ON %I TO llm_council_engine USING (true) WITH CHECK (true)', name);
        EXECUTE format('REVOKE ALL ON %I FROM PUBLIC', name);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['legal_holds', 'erasures', 'access_reads'] LOOP
        EXECUTE format(
            'CREATE POLICY own_rows ON %I FOR SELECT TO llm_council_app
                 USING (user_id = nullif(current_setting(''app.user_id'', true), ''''))', name);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['legal_holds', 'access_requests'] LOOP
        EXECUTE format('CREATE POLICY admin ON %I TO llm_council_admin USING (true) WITH CHECK (true)', name);
    END LOOP;
END
$rls$;
REVOKE ALL ON retention FROM PUBLIC;
CREATE POLICY admin_reads ON erasures FOR SELECT TO llm_council_admin USING (true);
CREATE POLICY admin_reads ON access_reads FOR SELECT TO llm_council_admin USING (true);

-- Whom a request is about sees it once it counts; who it lets in sees it always.
CREATE POLICY own_rows ON access_requests FOR SELECT TO llm_council_app
    USING (
        (user_id = nullif(current_setting('app.user_id', true), '') AND approved_at IS NOT NULL)
        OR nullif(current_setting('app.user_id', true), '') IN (requested_by, approved_by)
    );

-- Whose conversations the transaction's user may read, beside their own, with the request that the transaction names.
CREATE FUNCTION user_with_access() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT a.user_id FROM access_requests a
    WHERE a.id = nullif(current_setting('app.access_request', true), '')::uuid
      AND nullif(current_setting('app.user_id', true), '') IN (a.requested_by, a.approved_by)
      AND a.approved_at IS NOT NULL AND a.revoked_at IS NULL AND a.expires_at > now()
$$;
DO $access$
DECLARE
    name text;
BEGIN
    -- For reading only: writing stays with one's own rows. The name stands after `own_rows`, and so is asked after it.
    FOREACH name IN ARRAY ARRAY['conversations', 'messages', 'message_versions', 'runs'] LOOP
        EXECUTE format(
            'CREATE POLICY reads_with_access ON %I FOR SELECT TO llm_council_app
                 USING (nullif(current_setting(''app.access_request'', true), '''') IS NOT NULL
                        AND user_id = user_with_access())', name);
    END LOOP;
END
$access$;
-- Who reads notes it in the same breath.
CREATE POLICY reads_with_access ON access_reads FOR INSERT TO llm_council_app
    WITH CHECK (user_id = user_with_access()
                AND request_id = nullif(current_setting('app.access_request', true), '')::uuid
                AND read_by = nullif(current_setting('app.user_id', true), ''));

GRANT SELECT ON legal_holds, erasures, access_requests, retention TO llm_council_app, llm_council_engine, llm_council_admin;
GRANT SELECT ON access_reads TO llm_council_app, llm_council_admin;
GRANT INSERT (request_id, user_id, read_by, conversation_id) ON access_reads TO llm_council_app;
GRANT INSERT, DELETE ON legal_holds TO llm_council_admin;
GRANT INSERT, UPDATE (approved_by, approved_at, expires_at, revoked_by, revoked_at) ON access_requests
    TO llm_council_admin;
GRANT INSERT, UPDATE ON retention TO llm_council_admin, llm_council_engine;

-- Erasing ----------------------------------------------------------------------------------------
-- Each transaction of a user begins with this: nobody writes while all that is theirs is being erased, and an erasure
-- begins when no such transaction is under way.
CREATE FUNCTION enter_as(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('own_data/' || name, 0));
    IF EXISTS (SELECT FROM erasures WHERE user_id = name) THEN
        RAISE EXCEPTION 'all data of this user is being erased' USING ERRCODE = 'LC003';
    END IF;
END
$$;

GRANT INSERT, UPDATE, DELETE ON erasures TO llm_council_engine;
GRANT SELECT, UPDATE (placed_by) ON legal_holds TO llm_council_engine;
GRANT SELECT, DELETE, UPDATE (requested_by, approved_by, revoked_by) ON access_requests TO llm_council_engine;
GRANT SELECT, DELETE, UPDATE (read_by) ON access_reads TO llm_council_engine;

-- The engine erases: of tables that it had no business in it reaches the rows of people who are being erased, and
-- of the others it may delete only those.
DO $erasing$
DECLARE
    name text;
    owner text;
BEGIN
    FOREACH name IN ARRAY ARRAY['users', 'user_settings', 'presets', 'analytics_cleared', 'message_versions', 'benches',
                                'bench_items', 'kept_users', 'feedback'] LOOP
        owner := CASE WHEN name IN ('users', 'kept_users') THEN 'id' ELSE 'user_id' END;
        EXECUTE format('CREATE POLICY erasure ON %I TO llm_council_engine
                            USING (%I IN (SELECT e.user_id FROM erasures e))', name, owner);
        EXECUTE format('GRANT SELECT, DELETE ON %I TO llm_council_engine', name);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['tokens', 'webhooks', 'user_caps', 'access_requests', 'access_reads'] LOOP
        EXECUTE format('CREATE POLICY erasure_only ON %I AS RESTRICTIVE FOR DELETE TO llm_council_engine
                            USING (user_id IN (SELECT e.user_id FROM erasures e))', name);
        EXECUTE format('GRANT DELETE ON %I TO llm_council_engine', name);
    END LOOP;
END
$erasing$;
CREATE POLICY erasure_only ON budgets AS RESTRICTIVE FOR DELETE TO llm_council_engine
    USING (scope = 'user' AND name IN (SELECT e.user_id FROM erasures e));
GRANT DELETE, UPDATE (updated_by) ON budgets TO llm_council_engine;
GRANT UPDATE (user_id) ON spent_days TO llm_council_engine;
GRANT UPDATE (updated_by) ON instance_settings TO llm_council_engine;

-- The audit log loses the name, never a line: in the rows of who is erased, and where others' rows name them.
CREATE POLICY erasure_reads ON audit_log FOR SELECT TO llm_council_engine
    USING (EXISTS (SELECT FROM erasures));
CREATE POLICY erasure ON audit_log FOR UPDATE TO llm_council_engine
    USING (EXISTS (SELECT FROM erasures)) WITH CHECK (true);
CREATE POLICY erasure_appends ON audit_log FOR INSERT TO llm_council_engine
    WITH CHECK (user_id IN (SELECT e.audit_name FROM erasures e));
GRANT SELECT, INSERT, UPDATE (user_id, target, details) ON audit_log TO llm_council_engine;

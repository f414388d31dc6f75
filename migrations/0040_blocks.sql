-- Blocked users: nothing is done in their name until an administrator lets them in again. And administrators end runs.
--
-- Locks: a new table; `runs` for a moment (a policy). The version before this one goes on working beside it: it refuses
-- people who are blocked as well, with 500 instead of 403, and cannot block or end anything itself.

CREATE TABLE blocked_users (
    user_id    text        PRIMARY KEY CHECK (user_id <> ''),
    -- For administrators; the user is told only that there is a block.
    reason     text        NOT NULL CHECK (reason <> ''),
    blocked_by text        NOT NULL,
    blocked_at timestamptz NOT NULL DEFAULT now()
);

-- Row level security -----------------------------------------------------------------------------
ALTER TABLE blocked_users ENABLE ROW LEVEL SECURITY;
ALTER TABLE blocked_users FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON blocked_users FOR SELECT TO llm_council_app
    USING (user_id = nullif(current_setting('app.user_id', true), ''));
CREATE POLICY engine ON blocked_users TO llm_council_engine USING (true) WITH CHECK (true);
CREATE POLICY admin ON blocked_users TO llm_council_admin USING (true) WITH CHECK (true);

REVOKE ALL ON blocked_users FROM PUBLIC;
GRANT SELECT (user_id) ON blocked_users TO llm_council_app;
GRANT SELECT, UPDATE (blocked_by) ON blocked_users TO llm_council_engine;
GRANT SELECT, INSERT, DELETE ON blocked_users TO llm_council_admin;

-- That a run is to end is all that administrators may write in it.
CREATE POLICY admin_ends ON runs FOR UPDATE TO llm_council_admin USING (status IN ('queued', 'running')) WITH CHECK (true);
GRANT SELECT (cancel_requested_at), UPDATE (cancel_requested_at) ON runs TO llm_council_admin;

-- As in migration 30; and nothing is done in the name of somebody who is blocked.
CREATE OR REPLACE FUNCTION enter_as(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('own_data/' || name, 0));
    IF EXISTS (SELECT FROM erasures WHERE user_id = name) THEN
        RAISE EXCEPTION 'all data of this user is being erased' USING ERRCODE = 'LC003';
    END IF;
    IF EXISTS (SELECT FROM blocked_users WHERE user_id = name) THEN
        RAISE EXCEPTION 'this user is blocked' USING ERRCODE = 'LC004';
    END IF;
END
$$;

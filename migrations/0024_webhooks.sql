-- Webhooks: which programs are told when a run ends, and what they have been told.
--
-- Locks: two new tables, so nobody waits. The version before this one goes on working beside it: runs that end there
-- are told of by nobody.

CREATE TABLE webhooks (
    id              uuid        PRIMARY KEY,
    -- NULL: the instance's. It is told of everybody's runs.
    user_id         text        CHECK (user_id <> ''),
    url             text        NOT NULL,
    events          text[]      NOT NULL,
    -- Question, answer and title are sent too. Only of one's own runs.
    includes_content boolean    NOT NULL DEFAULT false CHECK (NOT (includes_content AND user_id IS NULL)),
    -- What deliveries are signed with. It has to be known, so it is no hash; only the engine reads it.
    secret          bytea       NOT NULL,
    is_enabled      boolean     NOT NULL DEFAULT true,
    -- Why nothing is sent any more, where that was not its owner's wish.
    disabled_reason text,
    created_at      timestamptz NOT NULL DEFAULT now(),
    -- A server is sending to it, or it has just failed.
    busy_until      timestamptz
);
CREATE INDEX webhooks_by_user ON webhooks (user_id);

-- The outbox: a row is written in the transaction that ends the run. What is sent is made of the run when it is sent, so
-- that nothing of anybody's content is here.
CREATE TABLE webhook_deliveries (
    id              uuid        PRIMARY KEY,
    webhook_id      uuid        NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    -- The webhook's.
    user_id         text        CHECK (user_id <> ''),
    -- NULL: a test.
    run_id          uuid        REFERENCES runs (id),
    event           text        NOT NULL,
    status          text        NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
    attempts        integer     NOT NULL DEFAULT 0,
    created_at      timestamptz NOT NULL DEFAULT now(),
    -- Only while it is pending.
    next_attempt_at timestamptz DEFAULT now() CHECK ((next_attempt_at IS NOT NULL) = (status = 'pending')),
    last_attempt_at timestamptz,
    -- The receiver's status, where it answered.
    last_status     integer,
    -- Why the last attempt failed, for people.
    last_error      text
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at, webhook_id) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, created_at DESC);
CREATE INDEX webhook_deliveries_by_run ON webhook_deliveries (run_id);

-- Row level security -----------------------------------------------------------------------------
DO $rls$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['webhooks', 'webhook_deliveries'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY own_rows ON %1$I TO llm_council_app
                 USING (user_id = nullif(current_setting(''app.user_id'', true), ''''))
                 WITH CHECK (user_id = nullif(current_setting(''app.user_id'', true), ''''))', name);
        EXECUTE format('CREATE POLICY engine ON %I TO llm_council_engine USING (true) WITH CHECK (true)', name);
        -- Admins see and change what is the instance's, nobody's own.
        EXECUTE format('CREATE POLICY instance ON %I TO llm_council_admin USING (user_id IS NULL)
                            WITH CHECK (user_id IS NULL)', name);
    END LOOP;
END
$rls$;

-- Grants -----------------------------------------------------------------------------------------
REVOKE ALL ON webhooks, webhook_deliveries FROM PUBLIC;
GRANT SELECT (id, user_id, url, events, includes_content, is_enabled, disabled_reason, created_at), INSERT, DELETE,
      UPDATE (url, events, includes_content, secret, is_enabled, disabled_reason, busy_until)
    ON webhooks TO llm_council_app, llm_council_admin;
GRANT SELECT, INSERT, UPDATE (status, attempts, next_attempt_at) ON webhook_deliveries
    TO llm_council_app, llm_council_admin;
GRANT SELECT, UPDATE ON webhooks TO llm_council_engine;
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_deliveries TO llm_council_engine;

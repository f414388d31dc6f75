-- The foundation: roles, tables, row level security, views for admins.
--
-- Two walls keep one user's data from another: every query of the application filters by user, and
-- every table with user data has row level security that is FORCEd, so that it binds the tables'
-- owner too. Each transaction of the application takes one of the three roles below (SET LOCAL
-- ROLE), none of which can bypass it, so a superuser as the configured database user is bound as well.
--
-- Locks: everything here is new, nothing waits.

-- Roles ------------------------------------------------------------------------------------------
-- Roles belong to the whole cluster: another database of the same cluster may be creating them at
-- this very moment, hence the handlers around each statement.
DO $roles$
DECLARE
    wanted text;
    problem text;
    membership text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['llm_council_app', 'llm_council_engine', 'llm_council_admin'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB', wanted);
            EXCEPTION
                WHEN duplicate_object OR unique_violation THEN NULL;
                WHEN insufficient_privilege THEN
                    RAISE EXCEPTION 'the database user % may not create roles', current_user
                        USING ERRCODE = 'LC001';
            END;
        END IF;

        SELECT CASE
            WHEN rolsuper THEN 'is a superuser'
            WHEN rolbypassrls THEN 'may bypass row level security'
            WHEN rolcanlogin THEN 'may log in'
        END INTO problem FROM pg_roles WHERE rolname = wanted;
        IF problem IS NOT NULL THEN
            RAISE EXCEPTION 'the role % %', wanted, problem USING ERRCODE = 'LC002';
        END IF;

        -- A superuser may take any role. From version 16 on, membership and the right to SET ROLE
        -- are two things; asking for no inheritance keeps the configured user itself without rights.
        membership := CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END;
        FOR attempt IN 1..20 LOOP
            EXIT WHEN pg_has_role(current_user, wanted, membership);
            BEGIN
                IF membership = 'SET' THEN
                    EXECUTE format('GRANT %I TO %I WITH SET TRUE, INHERIT FALSE', wanted, current_user);
                ELSE
                    EXECUTE format('GRANT %I TO %I', wanted, current_user);
                END IF;
            EXCEPTION
                WHEN unique_violation OR internal_error THEN PERFORM pg_sleep(0.05);
                WHEN insufficient_privilege THEN
                    RAISE EXCEPTION 'the database user % may not take the role %', current_user, wanted
                        USING ERRCODE = 'LC001';
            END;
        END LOOP;
        IF NOT pg_has_role(current_user, wanted, membership) THEN
            RAISE EXCEPTION 'the database user % could not be given the role %', current_user, wanted
                USING ERRCODE = 'LC001';
        END IF;
    END LOOP;
END
$roles$;

-- Tables -----------------------------------------------------------------------------------------
CREATE TABLE users (
    id           text        PRIMARY KEY CHECK (id <> ''),
    email        text,
    name         text,
    created_at   timestamptz NOT NULL DEFAULT now(),
    last_seen_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE conversations (
    id               uuid        PRIMARY KEY,
    user_id          text        NOT NULL CHECK (user_id <> ''),
    title            text        NOT NULL DEFAULT 'New Conversation',
    title_is_default boolean     NOT NULL DEFAULT true,
    tags             text[]      NOT NULL DEFAULT '{}',
    archived         boolean     NOT NULL DEFAULT false,
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now(),
    deleted_at       timestamptz,
    UNIQUE (id, user_id)
);
CREATE INDEX conversations_by_user ON conversations (user_id, created_at DESC, id);
CREATE INDEX conversations_deleted ON conversations (deleted_at) WHERE deleted_at IS NOT NULL;

-- No index on `search`: row level security comes before any operator that is not leakproof, and
-- full-text matching is not, so the planner goes by user and matches that user's rows only.
-- The text is cut before it is indexed, because a tsvector may not exceed 1 MiB and a long answer
-- must never fail to be stored.
CREATE TABLE messages (
    id              uuid        PRIMARY KEY,
    conversation_id uuid        NOT NULL,
    user_id         text        NOT NULL,
    position        integer     NOT NULL CHECK (position >= 0),
    role            text        NOT NULL CHECK (role IN ('user', 'assistant')),
    content         text,
    body            jsonb,
    run_id          uuid,
    created_at      timestamptz NOT NULL DEFAULT now(),
    search          tsvector    GENERATED ALWAYS AS
                                (to_tsvector('simple'::regconfig, left(coalesce(content, ''), 100000))) STORED,
    UNIQUE (conversation_id, position),
    FOREIGN KEY (conversation_id, user_id) REFERENCES conversations (id, user_id) ON DELETE CASCADE
);
CREATE INDEX messages_by_user ON messages (user_id);
CREATE INDEX messages_by_run ON messages (run_id) WHERE run_id IS NOT NULL;

-- No foreign key to conversations or messages: the ledger outlives what it paid for.
CREATE TABLE runs (
    id                  uuid        PRIMARY KEY,
    user_id             text        NOT NULL CHECK (user_id <> ''),
    conversation_id     uuid        NOT NULL,
    message_id          uuid        NOT NULL,
    format              text        NOT NULL,
    status              text        NOT NULL CHECK (status IN ('queued', 'running', 'complete', 'failed', 'cancelled')),
    plan                jsonb       NOT NULL,
    idempotency_key     text,
    error               jsonb,
    error_kind          text        GENERATED ALWAYS AS (error ->> 'kind') STORED,
    attempt             integer     NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    owner               text,
    lease_until         timestamptz,
    cancel_requested_at timestamptz,
    created_at          timestamptz NOT NULL DEFAULT now(),
    started_at          timestamptz,
    finished_at         timestamptz,
    CONSTRAINT runs_idempotency_key UNIQUE (user_id, idempotency_key)
);
CREATE UNIQUE INDEX runs_one_live_per_conversation ON runs (conversation_id) WHERE status IN ('queued', 'running');
CREATE INDEX runs_to_take ON runs (lease_until NULLS FIRST, created_at) WHERE status IN ('queued', 'running');
CREATE INDEX runs_by_user ON runs (user_id, created_at DESC);
CREATE INDEX runs_by_conversation ON runs (conversation_id);
CREATE INDEX runs_by_time ON runs (created_at DESC);

CREATE TABLE calls (
    run_id            uuid             NOT NULL REFERENCES runs (id),
    key               text             NOT NULL,
    user_id           text             NOT NULL,
    stage             text             NOT NULL,
    model             text             NOT NULL,
    provider          text,
    purpose           text             NOT NULL,
    fingerprint       text             NOT NULL,
    outcome           text             NOT NULL,
    result            jsonb,
    prompt_tokens     bigint           CHECK (prompt_tokens >= 0),
    completion_tokens bigint           CHECK (completion_tokens >= 0),
    reasoning_tokens  bigint           CHECK (reasoning_tokens >= 0),
    cached_tokens     bigint           CHECK (cached_tokens >= 0),
    total_tokens      bigint           CHECK (total_tokens >= 0),
    cost_usd          double precision CHECK (cost_usd >= 0),
    latency_ms        bigint           CHECK (latency_ms >= 0),
    ttft_ms           bigint           CHECK (ttft_ms >= 0),
    tries             integer          NOT NULL CHECK (tries >= 0),
    finished_at       timestamptz      NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, key)
);
CREATE INDEX calls_by_user ON calls (user_id, finished_at DESC);
CREATE INDEX calls_by_time ON calls (finished_at DESC);

CREATE TABLE decisions (
    run_id     uuid        NOT NULL REFERENCES runs (id),
    key        text        NOT NULL,
    user_id    text        NOT NULL,
    value      jsonb       NOT NULL,
    decided_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, key)
);

-- One row is one group of events, `frames` their text as clients read it.
CREATE TABLE run_events (
    run_id    uuid   NOT NULL REFERENCES runs (id),
    first_seq bigint NOT NULL CHECK (first_seq >= 0),
    last_seq  bigint NOT NULL,
    user_id   text   NOT NULL,
    frames    text   NOT NULL,
    PRIMARY KEY (run_id, first_seq),
    CHECK (last_seq >= first_seq)
);

CREATE TABLE user_settings (
    user_id    text        PRIMARY KEY CHECK (user_id <> ''),
    value      jsonb       NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now()
);

-- Holds at most one row.
CREATE TABLE instance_settings (
    singleton  boolean     PRIMARY KEY DEFAULT true CHECK (singleton),
    value      jsonb       NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    updated_by text        NOT NULL
);

CREATE TABLE tokens (
    id           uuid        PRIMARY KEY,
    user_id      text        NOT NULL CHECK (user_id <> ''),
    name         text        NOT NULL,
    hash         bytea       NOT NULL UNIQUE,
    permissions  text[]      NOT NULL DEFAULT '{}',
    created_at   timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz,
    last_used_at timestamptz,
    revoked_at   timestamptz
);
CREATE INDEX tokens_by_user ON tokens (user_id, created_at DESC);

-- Append only: no role of the application may change or delete a row.
CREATE TABLE audit_log (
    id      bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at      timestamptz NOT NULL DEFAULT now(),
    user_id text        NOT NULL,
    action  text        NOT NULL,
    target  text,
    details jsonb       NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_log_by_user ON audit_log (user_id, id DESC);

-- Row level security -----------------------------------------------------------------------------
-- NULL (never set) and '' (set and reset) both deny: nullif makes the comparison NULL.
DO $rls$
DECLARE
    name text;
    owner text;
BEGIN
    FOREACH name IN ARRAY ARRAY['users', 'conversations', 'messages', 'runs', 'calls', 'decisions', 'run_events',
                                'user_settings', 'tokens', 'audit_log'] LOOP
        owner := CASE name WHEN 'users' THEN 'id' ELSE 'user_id' END;
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY own_rows ON %1$I TO llm_council_app
                 USING (%2$I = nullif(current_setting(''app.user_id'', true), ''''))
                 WITH CHECK (%2$I = nullif(current_setting(''app.user_id'', true), ''''))',
            name, owner);
    END LOOP;

    -- The engine runs everyone's deliberations and looks up the token a request presents.
    FOREACH name IN ARRAY ARRAY['conversations', 'messages', 'runs', 'calls', 'decisions', 'run_events', 'tokens'] LOOP
        EXECUTE format('CREATE POLICY engine ON %I TO llm_council_engine USING (true) WITH CHECK (true)', name);
    END LOOP;

    -- Admins see rows of everyone; the columns they are granted below hold no content.
    FOREACH name IN ARRAY ARRAY['users', 'runs', 'calls', 'audit_log'] LOOP
        EXECUTE format('CREATE POLICY admin_reads ON %I FOR SELECT TO llm_council_admin USING (true)', name);
    END LOOP;
END
$rls$;
CREATE POLICY admin_appends ON audit_log FOR INSERT TO llm_council_admin WITH CHECK (true);

-- Grants -----------------------------------------------------------------------------------------
-- A table someone else may read by default (ALTER DEFAULT PRIVILEGES) is closed here.
REVOKE ALL ON users, conversations, messages, runs, calls, decisions, run_events, user_settings,
    instance_settings, tokens, audit_log FROM PUBLIC;

GRANT SELECT, INSERT, UPDATE ON users TO llm_council_app;
GRANT SELECT, INSERT, UPDATE ON conversations TO llm_council_app;
GRANT SELECT, INSERT, UPDATE ON messages TO llm_council_app;
GRANT SELECT, INSERT, UPDATE ON runs TO llm_council_app;
GRANT SELECT ON calls, decisions, run_events, instance_settings TO llm_council_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON user_settings TO llm_council_app;
GRANT SELECT, INSERT ON tokens, audit_log TO llm_council_app;
GRANT UPDATE (name, revoked_at) ON tokens TO llm_council_app;

GRANT SELECT, INSERT, UPDATE, DELETE ON conversations, messages TO llm_council_engine;
GRANT SELECT, INSERT, UPDATE ON runs, calls TO llm_council_engine;
GRANT SELECT, INSERT, UPDATE, DELETE ON decisions, run_events TO llm_council_engine;
GRANT SELECT ON instance_settings, tokens TO llm_council_engine;
GRANT UPDATE (last_used_at) ON tokens TO llm_council_engine;

GRANT SELECT ON users, audit_log TO llm_council_admin;
GRANT INSERT ON audit_log TO llm_council_admin;
GRANT SELECT, INSERT, UPDATE ON instance_settings TO llm_council_admin;
GRANT SELECT (id, user_id, format, status, error_kind, attempt, created_at, started_at, finished_at)
    ON runs TO llm_council_admin;
GRANT SELECT (run_id, key, user_id, stage, model, provider, purpose, outcome, prompt_tokens, completion_tokens,
              reasoning_tokens, cached_tokens, total_tokens, cost_usd, latency_ms, ttft_ms, tries, finished_at)
    ON calls TO llm_council_admin;

-- Views for admins -------------------------------------------------------------------------------
-- They run with the rights of who asks (security_invoker), so they show no more than the grants above.
CREATE VIEW admin_calls WITH (security_invoker = true) AS
    SELECT c.run_id, c.key, c.user_id, c.stage, c.model, c.provider, c.purpose, c.outcome, r.format,
           c.prompt_tokens, c.completion_tokens, c.reasoning_tokens, c.cached_tokens, c.total_tokens,
           c.cost_usd, c.latency_ms, c.ttft_ms, c.tries, c.finished_at
    FROM calls c JOIN runs r ON r.id = c.run_id;

CREATE VIEW admin_runs WITH (security_invoker = true) AS
    SELECT r.id, r.user_id, r.format, r.status, r.error_kind, r.attempt, r.created_at, r.started_at, r.finished_at,
           c.calls, c.failed_calls, c.total_tokens, c.cost_usd, c.unpriced_calls
    FROM runs r
    LEFT JOIN LATERAL (
        SELECT count(*) AS calls,
               count(*) FILTER (WHERE outcome <> 'ok') AS failed_calls,
               sum(total_tokens)::bigint AS total_tokens,
               sum(cost_usd) AS cost_usd,
               count(*) FILTER (WHERE cost_usd IS NULL) AS unpriced_calls
        FROM calls WHERE calls.run_id = r.id
    ) c ON true;

GRANT SELECT ON admin_calls, admin_runs TO llm_council_admin;

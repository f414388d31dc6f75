-- Budgets: limits on what is spent, and what runs under way hold reserved.
--
-- What is spent is the sum over the ledger (`calls`). A reservation is what a run was granted; what it
-- still holds is that minus what the ledger has of it, so a call settles by being in the ledger.
--
-- Locks: the new columns have no or constant defaults, so adding them only touches the catalogue. Building the
-- indexes reads `calls` and `runs` once under a lock that holds off writers: a few seconds per million
-- calls.
-- The version before this one goes on working beside it, without keeping any budget.

-- Set by admins. Instance-wide defaults come from the configuration; a row here takes their place.
CREATE TABLE budgets (
    scope      text             NOT NULL CHECK (scope IN ('instance', 'group', 'user')),
    -- A group or a user; '' for the instance.
    name       text             NOT NULL CHECK ((scope = 'instance') = (name = '')),
    period     text             NOT NULL CHECK (period IN ('run', 'day', 'month')),
    limit_usd  double precision NOT NULL CHECK (limit_usd >= 0 AND limit_usd < 'Infinity'),
    updated_at timestamptz      NOT NULL DEFAULT now(),
    updated_by text             NOT NULL,
    PRIMARY KEY (scope, name, period)
);

-- What people set for themselves. It binds beside the budgets above, never instead of them.
CREATE TABLE user_caps (
    user_id    text             NOT NULL CHECK (user_id <> ''),
    period     text             NOT NULL CHECK (period IN ('run', 'day', 'month')),
    limit_usd  double precision NOT NULL CHECK (limit_usd >= 0 AND limit_usd < 'Infinity'),
    updated_at timestamptz      NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, period)
);

-- One row for each run under way to which a budget applied when it was admitted; gone with its end.
CREATE TABLE reservations (
    run_id      uuid             PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    user_id     text             NOT NULL CHECK (user_id <> ''),
    groups      text[]           NOT NULL,
    granted_usd double precision NOT NULL CHECK (granted_usd >= 0 AND granted_usd < 'Infinity'),
    -- The budgets that were nearly used up when the run was admitted, with their figures.
    warnings    jsonb            NOT NULL DEFAULT '[]'
);

-- The groups a run was admitted under: its costs count against their budgets, whoever is in them later.
ALTER TABLE runs ADD COLUMN groups text[] NOT NULL DEFAULT '{}';
-- The groups somebody was in when last seen in person, for what they ask through a token.
ALTER TABLE users ADD COLUMN groups text[] NOT NULL DEFAULT '{}';

-- What budgets take a call to have cost that reached a model and whose cost nobody told, as one that was
-- stopped: what was expected of it. Null for all others, and where the model's price is unknown.
ALTER TABLE calls ADD COLUMN assumed_usd double precision;

-- Everybody's costs are added up from this alone, without the calls' wide rows; one user's from
-- `calls_figures`.
CREATE INDEX calls_spent ON calls (finished_at) INCLUDE (cost_usd, assumed_usd, latency_ms);
DROP INDEX calls_by_time;
DROP INDEX calls_figures;
CREATE INDEX calls_figures ON calls (user_id, finished_at)
    INCLUDE (run_id, model, purpose, outcome, prompt_tokens, completion_tokens, total_tokens, cost_usd, cost_source,
             latency_ms, assumed_usd);
-- The runs that may have calls since a moment, with their groups.
CREATE INDEX runs_of_groups ON runs ((coalesce(finished_at, 'infinity'))) INCLUDE (id, groups) WHERE groups <> '{}';

-- The days of this month that are over, added up from the ledger, so that a month's budget need not add
-- them up again for each question. Good for nothing else: emptied together with `spent_until`, it is
-- made anew.
CREATE TABLE spent_days (
    user_id            text             NOT NULL,
    day                date             NOT NULL,
    groups             text[]           NOT NULL,
    usd                double precision NOT NULL,
    unknown_cost_calls bigint           NOT NULL,
    PRIMARY KEY (user_id, day, groups)
);
-- Holds at most one row: what ended before this is in there, as far as it belongs to this month.
CREATE TABLE spent_until (
    singleton boolean     PRIMARY KEY DEFAULT true CHECK (singleton),
    until     timestamptz NOT NULL
);

DO $rls$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['budgets', 'user_caps', 'reservations', 'spent_days'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY engine ON %I TO llm_council_engine USING (true) WITH CHECK (true)', name);
        EXECUTE format('CREATE POLICY admin_reads ON %I FOR SELECT TO llm_council_admin USING (true)', name);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['user_caps', 'reservations'] LOOP
        EXECUTE format(
            'CREATE POLICY own_rows ON %I TO llm_council_app
                 USING (user_id = nullif(current_setting(''app.user_id'', true), ''''))
                 WITH CHECK (user_id = nullif(current_setting(''app.user_id'', true), ''''))', name);
    END LOOP;
END
$rls$;
-- A limit of the instance or of a group is nobody's secret; another person's is.
CREATE POLICY in_force ON budgets FOR SELECT TO llm_council_app
    USING (scope <> 'user' OR name = nullif(current_setting('app.user_id', true), ''));
CREATE POLICY admin_writes ON budgets TO llm_council_admin USING (true) WITH CHECK (true);

REVOKE ALL ON budgets, user_caps, reservations, spent_days, spent_until FROM PUBLIC;
GRANT SELECT ON budgets TO llm_council_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON user_caps TO llm_council_app;
GRANT INSERT ON reservations TO llm_council_app;
GRANT SELECT ON budgets, user_caps TO llm_council_engine;
GRANT SELECT, UPDATE, DELETE ON reservations TO llm_council_engine;
GRANT SELECT, INSERT, DELETE ON spent_days TO llm_council_engine;
GRANT SELECT, INSERT, UPDATE ON spent_until TO llm_council_engine;
GRANT SELECT, INSERT, UPDATE, DELETE ON budgets TO llm_council_admin;
GRANT SELECT ON reservations, spent_days, spent_until TO llm_council_admin;
GRANT SELECT (groups) ON runs TO llm_council_admin;
GRANT SELECT (assumed_usd) ON calls TO llm_council_admin;

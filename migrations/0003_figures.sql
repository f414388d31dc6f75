-- What analytics need and the ledger does not hold: how each answer was placed, which ballots were
-- counted, who wrote the final answer, what people thought of it, and where a cost comes from.
--
-- Locks: the new column of `calls` has no default, so adding it only touches the catalogue; but the index
-- that answers analytics without reading the calls' texts is built under that lock: about 3 s per million
-- calls, during which the ledger can neither be read nor written. Runs go on meanwhile and commit after it.
-- The foreign keys of the new tables hold off changes of `runs` for an instant at the end.
-- The version before this one goes on working beside it: it leaves the new column empty, and the runs
-- that it ends have no figures; analytics count their calls and costs, not their ranking.

-- 'reported' by the provider, 'listed' in its list of models, 'built_in' in this program's list; null
-- where the cost is unknown, or was stored before this was.
ALTER TABLE calls ADD COLUMN cost_source text;

-- A row of `calls` is mostly its text. It takes the place of an index on the same two columns.
CREATE INDEX calls_figures ON calls (user_id, finished_at)
    INCLUDE (run_id, model, purpose, outcome, prompt_tokens, completion_tokens, total_tokens, cost_usd, cost_source,
             latency_ms);
DROP INDEX calls_by_user;

-- An index answers alone only for pages that have been vacuumed since they were written: sooner than
-- after a fifth of the table is new.
ALTER TABLE calls SET (autovacuum_vacuum_insert_scale_factor = 0.02);

-- One row per run that ended with answers. Like the ledger it outlives its conversation, and like it
-- holds no content: models and numbers, and no name that a user has given.
CREATE TABLE run_figures (
    run_id      uuid        PRIMARY KEY REFERENCES runs (id),
    user_id     text        NOT NULL,
    -- Who wrote the final answer; null where nobody did.
    chairman    text,
    -- Whether it wrote in the place of a chairman that failed.
    stood_in    boolean     NOT NULL,
    -- The ballots as they were counted, each a list of places, best first, each place the models in it:
    -- [[["m/a"], ["m/b", "m/c"]], …].
    ballots     jsonb       NOT NULL,
    finished_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX run_figures_by_user ON run_figures (user_id, finished_at);
CREATE INDEX run_figures_by_time ON run_figures USING brin (finished_at);

-- One row per answer of such a run. Its figures are not checked here: they come out of the program's own
-- counting, and the end of a run must not fail for the sake of a statistic.
CREATE TABLE placings (
    run_id            uuid        NOT NULL REFERENCES runs (id),
    -- Its place in the stored list of answers, from 0.
    seat              smallint    NOT NULL,
    user_id           text        NOT NULL,
    model             text        NOT NULL,
    -- In the headline order, 1 the best; those that share a place have the same, and the next one is
    -- as many further (1, 1, 3). Null, like the figures after it, where no counted ballot places it.
    place             smallint,
    average_rank      double precision,
    borda             double precision,
    first_place_votes double precision,
    -- Its part of the first place: 1 alone, a half of two, 0 behind.
    won               double precision,
    -- 1 to 10, where the member said one.
    confidence        smallint,
    finished_at       timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, seat)
);
-- Answered from the index alone: the start of every run asks for the newest ranked answers of its user.
CREATE INDEX placings_by_user ON placings (user_id, finished_at)
    INCLUDE (model, place, average_rank, won, confidence);
-- For a span of everybody's. Not a B-tree: the planner must not walk everybody's back in time to find
-- the newest ones of a user who has not been here for long.
CREATE INDEX placings_by_time ON placings USING brin (finished_at);
ALTER TABLE placings SET (autovacuum_vacuum_insert_scale_factor = 0.02);

-- What a person thought of a run.
CREATE TABLE feedback (
    run_id        uuid        PRIMARY KEY REFERENCES runs (id),
    user_id       text        NOT NULL CHECK (user_id <> ''),
    -- Of the final answer.
    thumb         text        CHECK (thumb IN ('up', 'down')),
    -- Which answer was the best of all: the council's, or that of a seat.
    better        text        CHECK (better IN ('council', 'member')),
    better_seat   smallint    CHECK (better_seat >= 0),
    updated_at    timestamptz NOT NULL DEFAULT now(),
    CHECK ((better IS NOT DISTINCT FROM 'member') = (better_seat IS NOT NULL)),
    CHECK (thumb IS NOT NULL OR better IS NOT NULL)
);
CREATE INDEX feedback_by_user ON feedback (user_id, updated_at);

-- Whoever has cleared their analytics sees nothing in them from before that moment. The ledger itself,
-- which budgets and administrators count by, stays.
CREATE TABLE analytics_cleared (
    user_id    text        PRIMARY KEY CHECK (user_id <> ''),
    cleared_at timestamptz NOT NULL DEFAULT now()
);

-- Row level security -----------------------------------------------------------------------------
DO $rls$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['run_figures', 'placings', 'feedback', 'analytics_cleared'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY own_rows ON %I TO llm_council_app
                 USING (user_id = nullif(current_setting(''app.user_id'', true), ''''))
                 WITH CHECK (user_id = nullif(current_setting(''app.user_id'', true), ''''))', name);
    END LOOP;
    -- The engine writes them with the end of a run.
    FOREACH name IN ARRAY ARRAY['run_figures', 'placings'] LOOP
        EXECUTE format('CREATE POLICY engine ON %I TO llm_council_engine USING (true) WITH CHECK (true)', name);
    END LOOP;
    -- No content, so admins read them as they are.
    FOREACH name IN ARRAY ARRAY['run_figures', 'placings', 'feedback'] LOOP
        EXECUTE format('CREATE POLICY admin_reads ON %I FOR SELECT TO llm_council_admin USING (true)', name);
    END LOOP;
END
$rls$;

-- Grants -----------------------------------------------------------------------------------------
REVOKE ALL ON run_figures, placings, feedback, analytics_cleared FROM PUBLIC;
GRANT SELECT, DELETE ON run_figures, placings TO llm_council_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON feedback TO llm_council_app;
GRANT SELECT, INSERT, UPDATE ON analytics_cleared TO llm_council_app;
GRANT SELECT, INSERT ON run_figures, placings TO llm_council_engine;
GRANT SELECT ON run_figures, placings, feedback TO llm_council_admin;
GRANT SELECT (cost_source) ON calls TO llm_council_admin;

-- Views for admins -------------------------------------------------------------------------------
-- `admin_runs` stays as it is: the version before this one asks for all of its columns, and a prepared
-- statement must not find another one among them.
CREATE OR REPLACE VIEW admin_calls WITH (security_invoker = true) AS
    SELECT c.run_id, c.key, c.user_id, c.stage, c.model, c.provider, c.purpose, c.outcome, r.format,
           c.prompt_tokens, c.completion_tokens, c.reasoning_tokens, c.cached_tokens, c.total_tokens,
           c.cost_usd, c.latency_ms, c.ttft_ms, c.tries, c.finished_at, c.cost_source
    FROM calls c JOIN runs r ON r.id = c.run_id;

-- Scheduled questions: what a user wants asked again and again, when, and what came of it.
--
-- Locks: two new tables, one of which refers to `runs`, which waits for its writers for a moment. The version before this one
-- goes on working beside it: it asks nothing that is due here, and an erasure that it ends leaves the person's schedules: end it
-- before anybody's data is erased.

CREATE TABLE schedules (
    id            uuid             PRIMARY KEY,
    user_id       text             NOT NULL CHECK (user_id <> ''),
    name          text             NOT NULL CHECK (name <> ''),
    -- The question with its options, as a request would have them.
    request       jsonb            NOT NULL,
    -- When: a cron expression, as it was written, read in this time zone of the IANA database.
    cron          text             NOT NULL,
    time_zone     text             NOT NULL,
    -- US dollars that its runs may cost in a calendar month (UTC). NULL: what the budgets of its owner allow.
    budget_usd    double precision CHECK (budget_usd >= 0),
    -- NULL: it is paused.
    next_at       timestamptz,
    -- Why it is paused, where that was not its owner's wish.
    paused_reason text             CHECK (paused_reason IS NULL OR next_at IS NULL),
    -- How many times in a row it was refused.
    refusals      integer          NOT NULL DEFAULT 0,
    created_at    timestamptz      NOT NULL DEFAULT now(),
    updated_at    timestamptz      NOT NULL DEFAULT now(),
    UNIQUE (id, user_id)
);
CREATE INDEX schedules_by_user ON schedules (user_id, created_at, id);
CREATE INDEX schedules_due ON schedules (next_at) WHERE next_at IS NOT NULL;

-- What came of each time: the run, or why there is none. Written in the transaction that makes the schedule due again, and that
-- starts the run.
CREATE TABLE schedule_results (
    id           uuid             PRIMARY KEY,
    schedule_id  uuid             NOT NULL,
    user_id      text             NOT NULL CHECK (user_id <> ''),
    -- NULL: its owner asked at another time.
    due_at       timestamptz,
    created_at   timestamptz      NOT NULL DEFAULT now(),
    run_id       uuid             REFERENCES runs (id),
    -- Why nothing was asked, for people.
    refusal      text,
    -- What the run was expected to cost, in US dollars.
    expected_usd double precision NOT NULL DEFAULT 0,
    CHECK ((run_id IS NULL) <> (refusal IS NULL)),
    -- Whatever servers do: one time is one result.
    UNIQUE (schedule_id, due_at),
    FOREIGN KEY (schedule_id, user_id) REFERENCES schedules (id, user_id) ON DELETE CASCADE
);
CREATE INDEX schedule_results_by_schedule ON schedule_results (schedule_id, created_at DESC, id DESC);
CREATE INDEX schedule_results_by_time ON schedule_results (created_at);
CREATE INDEX schedule_results_by_user ON schedule_results (user_id);

-- Row level security -----------------------------------------------------------------------------
DO $rls$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['schedules', 'schedule_results'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY own_rows ON %1$I TO llm_council_app
                 USING (user_id = nullif(current_setting(''app.user_id'', true), ''''))
                 WITH CHECK (user_id = nullif(current_setting(''app.user_id'', true), ''''))', name);
        EXECUTE format('CREATE POLICY engine ON %I TO llm_council_engine USING (true) WITH CHECK (true)', name);
    END LOOP;
END
$rls$;

REVOKE ALL ON schedules, schedule_results FROM PUBLIC;
GRANT SELECT, INSERT, DELETE,
      UPDATE (name, request, cron, time_zone, budget_usd, next_at, paused_reason, refusals, updated_at)
    ON schedules TO llm_council_app;
GRANT SELECT, INSERT ON schedule_results TO llm_council_app;
-- The engine looks for what is due; what is asked is read in its owner's name.
GRANT SELECT, DELETE ON schedules TO llm_council_engine;
-- Locking a row needs the right to change it.
GRANT SELECT, UPDATE (created_at), DELETE ON schedule_results TO llm_council_engine;

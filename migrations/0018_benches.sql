-- Benches: questions with known answers, asked of several councils and models, and what came of each.
--
-- Locks: two new tables, so nobody waits. The version before this one does not know them.

CREATE TABLE benches (
    id             uuid             PRIMARY KEY,
    user_id        text             NOT NULL CHECK (user_id <> ''),
    name           text             NOT NULL CHECK (name <> ''),
    status         text             NOT NULL CHECK (status IN ('running', 'stopped', 'over_budget', 'complete')),
    -- What is compared, as it was when the bench began; and the questions.
    suite          jsonb            NOT NULL,
    questions      jsonb            NOT NULL,
    question_count integer          NOT NULL CHECK (question_count > 0),
    variant_count  integer          NOT NULL CHECK (variant_count > 0),
    -- Of what it was asked to do: the same name with something else is refused.
    digest         bytea            NOT NULL,
    max_cost_usd   double precision NOT NULL CHECK (max_cost_usd >= 0),
    -- The process that works on it, until then.
    holder         text,
    held_until     timestamptz,
    created_at     timestamptz      NOT NULL DEFAULT now(),
    updated_at     timestamptz      NOT NULL DEFAULT now(),
    finished_at    timestamptz,
    UNIQUE (user_id, name),
    UNIQUE (id, user_id)
);

-- One question asked of one variant: what came of it, graded.
CREATE TABLE bench_items (
    bench_id    uuid        NOT NULL,
    user_id     text        NOT NULL,
    question    integer     NOT NULL CHECK (question >= 0),
    variant     integer     NOT NULL CHECK (variant >= 0),
    outcome     jsonb       NOT NULL,
    finished_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (bench_id, question, variant),
    -- A user who is renamed takes both along.
    FOREIGN KEY (bench_id, user_id) REFERENCES benches (id, user_id) ON DELETE CASCADE
        DEFERRABLE INITIALLY IMMEDIATE
);

ALTER TABLE benches ENABLE ROW LEVEL SECURITY;
ALTER TABLE benches FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON benches TO llm_council_app
    USING (user_id = nullif(current_setting('app.user_id', true), ''))
    WITH CHECK (user_id = nullif(current_setting('app.user_id', true), ''));
ALTER TABLE bench_items ENABLE ROW LEVEL SECURITY;
ALTER TABLE bench_items FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON bench_items TO llm_council_app
    USING (user_id = nullif(current_setting('app.user_id', true), ''))
    WITH CHECK (user_id = nullif(current_setting('app.user_id', true), ''));

REVOKE ALL ON benches, bench_items FROM PUBLIC;
GRANT SELECT, INSERT, UPDATE ON benches TO llm_council_app;
GRANT SELECT, INSERT ON bench_items TO llm_council_app;

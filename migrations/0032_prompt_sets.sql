-- The texts that models are asked with, once for all runs that are asked with the same ones.
--
-- Locks: a new table, so nobody waits. The version before this one goes on working beside it: it neither takes nor repeats
-- runs whose plan refers to a set (plan version 9).

CREATE TABLE prompt_sets (
    -- SHA-256 of the texts, as hexadecimal digits: a plan names its set by it.
    digest     text        PRIMARY KEY CHECK (digest ~ '^[0-9a-f]{64}$'),
    -- The texts by the names of their templates.
    texts      jsonb       NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- They are the program's or an administrator's, and nobody's own: every user's runs refer to the same ones. Nobody may
-- change or delete a set that plans refer to.
ALTER TABLE prompt_sets ENABLE ROW LEVEL SECURITY;
ALTER TABLE prompt_sets FORCE ROW LEVEL SECURITY;
CREATE POLICY everybodys ON prompt_sets TO llm_council_app USING (true) WITH CHECK (true);
CREATE POLICY engine ON prompt_sets TO llm_council_engine USING (true);
REVOKE ALL ON prompt_sets FROM PUBLIC;
GRANT SELECT, INSERT ON prompt_sets TO llm_council_app;
GRANT SELECT ON prompt_sets TO llm_council_engine;

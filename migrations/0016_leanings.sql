-- What ballots show of their authors, so that a vote for one's own answer can count corrected, and a result can say
-- how certain it is. Numbers and model names only.
--
-- Locks: the new columns have no defaults, so adding them only touches the catalogue. The index of `run_figures` is built
-- anew under its lock: under a second per million runs, during which runs that end wait. Everything else is new.
-- The version before this one goes on working beside it: the runs that it ends leave no leanings.

-- One row per ballot that was counted. Places are fractions here: 0 the first, 1 the last.
CREATE TABLE leanings (
    run_id      uuid        NOT NULL REFERENCES runs (id),
    -- The ballot's number in its run, from 0.
    ballot      smallint    NOT NULL,
    user_id     text        NOT NULL,
    model       text        NOT NULL,
    -- How much better it places its own answer than the other ballots do.
    own         double precision,
    -- How much worse it places what was read last than what was read first.
    position    double precision,
    -- How much better than the others it places the longest answer, beside the shortest.
    length      double precision,
    -- How much better than the others it places answers by other models of its maker.
    family      double precision,
    finished_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, ballot)
);
-- Answered from the index alone: the start of every run asks for the newest ones of its user.
CREATE INDEX leanings_by_user ON leanings (user_id, finished_at) INCLUDE (model, own, position);
-- For a span of everybody's.
CREATE INDEX leanings_by_time ON leanings USING brin (finished_at);
ALTER TABLE leanings SET (autovacuum_vacuum_insert_scale_factor = 0.02);

-- The mean correlation of two ballots of the run, and of the orders in which they were read; how likely it was said to
-- be that the first answer is the best, before people's picks were taken into account.
ALTER TABLE run_figures ADD COLUMN agreement double precision,
                        ADD COLUMN reading_agreement double precision,
                        ADD COLUMN first_is_best double precision;
DROP INDEX run_figures_by_user;
CREATE INDEX run_figures_by_user ON run_figures (user_id, finished_at) INCLUDE (agreement, reading_agreement);

-- The settings page always sent what is now a choice of three: a false that nobody chose is taken back, so that these
-- people get the new default. The version before this one reads a missing value as false.
ALTER TABLE user_settings NO FORCE ROW LEVEL SECURITY;
UPDATE user_settings SET value = value - 'count_self_votes' WHERE value -> 'count_self_votes' = 'false';
ALTER TABLE user_settings FORCE ROW LEVEL SECURITY;
UPDATE instance_settings SET value = value - 'count_self_votes' WHERE value -> 'count_self_votes' = 'false';

-- Row level security -----------------------------------------------------------------------------
ALTER TABLE leanings ENABLE ROW LEVEL SECURITY;
ALTER TABLE leanings FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON leanings TO llm_council_app
    USING (user_id = nullif(current_setting('app.user_id', true), ''))
    WITH CHECK (user_id = nullif(current_setting('app.user_id', true), ''));
CREATE POLICY engine ON leanings TO llm_council_engine USING (true) WITH CHECK (true);
CREATE POLICY admin_reads ON leanings FOR SELECT TO llm_council_admin USING (true);

-- Grants -----------------------------------------------------------------------------------------
REVOKE ALL ON leanings FROM PUBLIC;
GRANT SELECT, DELETE ON leanings TO llm_council_app;
GRANT SELECT, INSERT, DELETE ON leanings TO llm_council_engine;
GRANT SELECT ON leanings TO llm_council_admin;

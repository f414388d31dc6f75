-- Which version of a plan a run has, so that a server takes only runs that it can read.
--
-- Locks: the column has a constant default, so adding it touches only the catalogue, as does the policy; both
-- need `runs` for themselves for that moment, and hold off new runs no longer.
-- The version before this one goes on working beside it. It knows no versions and would take any run that has
-- lost its server: the policy lets it take only those that it can read.

ALTER TABLE runs ADD COLUMN plan_version integer NOT NULL DEFAULT 1 CHECK (plan_version >= 1);

-- To take a run is to update it. A server that looks at format and version itself says so in each transaction of
-- the engine; one that does not say it sees no run to update but those of the first version. Who has ended is out
-- of this: nobody executes it again.
CREATE POLICY engine_takes_what_it_reads ON runs AS RESTRICTIVE FOR UPDATE TO llm_council_engine
    USING (
        finished_at IS NOT NULL
        OR (plan_version = 1 AND format = 'council')
        OR current_setting('app.reads_plan_versions', true) = 'on'
    )
    WITH CHECK (true);

-- Runs that wait for a place, runs whose servers die, and logs that shrink.
--
-- Locks: the two columns have constant defaults, so adding them only touches the catalogue. The indexes
-- are partial and small (live runs; ended runs not yet compacted), but building them reads `runs` once
-- under a lock that holds off new runs: about a second per million rows.
-- The version before this one goes on working beside it: it neither reads nor writes the new columns.

ALTER TABLE runs
    -- How often an owner vanished without giving the run up. Enough of them, and the run itself is suspect.
    ADD COLUMN crashes   integer NOT NULL DEFAULT 0 CHECK (crashes >= 0),
    -- Its log holds structural events only.
    ADD COLUMN compacted boolean NOT NULL DEFAULT false;

CREATE INDEX runs_live_by_user ON runs (user_id) WHERE status IN ('queued', 'running');
CREATE INDEX runs_to_compact ON runs (finished_at) WHERE finished_at IS NOT NULL AND NOT compacted;

-- A run's first event is written with the run itself.
GRANT INSERT ON run_events TO llm_council_app;

-- Texts are compressed while a run's writer waits: lz4 takes a fraction of the time. New rows only; a
-- Postgres that was built without it keeps its default.
DO $compression$
BEGIN
    ALTER TABLE run_events ALTER COLUMN frames SET COMPRESSION lz4;
    ALTER TABLE calls ALTER COLUMN result SET COMPRESSION lz4;
    ALTER TABLE messages ALTER COLUMN content SET COMPRESSION lz4;
    ALTER TABLE messages ALTER COLUMN body SET COMPRESSION lz4;
    ALTER TABLE runs ALTER COLUMN plan SET COMPRESSION lz4;
EXCEPTION
    WHEN feature_not_supported THEN NULL;
END
$compression$;

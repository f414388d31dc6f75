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

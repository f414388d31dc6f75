-- Members that are to be asked again in a run, because they failed and somebody asked for it: `[{"stage", "member", "number"}, …]`.
--
-- Locks: a column with a constant default; nothing is rewritten.
-- The version before this one goes on working beside it: it does not read the wishes, and runs in which they count are of
-- plans that it does not claim.

ALTER TABLE runs ADD COLUMN retries jsonb NOT NULL DEFAULT '[]';

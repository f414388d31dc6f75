-- Members that a run is to go on without, because somebody asked for it: `[{"stage", "member"}, …]`.
--
-- Locks: a column with a constant default; nothing is rewritten.
-- The version before this one goes on working beside it: it does not read the wishes.

ALTER TABLE runs ADD COLUMN skips jsonb NOT NULL DEFAULT '[]';

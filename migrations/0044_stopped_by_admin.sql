-- Whether an administrator stopped the run, and not whoever asked: its owner is told.
--
-- Locks: `runs` for a moment (a column with a constant default, and a grant); no row is written. The version before this one goes on
-- working beside it: what it ends does not say who stopped it.

ALTER TABLE runs ADD COLUMN stopped_by_admin boolean NOT NULL DEFAULT false;

GRANT SELECT (stopped_by_admin), UPDATE (stopped_by_admin) ON runs TO llm_council_admin;

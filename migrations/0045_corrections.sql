-- What a person adds to their question while its members answer: `[{"id", "text"}, …]`, oldest first. On the run's row what is to be
-- added; on the answer's what counted, so that later questions are asked in its light.
--
-- Locks: `runs` and `messages` for a moment (a column each, one with a constant default, one without); nothing is rewritten.
-- The version before this one goes on working beside it: it does not read the columns, and runs that can be corrected are of
-- plans that it does not claim.

ALTER TABLE runs ADD COLUMN corrections jsonb NOT NULL DEFAULT '[]';
ALTER TABLE messages ADD COLUMN corrections jsonb;

-- What somebody wrote beside a thumb down outlived the conversation that it was about: the engine, which purges conversations, takes it
-- out of what it leaves from now on, and what is left of those that were purged before loses it here.
--
-- Locks: `feedback` and `runs` for a moment; only feedback with a comment is looked at. The version before this one goes on working
-- beside it: a conversation that it purges leaves its comments.

CREATE POLICY purge ON feedback FOR UPDATE TO llm_council_engine USING (true) WITH CHECK (comment IS NULL);
GRANT UPDATE (comment) ON feedback TO llm_council_engine;

-- The owner of the tables is bound by row level security, which knows no user here.
ALTER TABLE feedback NO FORCE ROW LEVEL SECURITY;
ALTER TABLE runs NO FORCE ROW LEVEL SECURITY;
UPDATE feedback SET comment = NULL FROM runs
WHERE runs.id = feedback.run_id AND runs.plan = '{}' AND feedback.comment IS NOT NULL;
ALTER TABLE runs FORCE ROW LEVEL SECURITY;
ALTER TABLE feedback FORCE ROW LEVEL SECURITY;

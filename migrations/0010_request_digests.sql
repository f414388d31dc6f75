-- What request an idempotency key stands for.
--
-- Locks: a column without a default only touches the catalogue.
-- The version before this one goes on working beside it: it neither reads nor writes the column, and a run
-- without a digest is taken for the same request whatever that says, as it was before.

ALTER TABLE runs ADD COLUMN request_digest bytea;

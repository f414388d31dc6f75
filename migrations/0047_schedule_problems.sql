-- Why a scheduled question was refused, as the same problem that a request is answered with: clients tell it in their reader's language.
--
-- Locks: `schedule_results` for a moment; the column is empty at first, so no row is written. The version before this one goes on
-- working beside it: what it refuses has the sentence alone.

ALTER TABLE schedule_results ADD COLUMN problem jsonb;

-- Comments: what somebody found wrong with a final answer, beside their thumb down.
--
-- Locks: `feedback` for a moment; the column is empty at first, so no row is written. The version before this one goes on
-- working beside it. It knows no comments: a thumb up that it stores leaves an earlier one where it is, which is therefore read
-- only beside a thumb down, and replaced by whatever is said next.

ALTER TABLE feedback ADD COLUMN comment text;

-- Administrators count thumbs and read no words. Every column but the new one is theirs, as before.
REVOKE SELECT ON feedback FROM llm_council_admin;
GRANT SELECT (run_id, user_id, thumb, better, better_seat, updated_at) ON feedback TO llm_council_admin;

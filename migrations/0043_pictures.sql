-- Pictures among the files that come with questions.
--
-- Locks: two tables for a moment each, without looking at a row: the columns may be empty, and what is checked from now on
-- holds of all that is there. The version before this one goes on working beside it: it takes no pictures, and refuses a question
-- with one as a file that it cannot read.

-- In pixels; of pictures alone, which have no text.
ALTER TABLE attachments ADD COLUMN width integer, ADD COLUMN height integer;
ALTER TABLE attachments
    DROP CONSTRAINT attachments_check,
    ADD CONSTRAINT attachments_read CHECK (
        CASE WHEN width IS NULL THEN height IS NULL AND (text IS NULL) = (problem IS NOT NULL)
             ELSE width > 0 AND height > 0 AND text IS NULL AND problem IS NULL END) NOT VALID;

ALTER TABLE message_attachments ADD COLUMN width integer, ADD COLUMN height integer;

-- Questions that came from other programs: what their requests said, the same request again, and the conversation that
-- a list of messages goes on with.
--
-- Locks: columns without a default only touch the catalogue. Each index is built while its table takes no writes: a scan
-- of `runs`, and one of `conversations`, a second or so for a million rows; both are empty to begin with.
-- The version before this one goes on working beside it: it neither reads nor writes the columns.

-- What of the request its answer repeats: the API, the model's name, the instructions.
ALTER TABLE runs ADD COLUMN program jsonb;
CREATE INDEX runs_by_request ON runs (user_id, request_digest) WHERE program IS NOT NULL;

-- By which API the conversation was begun, where it was not begun in this program's own.
ALTER TABLE conversations ADD COLUMN origin text;
-- A digest of the question that was asked last, by which a program's next list of messages finds it.
ALTER TABLE conversations ADD COLUMN last_question bytea;
CREATE INDEX conversations_by_last_question ON conversations (user_id, last_question) WHERE last_question IS NOT NULL;

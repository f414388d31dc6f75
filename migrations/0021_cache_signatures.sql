-- Which of a person's earlier questions are nearest is found without reading their vectors.
--
-- Locks: the new column has no default, so adding it only touches the catalogue. The indexes read the table once, under a
-- lock that holds off keeping an answer and giving one again: about 2 s per million entries. The version before this one
-- goes on working beside it: it leaves the column empty, and this one compares what has none as it did before, and fills
-- it in when the person's next answer is kept.

-- A bit for each component of the vector: whether it is positive. The more of these two vectors have in common, the nearer
-- they are.
ALTER TABLE cache_entries ADD COLUMN signature bit varying;
-- In the row, and as it is: bits that look random cannot be made shorter. A row with the vector of a model is longer now than
-- what Postgres likes to have in one piece by default.
ALTER TABLE cache_entries ALTER COLUMN signature SET STORAGE PLAIN;
ALTER TABLE cache_entries SET (toast_tuple_target = 4080);

-- All that is read of entries to find the nearest ones: the rows are not, as long as Postgres knows that everybody sees them.
CREATE INDEX cache_entries_near ON cache_entries (user_id, scope) INCLUDE (method, model, signature, id)
    WHERE signature IS NOT NULL;
CREATE INDEX cache_entries_unsigned ON cache_entries (user_id, scope) WHERE signature IS NULL;

-- It knows that once it has vacuumed their pages. By default it would wait for a fifth of the table to be new.
ALTER TABLE cache_entries SET (
    autovacuum_vacuum_insert_threshold = 500, autovacuum_vacuum_insert_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0.05
);

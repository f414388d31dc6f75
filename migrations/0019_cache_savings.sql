-- What providers' own caches of prompts saved.
--
-- Locks: the new column has no default, so adding it only touches the catalogue. The index holds the calls that read
-- from a cache and no others; building it reads the table once, under a lock that holds off writing to the ledger:
-- about 1 s per million calls. The version before this one goes on working beside it and leaves the column empty.

-- In USD, by list prices, what writing to the cache cost taken off; null where that is not known.
ALTER TABLE calls ADD COLUMN cache_saved_usd double precision;

-- Few calls are in it, so that what is summed of all calls need not look at these columns.
CREATE INDEX calls_cached ON calls (user_id, finished_at)
    INCLUDE (run_id, model, cached_tokens, cache_saved_usd) WHERE cached_tokens > 0;

GRANT SELECT (cache_saved_usd) ON calls TO llm_council_admin;

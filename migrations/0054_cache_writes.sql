-- What writing to providers' caches cost counts in what these saved also where a call read nothing from them: the index of
-- calls with a part in a cache holds those, too.
--
-- Locks: the ledger is not written to while the index is built, about 1 s per million calls. The version before this one goes
-- on working beside it; its analytics of caches take longer.

CREATE INDEX calls_with_cache ON calls (user_id, finished_at)
    INCLUDE (run_id, model, cached_tokens, cache_saved_usd) WHERE cached_tokens > 0 OR cache_saved_usd < 0;
DROP INDEX calls_cached;

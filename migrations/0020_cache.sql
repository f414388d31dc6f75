-- The semantic cache: which answers of earlier runs may be given again, and what looking for one came to.
--
-- Locks: two new tables, so nobody waits. The version before this one goes on working beside it: it does not know them.

-- What an earlier question was, and where its answer is: in the log of its run, of which nothing is copied. It goes with
-- the message that has the answer, and so with the conversation and with its owner.
CREATE TABLE cache_entries (
    id          uuid             PRIMARY KEY,
    user_id     text             NOT NULL CHECK (user_id <> ''),
    message_id  uuid             NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    run_id      uuid             NOT NULL UNIQUE REFERENCES runs (id),
    -- SHA-256 of everything but the question that the answer depends on.
    scope       bytea            NOT NULL CHECK (octet_length(scope) = 32),
    -- SHA-256 of the normalised question.
    digest      bytea            NOT NULL CHECK (octet_length(digest) = 32),
    query       text             NOT NULL,
    method      text             NOT NULL CHECK (method IN ('api', 'hash')),
    -- Who made the vector; of the hash method nobody.
    model       text             CHECK ((model IS NULL) = (method = 'hash')),
    dimension   integer          NOT NULL CHECK (dimension > 0),
    -- A scale and a signed byte per component.
    vector      bytea            NOT NULL,
    -- Whose questions it may answer besides its owner's: those of everybody (`*`), or of members of these groups.
    shared_with text[]           NOT NULL DEFAULT '{}',
    -- What the run cost and how long it took: what giving its answer again saves. Unknown where the cost is.
    cost_usd    double precision CHECK (cost_usd >= 0),
    took_ms     bigint           NOT NULL CHECK (took_ms >= 0),
    hit_count   integer          NOT NULL DEFAULT 0,
    created_at  timestamptz      NOT NULL DEFAULT now(),
    last_hit_at timestamptz,
    used_at     timestamptz      NOT NULL DEFAULT now(),
    UNIQUE (user_id, scope, digest)
);
-- Vectors stay in their rows: a look at a thousand of them is to read a thousand rows, and not as many again elsewhere.
ALTER TABLE cache_entries ALTER COLUMN vector SET STORAGE MAIN;
-- With the id, so that what is to go is found without reading the rows.
CREATE INDEX cache_entries_by_use ON cache_entries (user_id, used_at, id);
CREATE INDEX cache_entries_by_message ON cache_entries (message_id);
-- For those that may answer others: the same text, and the newest to compare with. Not `<> '{}'`: where all entries are
-- shared with the same people, Postgres would take it to be true of none, and both indexes to cost nothing.
CREATE INDEX cache_entries_shared ON cache_entries (scope, digest) WHERE cardinality(shared_with) > 0;
CREATE INDEX cache_entries_shared_by_use ON cache_entries (scope, used_at) WHERE cardinality(shared_with) > 0;

-- One row for each run that looked for an earlier answer. Without its text: statistics outlive what was asked.
CREATE TABLE cache_lookups (
    run_id           uuid             PRIMARY KEY REFERENCES runs (id),
    user_id          text             NOT NULL CHECK (user_id <> ''),
    entry_id         uuid             REFERENCES cache_entries (id) ON DELETE SET NULL,
    is_hit           boolean          NOT NULL,
    embedding_failed boolean          NOT NULL,
    saved_usd        double precision CHECK (saved_usd >= 0),
    saved_ms         bigint           CHECK (saved_ms >= 0),
    looked_at        timestamptz      NOT NULL DEFAULT now(),
    -- Its user has begun to count anew.
    is_forgotten     boolean          NOT NULL DEFAULT false
);
CREATE INDEX cache_lookups_by_user ON cache_lookups (user_id);
CREATE INDEX cache_lookups_by_entry ON cache_lookups (entry_id) WHERE entry_id IS NOT NULL;

-- Row level security -----------------------------------------------------------------------------
DO $rls$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['cache_entries', 'cache_lookups'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY own_rows ON %1$I TO llm_council_app
                 USING (user_id = nullif(current_setting(''app.user_id'', true), ''''))
                 WITH CHECK (user_id = nullif(current_setting(''app.user_id'', true), ''''))', name);
        EXECUTE format('CREATE POLICY engine ON %I TO llm_council_engine USING (true) WITH CHECK (true)', name);
        EXECUTE format('CREATE POLICY admin_reads ON %I FOR SELECT TO llm_council_admin USING (true)', name);
    END LOOP;
END
$rls$;
-- An answer that people found bad is not given again; whose thumbs those were does not matter.
CREATE POLICY engine_reads ON feedback FOR SELECT TO llm_council_engine USING (true);

-- Grants -----------------------------------------------------------------------------------------
REVOKE ALL ON cache_entries, cache_lookups FROM PUBLIC;
GRANT SELECT, DELETE ON cache_entries TO llm_council_app;
GRANT SELECT, UPDATE (is_forgotten) ON cache_lookups TO llm_council_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON cache_entries, cache_lookups TO llm_council_engine;
GRANT SELECT (run_id, thumb) ON feedback TO llm_council_engine;
-- Counts, and nothing of what was asked.
GRANT SELECT (id, user_id, method, hit_count, created_at, used_at) ON cache_entries TO llm_council_admin;
GRANT SELECT (run_id, user_id, is_hit, embedding_failed, saved_usd, saved_ms, looked_at, is_forgotten)
    ON cache_lookups TO llm_council_admin;

-- Shared conversations: one branch as it was when it was shared, for whoever has the link.
--
-- Locks: a new table that refers to `conversations`, which waits for its writers for a moment. The version before this one
-- goes on working beside it: a conversation that is deleted there is shared until its link is withdrawn or expires here, or
-- the conversation is purged.

CREATE TABLE shares (
    -- Random: whoever has it may read.
    id              uuid        PRIMARY KEY,
    user_id         text        NOT NULL CHECK (user_id <> ''),
    conversation_id uuid        NOT NULL,
    -- What its readers are told: whose it is, and what it is called.
    shared_by       text        NOT NULL,
    title           text        NOT NULL,
    -- The messages in the order of writing, without what concerns only the person who asked.
    messages        jsonb       NOT NULL,
    message_count   integer     NOT NULL CHECK (message_count > 0),
    created_at      timestamptz NOT NULL DEFAULT now(),
    expires_at      timestamptz NOT NULL,
    FOREIGN KEY (conversation_id, user_id) REFERENCES conversations (id, user_id) ON DELETE CASCADE
);
CREATE INDEX shares_by_user ON shares (user_id, created_at DESC, id);
CREATE INDEX shares_by_conversation ON shares (conversation_id);
CREATE INDEX shares_by_end ON shares (expires_at);

-- Row level security -----------------------------------------------------------------------------
ALTER TABLE shares ENABLE ROW LEVEL SECURITY;
ALTER TABLE shares FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON shares TO llm_council_app
    USING (user_id = nullif(current_setting('app.user_id', true), ''))
    WITH CHECK (user_id = nullif(current_setting('app.user_id', true), ''));
-- Others read the one that they name, as long as it lasts.
CREATE POLICY reads_with_link ON shares FOR SELECT TO llm_council_app
    USING (id::text = nullif(current_setting('app.share_id', true), '') AND expires_at > now());
CREATE POLICY engine ON shares TO llm_council_engine USING (true) WITH CHECK (true);

REVOKE ALL ON shares FROM PUBLIC;
GRANT SELECT, INSERT, DELETE ON shares TO llm_council_app;
-- Locking a row needs the right to change it.
GRANT SELECT, UPDATE (expires_at), DELETE ON shares TO llm_council_engine;

-- What an administrator has decided about users whose names are not taken as they are any more
-- (docs/deploying.md), and what renaming a user needs.
--
-- Locks: changing the constraint writes the catalog only, under ACCESS EXCLUSIVE on messages and
-- conversations for a moment. The version before this one goes on working.

-- Names that stay as they are: their rows are kept, and nobody can sign in to them.
CREATE TABLE kept_users (
    id      text        PRIMARY KEY CHECK (id <> ''),
    kept_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE kept_users ENABLE ROW LEVEL SECURITY;
ALTER TABLE kept_users FORCE ROW LEVEL SECURITY;
CREATE POLICY admin_decides ON kept_users TO llm_council_admin USING (true) WITH CHECK (true);
REVOKE ALL ON kept_users FROM PUBLIC;
GRANT SELECT, INSERT ON kept_users TO llm_council_admin;

-- A conversation and its messages change their owner together.
ALTER TABLE messages ALTER CONSTRAINT messages_conversation_id_user_id_fkey DEFERRABLE INITIALLY IMMEDIATE;

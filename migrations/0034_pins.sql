-- Pins: conversations that their owner wants at the top of the list.
--
-- Locks: `conversations` for a moment; the column has a constant default, so no row is written. The version before this one
-- goes on working beside it and pins nothing.

ALTER TABLE conversations ADD COLUMN pinned boolean NOT NULL DEFAULT false;
CREATE INDEX conversations_pinned ON conversations (user_id, created_at DESC, id) WHERE pinned;

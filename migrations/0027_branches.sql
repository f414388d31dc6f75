-- Branches: what a message answers or goes on from, and the branch that somebody looked at last.
--
-- Locks: columns without a default only touch the catalogue, for a moment. The rule is made without a look at the rows that
-- are there (NOT VALID), which have no link yet and so keep it: null passes every rule.
-- Nothing is filled in. A message without a link follows the one before it, which is how every message stood until now, and
-- how the version before this one goes on writing them. It reads a conversation as one list, in the order of its
-- positions, whatever branches there are: nothing is lost, and what it is asked goes on from the message written last.

-- The position of the message before this one on its branch, -1 where it begins the conversation; null: the position before
-- its own. A link leads to what was there already, so links make no circles.
ALTER TABLE messages ADD COLUMN parent_position integer;
ALTER TABLE messages ADD CONSTRAINT messages_parent_is_earlier
    CHECK (parent_position >= -1 AND parent_position < position) NOT VALID;

-- The position of a message of the branch that was looked at last; null: the message written last.
ALTER TABLE conversations ADD COLUMN branch_position integer;

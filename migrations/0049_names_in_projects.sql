-- In which project a colleague's conversation is, and what the people in a project are called.
--
-- Locks: none; functions alone. The version before this one goes on working beside it.

-- The project of a conversation, whoever has written it, where the transaction's user has a role in it.
CREATE FUNCTION project_of(conversation uuid) RETURNS uuid LANGUAGE sql STABLE
SET role = 'llm_council_engine' SET search_path FROM CURRENT AS $$
    SELECT c.project_id FROM conversations c
    WHERE c.id = conversation AND c.deleted_at IS NULL AND project_role(c.project_id) IS NOT NULL
$$;

-- What the proxy calls these users. It is for the next function alone: nobody asks for the names of everybody.
CREATE FUNCTION names_of(ids text[]) RETURNS TABLE (id text, name text) LANGUAGE sql STABLE
SET role = 'llm_council_admin' SET search_path FROM CURRENT AS $$
    SELECT u.id, u.name FROM users u WHERE u.id = ANY (ids) AND u.name <> ''
$$;
REVOKE ALL ON FUNCTION names_of(text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION names_of(text[]) TO llm_council_engine;

-- What those are called who are in the named project by name, or have written what is in it; for those who have a role there.
CREATE FUNCTION names_in_project() RETURNS TABLE (id text, name text) LANGUAGE sql STABLE
SET role = 'llm_council_engine' SET search_path FROM CURRENT AS $$
    SELECT n.id, n.name
    FROM names_of(ARRAY(
        SELECT m.name FROM project_members m WHERE m.project_id = named_project() AND m.kind = 'user'
        UNION
        SELECT c.user_id FROM conversations c WHERE c.project_id = named_project() AND c.deleted_at IS NULL)) n
    WHERE project_role(named_project()) IS NOT NULL
$$;

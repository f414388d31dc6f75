-- Entries {first} to {last} of every user: one big user, whose vectors are a model's, and {users} others with those of
-- the hash method. What was kept at one time stands beside what others kept then, as it does where people ask by turns:
-- a user's entries are each on a page of their own. Questions are in the form in which they are compared. Five answers to
-- a conversation; every tenth was given once more, and every eighth has a thumb. Answers are short: the ways that are
-- measured read none, or one.
CREATE TEMP TABLE item AS
    SELECT entry, person, user_id, md5(user_id || '/' || entry / 5)::uuid AS conversation,
           md5('message of ' || user_id || '/' || entry)::uuid AS message,
           md5('run of ' || user_id || '/' || entry)::uuid AS run,
           'what is known of thing ' || entry || ' of ' || user_id AS query,
           now() - (1001 - entry) * interval '9 minutes' AS at
    FROM generate_series({first}, {last}) AS entry, generate_series(0, {users}) AS person,
         LATERAL (SELECT CASE person WHEN 0 THEN 'big' ELSE 'user' || person END AS user_id) AS named;

INSERT INTO conversations (id, user_id, title, title_is_default, created_at, updated_at)
    SELECT conversation, user_id, 'Things', false, min(at), max(at) FROM item
    GROUP BY conversation, user_id ORDER BY min(at), conversation
    ON CONFLICT DO NOTHING;
INSERT INTO messages (id, conversation_id, user_id, position, role, content, run_id, created_at)
    SELECT message, conversation, user_id, entry % 5 * 2 + 1, 'assistant', 'So much is known of it.', run, at
    FROM item ORDER BY entry, person;
INSERT INTO runs (id, user_id, conversation_id, message_id, format, status, plan, attempt, compacted, created_at,
                  started_at, finished_at)
    SELECT run, user_id, conversation, message, 'council', 'complete', '{}', 1, true, at, at, at + interval '40 s'
    FROM item ORDER BY entry, person;
INSERT INTO cache_entries (id, user_id, message_id, run_id, scope, digest, query, method, model, dimension, vector,
                           signature, cost_usd, took_ms, created_at, used_at)
    SELECT gen_random_uuid(), user_id, message, run, decode('{scope}', 'hex'), sha256(convert_to(query, 'UTF8')), query,
           pool.method, pool.model, pool.dimension, pool.vector,
           pool.signature, 0.02, 40000, at, at
    FROM item JOIN pool ON pool.method = CASE person WHEN 0 THEN 'api' ELSE 'hash' END
                       AND pool.place = (entry * 7919 + person * 104729) % {pool}
    ORDER BY entry, person;
-- Whoever keeps an answer has looked before. Hits have runs of their own, whose messages nobody reads here.
INSERT INTO cache_lookups (run_id, user_id, is_hit, embedding_failed, looked_at)
    SELECT run, user_id, false, false, at FROM item ORDER BY entry, person;
CREATE TEMP TABLE hit AS
    SELECT item.*, md5('hit of ' || user_id || '/' || entry)::uuid AS again FROM item WHERE entry % 10 = 0;
INSERT INTO runs (id, user_id, conversation_id, message_id, format, status, plan, attempt, compacted, created_at,
                  started_at, finished_at)
    SELECT again, user_id, conversation, gen_random_uuid(), 'council', 'complete', '{}', 1, true, at, at, at
    FROM hit ORDER BY entry, person;
INSERT INTO cache_lookups (run_id, user_id, entry_id, is_hit, embedding_failed, saved_usd, saved_ms, looked_at)
    SELECT again, hit.user_id, e.id, true, false, 0.02, 40000, at
    FROM hit JOIN cache_entries e ON e.run_id = hit.run ORDER BY entry, person;
INSERT INTO feedback (run_id, user_id, thumb, updated_at)
    SELECT run, user_id, 'up', at FROM item WHERE entry % 8 = 0 ORDER BY entry, person;
DROP TABLE item, hit;

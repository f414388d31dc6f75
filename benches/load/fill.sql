-- Runs {first} to {last} of {runs}, ten calls each, nine minutes between them; every second is the heavy user's, and a
-- thousand of all are the usual user's.
-- Texts as long as short answers, and as hard to compress.
SELECT setseed(0.{first});
CREATE TEMP TABLE pool AS
    SELECT n, string_agg(md5(random()::text), ' ') AS text FROM generate_series(0, 96) AS n, generate_series(1, 40)
    GROUP BY n;
CREATE TEMP TABLE model AS SELECT n, 'maker' || n % 5 || '/model-' || n AS name FROM generate_series(0, 11) AS n;
-- The council changes with time: seats 0 to 3, 4 the chairman, 5 for titles.
CREATE TEMP TABLE run AS
    SELECT n, gen_random_uuid() AS id, now() - ({runs} - n) * interval '9 minutes' AS at,
           CASE WHEN n % 2 = 0 THEN 'heavy' WHEN n % greatest({runs} / 1000, 3) = 1 THEN 'usual' ELSE 'user' || n % 9 END
               AS user_id, gen_random_uuid() AS conversation,
           gen_random_uuid() AS question, gen_random_uuid() AS answer
    FROM generate_series({first}, {last}) AS n;
CREATE TEMP TABLE seat AS
    SELECT run.n, s AS seat, model.name AS model FROM run, generate_series(0, 5) AS s, model
    WHERE model.n = (s + run.n * 20 / {runs}) % 12;
CREATE INDEX ON seat (n, seat);
ANALYZE run, seat;

INSERT INTO conversations (id, user_id, title, title_is_default, created_at, updated_at)
    SELECT conversation, user_id, 'Number ' || n, false, at - interval '40 s', at FROM run ORDER BY n;
INSERT INTO messages (id, conversation_id, user_id, position, role, content, created_at)
    SELECT question, conversation, user_id, 0, 'user', 'Which of two designs for queue number' || n || ' is better, and why?',
           at - interval '40 s'
    FROM run ORDER BY n;
INSERT INTO messages (id, conversation_id, user_id, position, role, content, body, run_id, created_at)
    SELECT run.answer, run.conversation, run.user_id, 1, 'assistant', pool.text,
           jsonb_build_object('stage3', jsonb_build_object('model', 'maker0/model-0', 'response', pool.text, 'heading', ''),
                              'stage1', (SELECT jsonb_agg(jsonb_build_object('model', seat.model, 'member', seat.model,
                                                                             'response', said.text))
                                         FROM seat JOIN pool AS said ON said.n = (run.n * 7 + seat.seat) % 97
                                         WHERE seat.n = run.n AND seat.seat < 4)),
           run.id, run.at
    FROM run JOIN pool ON pool.n = (run.n * 7 + 4) % 97
    ORDER BY run.n;
INSERT INTO runs (id, user_id, conversation_id, message_id, format, status, plan, attempt, compacted, created_at,
                  started_at, finished_at)
    SELECT id, user_id, conversation, answer, 'council', 'complete', '{}', 1, true,
           at - interval '40 s', at - interval '40 s', at
    FROM run ORDER BY n;
INSERT INTO calls (run_id, key, user_id, stage, model, purpose, fingerprint, outcome, result, prompt_tokens,
                   completion_tokens, reasoning_tokens, cached_tokens, total_tokens, cost_usd, cost_source,
                   latency_ms, ttft_ms, tries, finished_at)
    SELECT run.id, kind.stage || '/' || seat.model, run.user_id, kind.stage, seat.model, kind.purpose,
           substr(md5(run.n::text), 1, 24), CASE WHEN random() < 0.02 THEN 'timeout' ELSE 'ok' END,
           jsonb_build_object('text', pool.text),
           1000 * random(), 800 * random(), 0, 0, 1800 * random(), CASE WHEN random() < 0.9 THEN random() * 0.02 END,
           CASE WHEN random() < 0.3 THEN 'listed' ELSE 'reported' END, 1000 + 20000 * random() * random(),
           200 + 1000 * random(), 1, run.at
    FROM run
    JOIN seat ON seat.n = run.n
    JOIN (VALUES ('stage1', 'answer', 0, 3), ('stage2', 'review', 0, 3), ('stage3', 'synthesis', 4, 4),
                 ('title', 'title', 5, 5)) AS kind (stage, purpose, first, last)
      ON seat.seat BETWEEN kind.first AND kind.last
    JOIN pool ON pool.n = (run.n * 7 + seat.seat) % 97
    ORDER BY run.n, kind.stage;
INSERT INTO placings (run_id, seat, user_id, model, place, average_rank, borda, first_place_votes, won, confidence,
                      finished_at)
    SELECT id, seat, user_id, model, place, place * 0.8 + 0.2, (4 - place) / 3.0, (place = 1)::int, (place = 1)::int,
           1 + floor(random() * 10), at
    FROM (SELECT run.*, seat.seat, seat.model,
                 row_number() OVER (PARTITION BY run.n ORDER BY random() + seat.seat * 0.1) AS place
          FROM run JOIN seat ON seat.n = run.n AND seat.seat < 4) AS placed
    ORDER BY n, seat;
INSERT INTO run_figures (run_id, user_id, chairman, stood_in, ballots, finished_at)
    SELECT run.id, run.user_id, (SELECT model FROM seat WHERE seat.n = run.n AND seat.seat = 4), random() < 0.02,
           (SELECT jsonb_agg(ballot) FROM (
                SELECT jsonb_agg(jsonb_build_array(seat.model) ORDER BY random() + seat.seat * 0.1) AS ballot
                FROM generate_series(0, 3) AS reviewer
                JOIN seat ON seat.n = run.n AND seat.seat < 4 AND seat.seat <> reviewer
                GROUP BY reviewer) AS ballots),
           run.at
    FROM run ORDER BY run.n;
INSERT INTO feedback (run_id, user_id, thumb, better, better_seat, updated_at)
    SELECT id, user_id, CASE WHEN n % 3 = 0 THEN 'down' ELSE 'up' END, CASE WHEN n % 4 = 0 THEN 'council' ELSE 'member' END,
           CASE WHEN n % 4 <> 0 THEN n % 4 END, at
    FROM run WHERE n % 10 IN (0, 1);
DROP TABLE pool, model, run, seat;

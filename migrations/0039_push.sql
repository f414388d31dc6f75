-- Notifications: which devices are told when a run ends or waits, and what they are still to be told.
--
-- Locks: a new table; `runs` for a moment (a column with a constant default, for which no row is written); `webhook_deliveries`
-- for as long as its rows of thirty days are read once for an index, while which runs cannot end. The version before this one
-- goes on working beside it: it sends no notifications, runs that are asked or end there are told of to no device, and an
-- erasure that it ends leaves the person's devices: end it before anybody's data is erased.

CREATE TABLE push_subscriptions (
    id             uuid        PRIMARY KEY,
    user_id        text        NOT NULL CHECK (user_id <> ''),
    -- Where its push service takes messages for it. Whoever knows it and the keys can send: only the engine reads the keys.
    endpoint       text        NOT NULL,
    -- The device's public key, an uncompressed point of P-256, and what it shares with us (RFC 8291).
    p256dh         bytea       NOT NULL CHECK (length(p256dh) = 65),
    auth           bytea       NOT NULL CHECK (length(auth) = 16),
    -- What the browser says it is.
    device         text        NOT NULL,
    -- The conversation's title is sent, too.
    includes_title boolean     NOT NULL DEFAULT false,
    created_at     timestamptz NOT NULL DEFAULT now(),
    -- When its push service last took something for it, and why it did not the last time.
    told_at        timestamptz,
    problem        text,
    -- A server is sending to it, or it has just failed.
    busy_until     timestamptz,
    CONSTRAINT push_subscriptions_endpoint UNIQUE (user_id, endpoint)
);
CREATE INDEX push_subscriptions_by_endpoint ON push_subscriptions (endpoint);

-- Only what was asked in the web app or by a schedule is told: nobody wants to hear of each run of a program.
ALTER TABLE runs ADD COLUMN tells_devices boolean NOT NULL DEFAULT false;

-- The outbox has both kinds of receivers; its name stays, because servers of the version before know it by that. Those see
-- nothing to send in a row without a webhook.
ALTER TABLE webhook_deliveries
    ALTER COLUMN webhook_id DROP NOT NULL,
    ADD COLUMN push_subscription_id uuid REFERENCES push_subscriptions (id) ON DELETE CASCADE;
-- Every row that is there has a webhook, so none is looked at.
ALTER TABLE webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_receiver CHECK (num_nonnulls(webhook_id, push_subscription_id) = 1) NOT VALID;
CREATE INDEX webhook_deliveries_by_device ON webhook_deliveries (push_subscription_id, next_attempt_at)
    WHERE push_subscription_id IS NOT NULL;

-- Row level security -----------------------------------------------------------------------------
ALTER TABLE push_subscriptions ENABLE ROW LEVEL SECURITY;
ALTER TABLE push_subscriptions FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON push_subscriptions TO llm_council_app
    USING (user_id = nullif(current_setting('app.user_id', true), ''))
    WITH CHECK (user_id = nullif(current_setting('app.user_id', true), ''));
CREATE POLICY engine ON push_subscriptions TO llm_council_engine USING (true) WITH CHECK (true);

REVOKE ALL ON push_subscriptions FROM PUBLIC;
GRANT SELECT (id, user_id, endpoint, device, includes_title, created_at, told_at, problem), INSERT, DELETE,
      UPDATE (p256dh, auth, device, includes_title, problem)
    ON push_subscriptions TO llm_council_app;
GRANT SELECT, DELETE, UPDATE (told_at, problem, busy_until) ON push_subscriptions TO llm_council_engine;
-- What a person has seen need not be told any more.
GRANT DELETE ON webhook_deliveries TO llm_council_app;

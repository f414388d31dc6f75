/** An examination as the server tells it, for the pictures: none of it was really found. */
const ok = { state: "ok", message: "answers", fact: { code: "answered" } };
const probe = (kind: string, more: object = {}) => ({
  probe: kind,
  ...ok,
  ttft_ms: 412,
  total_ms: 903,
  cost_usd: 0.000_012,
  ...more,
});
const price = (prompt: number) => ({
  prompt_per_million_usd: prompt,
  completion_per_million_usd: 4 * prompt,
});
const refusedKey = {
  state: "failed",
  message: "attic refused the key",
  fact: {
    code: "call_failed",
    error_kind: "auth",
    status: 401,
    error: "attic: 401 Unauthorized: No auth credentials found",
  },
  advice: { code: "check_key", provider: "attic" },
  what_to_do: "check providers.attic.api_key: make a new key at the provider and restart",
};
const check = (area: string, fact: { code: string }, state = "ok") => ({
  area,
  state,
  message: fact.code.replaceAll("_", " "),
  fact,
});
const fact = (code: string, more: object = {}) => ({ code, ...more });
const skipped = { state: "skipped", ttft_ms: null, total_ms: null, cost_usd: null };

export const checkReport = {
  council: true,
  message: "A council can be held: 3 of 4 members answer.",
  fact: { code: "council_ready", answering: 3, members: 4 },
  version: "0.1.0",
  at: "2026-11-20T08:30:00.000000",
  took_ms: 8412,
  checks: [
    check("configuration", fact("configuration_read")),
    check("configuration", fact("default_provider", { provider: "router" })),
    check("configuration", fact("some_simulated", { providers: ["simulated"] }), "warning"),
    check("database", fact("database_reachable", { version: "17.6", local: false })),
    check("database", fact("schema_current", { version: 18 })),
    check("database", fact("roles_ready")),
    check("database", fact("clocks_agree", { offset_ms: -12 })),
    check(
      "storage",
      fact("disk_low", { free_bytes: 734_003_200, total_bytes: 21_474_836_480 }),
      "warning",
    ),
    check(
      "identity",
      fact("sign_in_by_proxy", {
        trusted: ["10.0.0.0/8"],
        user_header: "Remote-User",
        groups_header: "Remote-Groups",
        secret: true,
      }),
    ),
    check(
      "identity",
      fact("seen_request", {
        peer: "10.1.2.3",
        trusted: true,
        headers: ["Remote-User", "Remote-Groups"],
        secret: true,
      }),
    ),
  ],
  providers: [
    {
      name: "router",
      is_default: true,
      simulated: false,
      state: "ok",
      message: "offers 392 models",
      fact: { code: "list_read", models: 392 },
      models: 392,
      total_ms: 640,
    },
    { name: "attic", is_default: false, simulated: false, ...refusedKey, total_ms: 122 },
    {
      name: "simulated",
      is_default: false,
      simulated: true,
      state: "ok",
      message: "offers 5 models",
      fact: { code: "list_read", models: 5 },
      models: 5,
      total_ms: 1,
    },
  ],
  models: [
    {
      model: "cedar/large-3",
      provider: "router",
      seats: ["member", "chairman"],
      simulated: false,
      listed: true,
      ...ok,
      ttft_ms: 412,
      total_ms: 903,
      price: price(2.5),
      cost_usd: 0.000_31,
      probes: [probe("streamed"), probe("whole"), probe("structured_output"), probe("tools")],
    },
    {
      model: "openai/pro-5",
      provider: "router",
      seats: ["member"],
      simulated: false,
      listed: true,
      state: "warning",
      message: "answers in some ways only",
      fact: { code: "in_part" },
      advice: { code: "turn_schemas_off", provider: "router" },
      what_to_do: "set providers.router.structured_outputs = false",
      ttft_ms: 3120,
      total_ms: 6400,
      price: price(0.05),
      cost_usd: 0.000_04,
      probes: [
        probe("streamed"),
        probe("whole"),
        probe("structured_output", {
          state: "failed",
          message: "takes a schema, and its reply does not fit it",
          fact: { code: "not_the_schema" },
        }),
        probe("tools", { ...skipped, message: "not tried", fact: { code: "after_failure" } }),
      ],
    },
    {
      model: "cedar/large-0",
      provider: "router",
      seats: ["member"],
      simulated: false,
      listed: false,
      nearest: "cedar/large-1",
      state: "failed",
      message: "refused",
      fact: {
        code: "call_failed",
        error_kind: "refused",
        status: 404,
        error: "the model cedar/large-0 has been retired",
      },
      advice: { code: "replace", model: "cedar/large-0", nearest: "cedar/large-1" },
      what_to_do: "name cedar/large-1 in the place of cedar/large-0",
      probes: [
        probe("streamed", {
          ...skipped,
          state: "failed",
          message: "refused",
          fact: { code: "call_failed", error_kind: "refused", status: 404, error: "retired" },
        }),
        probe("whole", { ...skipped, message: "not tried", fact: { code: "after_failure" } }),
      ],
    },
    {
      model: "attic:llama3:8b",
      provider: "attic",
      seats: ["member", "title", "utility"],
      simulated: false,
      ...refusedKey,
      price: null,
      probes: [probe("streamed", { ...skipped, ...refusedKey })],
    },
  ],
  cost: { max_usd: 0.01, expected_usd: 0.0009, spent_usd: 0.000_35, unpriced_calls: 1 },
};

/** What came of asking a provider or a model, and what to do about it. */
import type { CheckAdvice, CheckVerdict, ProbeFact } from "../../api/checks";
import { msg, t } from "../../i18n";
import { count, money, sentence } from "../../ui/format";
import type { Sentences } from "../../ui/said";
import { errorTitles } from "../failures/kinds";

/** The least limit that covers a sum, in as many decimals as `money` shows: one rounded down would be reached again. */
const covering = (usd: number) => {
  const unit = usd < 0.1 ? 10_000 : 100;
  return Math.ceil(usd * unit) / unit;
};

export const probeSentences: Sentences<ProbeFact> = {
  list_read: ({ models }) => t("Offers {{count, number}} models.", { count: models }),
  no_list: () => t("Has no list of models: only its models show whether it works."),
  call_failed: ({ error_kind, status }) =>
    status
      ? t("{{what}} (HTTP {{status}}).", { what: t(errorTitles[error_kind]), status })
      : `${t(errorTitles[error_kind])}.`,
  answered: () => t("Answers."),
  still_thinking: ({ max_tokens }) =>
    t("Takes the request, and was still thinking after {{tokens}} tokens.", {
      tokens: count(max_tokens),
    }),
  not_the_schema: () => t("Takes a schema, and its reply does not fit it."),
  tool_not_called: () => t("Takes tools, and did not call the one it was told to."),
  refused: () => t("Refuses it, and answers without."),
  not_offered: () => t("Not offered, as far as is known."),
  stream_off: ({ provider }) => t("Streaming is off for {{provider}}.", { provider }),
  only_streamed: () => t("Only streamed replies were asked for."),
  after_failure: () => t("Not tried after the failure before."),
  over_max_cost: ({ needed_usd, left_usd }) =>
    t("Not asked: up to {{needed}} does not fit into the {{left}} that are left.", {
      needed: money(needed_usd),
      left: money(left_usd),
    }),
  price_unknown: () => t("Not asked: its price is unknown, and the cost is limited."),
  no_ledger: () => t("Not asked: the database cannot keep what it costs."),
  unfit_for_utility: () => t("Answers, and searches the web whatever it is asked."),
  in_part: () => t("Answers in some ways only."),
};

export const adviceSentences: Sentences<CheckAdvice> = {
  check_key: ({ provider }) =>
    t("Check {{setting}}: make a new key at the provider, and restart.", {
      setting: `providers.${provider}.api_key`,
    }),
  top_up: ({ provider }) => t("Add credit to the account at {{provider}}.", { provider }),
  wait_for_limit: ({ provider }) =>
    t("Wait, or raise the limit of the account at {{provider}}.", { provider }),
  check_address: ({ provider }) =>
    t("Check {{setting}}, and that the server reaches it (firewall, proxy, DNS).", {
      setting: `providers.${provider}.base_url`,
    }),
  try_later: ({ provider }) =>
    t("Try again in a few minutes; if it persists, look at the status page of {{provider}}.", {
      provider,
    }),
  replace: ({ model, nearest }) =>
    nearest
      ? t("Name {{nearest}} in the place of {{model}}.", { nearest, model })
      : t("Name another model in the place of {{model}}; its provider has no other like it.", {
          model,
        }),
  turn_streaming_off: ({ provider }) =>
    t("Set {{setting}}.", { setting: `providers.${provider}.stream = false` }),
  keep_streaming: ({ provider }) =>
    t("Leave {{setting}} on.", { setting: `providers.${provider}.stream` }),
  turn_schemas_off: ({ provider }) =>
    t("Set {{setting}}.", { setting: `providers.${provider}.structured_outputs = false` }),
  name_another_for_utility: ({ model }) =>
    t(
      "Name another model for titles and small jobs: {{model}} searches the web whatever it is asked.",
      { model },
    ),
  raise_max_cost: ({ needed_usd }) =>
    t("Allow {{sum}} to have everything asked.", { sum: money(covering(needed_usd)) }),
  leave_max_cost_out: () => t("Leave the cost limit empty to have it asked."),
  read_the_error: () => t("The error says what the provider does not take."),
};

export const verdictSentences: Sentences<CheckVerdict> = {
  council_ready: ({ answering, members }) =>
    t("A council can be held: {{answering}} of {{count, number}} members answer.", {
      answering: count(answering),
      count: members,
    }),
  database_unusable: () => t("No council can be held: the database cannot be used."),
  too_few_members: ({ answering, members }) =>
    t("No council can be held: {{answering}} of {{count, number}} members answer.", {
      answering: count(answering),
      count: members,
    }),
  too_few_asked: ({ asked, members }) =>
    t(
      "Whether a council can be held is not known: {{asked}} of {{count, number}} members were asked.",
      {
        asked: count(asked),
        count: members,
      },
    ),
};

/** What a model is in the council: texts of the catalogue. */
export const seatTitles = {
  member: msg("Member"),
  chairman: msg("Chairman"),
  fallback: msg("Fallback"),
  title: msg("Titles"),
  utility: msg("Small jobs"),
  reviewer: msg("Reviewer"),
  research: msg("Research"),
  search: msg("Web search"),
  named: msg("Named for this check"),
};

/** The ways in which a model is asked: texts of the catalogue. */
export const probeTitles = {
  streamed: msg("Streamed"),
  whole: msg("In one piece"),
  structured_output: msg("By a schema"),
  tools: msg("With tools"),
};

/** What a provider said word for word, where it failed. */
export const saidBy = (fact: ProbeFact) =>
  fact.code === "call_failed" ? sentence(fact.error) : null;

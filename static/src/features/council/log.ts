/** What the process log says of the acts that every council has. */
import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { count, duration, money, rank, shortName } from "../../ui/format";
import { type Sentences, withDetails } from "../../ui/said";
import { reasonText } from "../failures/facts";

type Note =
  | Schemas["RunNote"]
  | Schemas["AnswersNote"]
  | Schemas["ReviewsNote"]
  | Schemas["SynthesisNote"]
  | Schemas["TitleNote"];

const time = (ms: number | null | undefined) => (typeof ms === "number" ? duration(ms) : null);

/** `Response A` as the letter that it is. */
const letter = (label: string) => label.replace(/^Response /, "");

export const log: Sentences<Note> = {
  asked: ({ name }) => t("{{name}} is asked", { name: shortName(name) }),
  figures_kept: ({ answers, ballots, chairman }) =>
    withDetails(t("Analytics: recorded"), [
      t("{{count, number}} answers", { count: answers }),
      t("{{count, number}} ballots", { count: ballots }),
      chairman ? t("{{name}} as chairman", { name: shortName(chairman) }) : null,
    ]),
  asked_again: ({ name }) =>
    t("{{name}} is asked again: the server that asked it first is gone", { name: shortName(name) }),
  not_waited_for: ({ member }) =>
    t("{{name}} is not waited for any longer, as was asked for", { name: shortName(member) }),
  asked_once_more: ({ member }) =>
    t("{{name}} is asked again, as was asked for", { name: shortName(member) }),
  corrected: () => t("A correction is added to the question, for whoever reads it from now on"),
  run_costs: ({ calls, tokens, cost, unknown_cost_calls: unknown }) =>
    withDetails(t("{{count, number}} calls", { count: calls }), [
      t("{{number}} tokens", { number: count(tokens) }),
      typeof cost === "number" ? money(cost) : null,
      unknown > 0 ? t("{{count, number}} calls of unknown cost", { count: unknown }) : null,
    ]),

  members_asked: ({ asked }) =>
    asked === 0
      ? t("Stage 1: nobody is asked")
      : t("Stage 1: {{count, number}} members are asked", { count: asked }),
  answered: ({ member, latency_ms, confidence, late }) =>
    withDetails(t("{{name}} answered", { name: shortName(member) }), [
      time(latency_ms),
      typeof confidence === "number"
        ? t("confidence {{score}} of 10", { score: confidence })
        : null,
      late ? t("late") : null,
    ]),
  confidence_read: ({ member, confidence }) =>
    t("{{name}} says how sure it is: {{score}} of 10", {
      name: shortName(member),
      score: confidence,
    }),
  no_confidence: ({ member }) =>
    t("{{name}} does not say how sure it is", { name: shortName(member) }),
  confidence_together: ({ count: good, asked, average, lowest, highest }) =>
    t(
      "{{good}} of {{count, number}} members say how sure they are: {{average}} of 10 on average, from {{lowest}} to {{highest}}",
      { good, count: asked, average: rank(average), lowest, highest },
    ),
  not_answered: ({ member, reason }) =>
    t("{{name}} gave no answer: {{reason}}", {
      name: shortName(member),
      reason: reasonText(reason),
    }),
  answers_done: ({ answered, asked, pending, confidence }) =>
    withDetails(
      t("Stage 1: {{good}} of {{count, number}} members answered", {
        good: answered,
        count: asked,
      }),
      [
        pending > 0 ? t("{{count, number}} still at it", { count: pending }) : null,
        typeof confidence === "number"
          ? t("confidence {{score}} of 10", { score: rank(confidence) })
          : null,
      ],
    ),

  reviewers_asked: ({ asked }) =>
    asked === 0
      ? t("Stage 2: nobody is asked")
      : t("Stage 2: {{count, number}} members review the answers without knowing whose they are", {
          count: asked,
        }),
  ranked: ({ member, places }) =>
    t("{{name}} ranked: {{places}}", {
      name: shortName(member),
      places: places.map((labels) => labels.map(letter).join(" = ")).join(" > "),
    }),
  no_ballot: ({ member }) =>
    t("{{name}} reviewed; its text holds no ballot that counts", { name: shortName(member) }),
  not_reviewed: ({ member, reason }) =>
    t("{{name}} gave no review: {{reason}}", {
      name: shortName(member),
      reason: reasonText(reason),
    }),
  labels_assigned: ({ labels }) =>
    t("The answers go to the reviewers as {{labels}}, drawn at random", {
      labels: labels.map(letter).join(", "),
    }),
  no_ranking: () => t("Stage 2: no ranking"),
  ballots_counted: ({ counted, asked, first }) =>
    withDetails(
      t("Stage 2: {{good}} of {{count, number}} ballots count", { good: counted, count: asked }),
      [first ? t("{{name}} is first", { name: shortName(first) }) : t("the first place is shared")],
    ),

  writes: ({ model }) => t("Stage 3: {{name}} writes the answer", { name: shortName(model) }),
  written: ({ model, latency_ms }) =>
    withDetails(t("Stage 3: {{name}} has written the answer", { name: shortName(model) }), [
      time(latency_ms),
    ]),
  taken_as_it_is: ({ member }) =>
    t("Stage 3: the answer of {{name}} is taken as it is", { name: shortName(member) }),
  not_written: ({ model, reason }) =>
    t("{{name}} could not write the answer: {{reason}}", {
      name: shortName(model),
      reason: reasonText(reason),
    }),
  nobody_wrote: () => t("Stage 3: nobody could write the answer"),

  title_written: ({ model, cost }) =>
    withDetails(t("{{name}} wrote the title", { name: shortName(model) }), [
      typeof cost === "number" ? money(cost) : t("cost unknown"),
    ]),
  title_of_the_question: () => t("The title is made of the question's first words"),
  titled: ({ title }) => t("The conversation is called “{{title}}”", { title }),
};

import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { duration, shortName } from "../../ui/format";
import { type LogSentences, withDetails } from "../../ui/said";
import { reasonText } from "../failures/facts";
import { labelText, roundTitle } from "./words";

const time = (ms: number | null | undefined) => (typeof ms === "number" ? duration(ms) : null);

/** What the process log says of a debate. */
export const log: LogSentences<Schemas["DebateNote"]> = {
  debate_begins: ({ speakers, rounds }) =>
    withDetails(t("The debate begins: {{count, number}} speakers", { count: speakers }), [
      t("{{rounds}} rounds", { rounds }),
    ]),
  debate_round_begins: ({ round, round_type, speakers }) =>
    t("Round {{round}}, {{title}}: {{count, number}} speakers are asked", {
      round,
      title: roundTitle(round_type),
      count: speakers,
    }),
  spoke: ({ member, label, round, latency_ms }) =>
    withDetails(
      t("Round {{round}}: {{name}} has spoken as {{label}}", {
        round,
        name: shortName(member),
        label: labelText(label),
      }),
      [time(latency_ms)],
    ),
  fell_silent: ({ member, round, reason }) =>
    t("Round {{round}}: {{name}} is out of the debate: {{reason}}", {
      round,
      name: shortName(member),
      reason: reasonText(reason),
    }),
  judges: ({ model }) => t("{{name}} judges the debate", { name: shortName(model) }),
  not_judged: ({ model, reason }) =>
    t("{{name}} could not judge the debate: {{reason}}", {
      name: shortName(model),
      reason: reasonText(reason),
    }),
  judged: ({ model, latency_ms }) =>
    withDetails(t("{{name}} has judged the debate", { name: shortName(model) }), [
      time(latency_ms),
    ]),
  nobody_judged: () => t("Nobody could judge the debate"),
  openings_reviewed: ({ reviewers }) =>
    t("{{count, number}} members rank the openings without knowing whose they are", {
      count: reviewers,
    }),
  openings_ranked: ({ ballots }) =>
    t("The openings are ranked by {{count, number}} ballots", { count: ballots }),
};

/** Formats in which the members speak to each other, round after round, and a chairman concludes. */
import { lazy } from "react";
import { msg, t } from "../../i18n";
import { shortName } from "../../ui/format";
import { orMissing } from "../../ui/part";
import type { Feature } from "../feature";
import { debateMarkdown } from "./markdown";
import { start } from "./start";
import { debateOf, events, settle, stored } from "./state";
import { VerdictNote } from "./verdict";
import { endedIn, failedIn, roundOf, roundTitle } from "./words";

export const feature = {
  ...start,
  events,
  settle,
  stored,
  format: {
    isIn: (run) => debateOf(run) !== null,
    stages: [
      { key: "round1", title: msg("Round 1") },
      { key: "round2", title: msg("Round 2") },
      { key: "round3", title: msg("Round 3") },
      { key: "round4", title: msg("Round 4") },
      { key: "round5", title: msg("Round 5") },
      { key: "round6", title: msg("Round 6") },
      { key: "round7", title: msg("Round 7") },
      { key: "round8", title: msg("Round 8") },
      { key: "round9", title: msg("Round 9") },
      { key: "round10", title: msg("Round 10") },
    ],
    stageName(run, key) {
      if (key === "stage2") return t("Ballots over the openings");
      if (key === "stage3") return t("Judgment");
      const number = Number(/^round(\d+)$/.exec(key)?.[1]);
      const type = debateOf(run)?.roundTypes[number - 1];
      return type ? t("Round {{number}} · {{title}}", { number, title: roundTitle(type) }) : null;
    },
    texts: (run) => debateOf(run)?.rounds.flatMap(({ statements }) => statements) ?? [],
    toChooseFrom: (run) => debateOf(run)?.rounds[0]?.statements ?? [],
    reading: msg("Reading the debate…"),
    reviews: {
      title: msg("The openings, ranked blind"),
      lead: msg(
        "After the first round the members ranked the openings without knowing whose they were. The debate does not depend on it.",
      ),
    },
    again: [
      ["stage3", msg("Judge again"), msg("From the same debate")],
      ["stage1", msg("Debate anew"), msg("Everything anew, from the openings on")],
    ],
    Body: lazy(() => orMissing(import("./body"))),
    markdown: debateMarkdown,
  },
  describe(run) {
    const state = debateOf(run);
    if (!state) return null;
    if (run.phase === "stage3") {
      const { model } = run.synthesis;
      return model
        ? t("{{name}} judges the debate.", { name: shortName(model) })
        : t("The chairman judges the debate.");
    }
    const round = state.rounds.at(-1);
    if (!round) return t("The debate begins.");
    const failed = failedIn(round);
    const said = t("{{round}}: {{done}} of {{count, number}} speakers have spoken.", {
      round: roundOf(state, round),
      done: endedIn(round) - failed,
      count: round.statements.length,
    });
    return failed > 0 ? `${said} ${t("{{failed}} failed.", { failed })}` : said;
  },
  notes: { verdict: VerdictNote },
} satisfies Feature;

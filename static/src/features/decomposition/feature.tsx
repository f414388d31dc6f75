/** A question taken apart: its parts answered by everybody, the best answers put together. */
import { lazy } from "react";
import { msg, t } from "../../i18n";
import { shortName } from "../../ui/format";
import { orMissing } from "../../ui/part";
import type { Feature } from "../feature";
import { partsMarkdown } from "./markdown";
import { SkipNote } from "./note";
import { start } from "./start";
import { apart, decompositionOf, events, settle, stored } from "./state";
import { partsIn, throughIn } from "./words";

export const feature = {
  ...start,
  events,
  settle,
  stored,
  stage: {
    key: "decomposition",
    place: "first",
    isIn: (run) => decompositionOf(run) !== null,
  },
  format: {
    isIn: (run) => apart(run) !== null,
    stages: [
      { key: "sub1", title: msg("Part 1") },
      { key: "sub2", title: msg("Part 2") },
      { key: "sub3", title: msg("Part 3") },
      { key: "sub4", title: msg("Part 4") },
      { key: "sub5", title: msg("Part 5") },
    ],
    stageName: (_, key) => (key === "stage3" ? t("Putting together") : null),
    texts: (run) => apart(run)?.parts.flatMap(({ answers }) => answers) ?? [],
    reading: msg("Reading the answers to the parts…"),
    again: [
      ["stage3", msg("Put together again"), msg("From the same answers to the parts")],
      ["stage1", msg("Ask everything again"), msg("Everything anew, from the parts on")],
    ],
    Body: lazy(() => orMissing(import("./body"))),
    markdown: partsMarkdown,
  },
  describe(run) {
    const state = apart(run);
    if (!state) return null;
    if (run.phase === "stage3") {
      const { model } = run.synthesis;
      return model
        ? t("{{name}} puts the parts together.", { name: shortName(model) })
        : t("The parts are put together.");
    }
    if (partsIn(state) === 0) return t("Looking whether the question has parts.");
    return t("{{done}} of {{count, number}} parts are through.", {
      done: throughIn(state),
      count: partsIn(state),
    });
  },
  notes: { answers: SkipNote },
} satisfies Feature;

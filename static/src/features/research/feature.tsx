/** Research: the question's topics are searched before the members answer. */
import { lazy } from "react";
import { orMissing } from "../../ui/part";
import type { Feature } from "../feature";
import { copied } from "./copied";
import { NothingFound } from "./note";
import { start } from "./start";
import { events, type ResearchState, researchOf, settle, stored } from "./state";
import { progress, researchNow, researchSummary } from "./words";

export const feature = {
  ...start,
  events,
  settle,
  stored,
  copied,
  stage: {
    key: "stage0",
    place: "first",
    isIn: (run) => researchOf(run) !== null,
    detail: (run) => {
      const state = researchOf(run);
      return state ? progress(state) : "";
    },
  },
  describe(run) {
    const state = researchOf(run);
    return state && run.phase === "stage0" ? researchNow(state) : null;
  },
  notes: { final: NothingFound },
  section: {
    of: researchOf,
    summary: researchSummary,
    isOpen: ({ status }: ResearchState, run) => status !== "done" && run.phase === "stage0",
    Panel: lazy(() => orMissing(import("./panel"))),
  },
} satisfies Feature;

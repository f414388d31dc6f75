/** Research: the question's topics are searched before the members answer. */
import { lazy } from "react";
import { msg } from "../../i18n";
import { orMissing } from "../../ui/part";
import { noSearch } from "../citing/available";
import type { Feature } from "../feature";
import { copied } from "./copied";
import { NothingFound } from "./note";
import { events, type ResearchState, researchOf, settle, stored } from "./state";
import { progress, researchNow, researchSummary } from "./words";

export const research = {
  name: "research",
  title: msg("Research"),
  events,
  settle,
  stored,
  copied,
  option: {
    field: "use_research",
    group: "answers",
    everyFormat: true,
    obstacle: noSearch,
    isForServer: true,
  },
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

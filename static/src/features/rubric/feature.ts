/** A rubric: criteria by which the reviewers judge, of the library or written for one question. */
import { neutral } from "../../markdown/neutral";
import type { Feature } from "../feature";
import { RubricNote } from "./note";
import { start } from "./start";
import { events, rubricOf, stored } from "./state";
import { headingOf } from "./words";

export const feature = {
  ...start,
  events,
  stored,
  notes: { reviews: RubricNote },
  copied(run, what) {
    const said = what === "all" ? rubricOf(run) : null;
    return said ? [`## ${neutral(headingOf(said))}`, neutral(said.text)] : [];
  },
} satisfies Feature;

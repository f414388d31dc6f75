/** Corrections of a question: added while its members answer, read by those who judge and write. */
import { t } from "../../i18n";
import { neutral } from "../../markdown/neutral";
import type { Feature } from "../feature";
import { Corrections } from "./note";
import { start } from "./start";
import { askedAnew, correctionsOf, events, stored } from "./state";

export const feature = {
  ...start,
  events,
  stored,
  askedAnew,
  notes: { head: Corrections },
  copied(run, what) {
    const added = what === "all" ? correctionsOf(run) : [];
    return added.length > 0
      ? [`## ${t("Corrections of the question")}`, ...added.map(({ text }) => neutral(text))]
      : [];
  },
} satisfies Feature;

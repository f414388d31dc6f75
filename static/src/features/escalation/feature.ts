/** Escalation: a first tier answers, and a second one only where the first is unsure. */
import { t } from "../../i18n";
import type { Feature } from "../feature";
import { EscalationNote } from "./note";
import { start } from "./start";
import { escalationOf, events, stored } from "./state";

export const feature = {
  ...start,
  events,
  stored,
  answersSummary: (run) => (escalationOf(run)?.escalated ? t("escalated") : null),
  notes: { answers: EscalationNote },
} satisfies Feature;

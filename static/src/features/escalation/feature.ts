/** Escalation: a first tier answers, and a second one only where the first is unsure. */
import { msg, t } from "../../i18n";
import type { Feature } from "../feature";
import { EscalationNote } from "./note";
import { escalationOf, events, stored } from "./state";

export const escalation = {
  name: "escalation",
  title: msg("Escalation"),
  events,
  stored,
  option: {
    field: "use_escalation",
    group: "answers",
    obstacle: ({ tier1_models: first, tier2_models: second }) =>
      first.length > 0 && second.length > 0 ? null : t("Two tiers of models are needed."),
    choosesMembers: true,
  },
  answersSummary: (run) => (escalationOf(run)?.escalated ? t("escalated") : null),
  notes: { answers: EscalationNote },
} satisfies Feature;

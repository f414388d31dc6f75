import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { type Sentences, say } from "../../ui/said";
import { sentences } from "./facts";

/** What the process log says of escalation. */
export const log: Sentences<Schemas["EscalationNote"]> = {
  first_tier_asked: ({ models }) =>
    t("Escalation: the first tier answers, {{count, number}} models", { count: models }),
  first_tier_answered: ({ answered, asked }) =>
    t("Escalation: {{good}} of {{count, number}} models of the first tier answered", {
      good: answered,
      count: asked,
    }),
  first_tier_unsure: ({ why, reasons }) =>
    t("Escalation: the first tier is unsure: {{reasons}}", {
      reasons: reasons.map((reason) => say(sentences, reason)).join("; ") || why,
    }),
  second_tier_asked: ({ models }) =>
    t("Escalation: the second tier answers, {{count, number}} models", { count: models }),
};

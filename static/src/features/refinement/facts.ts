/** Why refinement ended. */
import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { shortName } from "../../ui/format";
import type { Sentences } from "../../ui/said";
import { reasonText } from "../failures/facts";
import { errorAdvice } from "../failures/kinds";

export const sentences: Sentences<Schemas["RefinementFact"]> = {
  converged: ({ found, asked, failed, needed }) => {
    const parts = [
      found === 0
        ? t("None of {{count, number}} critics named a fault.", { count: asked })
        : t("{{found}} of {{count, number}} critics named a fault.", { found, count: asked }),
    ];
    if (failed > 0) parts.push(t("{{count, number}} critics failed.", { count: failed }));
    parts.push(t("A revision takes {{needed}}.", { needed }));
    return parts.join(" ");
  },
  too_few_critics: ({ answered, asked }) =>
    t(
      "{{answered}} of {{count, number}} critics answered, too few for a revision: the draft stands as it was.",
      { answered, count: asked },
    ),
  not_revised: ({ model, reason }) =>
    t("{{model}} could not revise the draft, which stands as it was: {{reason}}.", {
      model: shortName(model),
      reason: reasonText(reason),
    }),
  unfinished: () => errorAdvice("cancelled"),
};

/** What failed with the devil's advocate. */
import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { shortName } from "../../ui/format";
import type { Sentences } from "../../ui/said";
import { reasonText } from "../failures/facts";
import { errorAdvice } from "../failures/kinds";

export const sentences: Sentences<Schemas["AdversaryFact"]> = {
  not_attacked: ({ model, reason }) =>
    t("{{model}} could not attack the answer: {{error}}.", {
      model: shortName(model),
      error: reasonText(reason),
    }),
  not_revised: ({ model, reason }) =>
    t("{{model}} could not revise the answer, which stands as it was: {{error}}.", {
      model: shortName(model),
      error: reasonText(reason),
    }),
  unfinished: () => errorAdvice("cancelled"),
};

export const severitySentences: Sentences<Schemas["SeverityFact"]> = {
  unread: ({ model }) =>
    t("The attack states no severity, and {{model}} gave none that could be read.", {
      model: shortName(model),
    }),
  not_asked: ({ model, reason }) =>
    t("The attack states no severity, and {{model}} could not be asked for it: {{reason}}.", {
      model: shortName(model),
      reason: reasonText(reason),
    }),
};

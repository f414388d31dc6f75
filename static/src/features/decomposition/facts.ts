/** Why a question is not taken apart. */
import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { percent, shortName } from "../../ui/format";
import type { Sentences } from "../../ui/said";
import { reasonText } from "../failures/facts";

export const sentences: Sentences<Schemas["SkipFact"]> = {
  not_complex: () => t("It has no parts worth asking apart."),
  not_sure: ({ confidence }) =>
    typeof confidence === "number"
      ? t("Whether it has parts is only {{percent}} sure; {{needed}} is needed.", {
          percent: percent(confidence),
          needed: percent(0.6),
        })
      : t("It is not certain enough that it has parts: no confidence was given."),
  not_judged: ({ model, reason }) =>
    t("{{model}} could not say whether it has parts: {{reason}}.", {
      model: shortName(model),
      reason: reasonText(reason),
    }),
  judgment_unread: ({ model }) =>
    t("What {{model}} said of it could not be read.", { model: shortName(model) }),
  not_split: ({ model, reason }) =>
    t("{{model}} could not name its parts: {{reason}}.", {
      model: shortName(model),
      reason: reasonText(reason),
    }),
  parts_unread: ({ model }) =>
    t("{{model}}'s list of parts could not be read, even when it was asked again.", {
      model: shortName(model),
    }),
  too_few_parts: ({ count }) =>
    t("Only {{count, number}} parts were found, and it takes two to ask them separately.", {
      count,
    }),
};

import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import type { Sentences } from "../../ui/said";
import { categoryName } from "./note";

/** What the process log says of routing. */
export const log: Sentences<Schemas["RoutingNote"]> = {
  classifying: () => t("Routing: what kind of question is it?"),
  classified: ({ category, models }) =>
    typeof models === "number"
      ? t("Routing: {{category}}; {{count, number}} models of its own answer", {
          category: categoryName(category),
          count: models,
        })
      : t("Routing: {{category}}; the whole council answers", {
          category: categoryName(category),
        }),
};

import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { count } from "../../ui/format";
import type { Sentences } from "../../ui/said";
import { parts, whyNone } from "./words";

/** What the process log says of earlier answers. */
export const log: Sentences<Schemas["CacheNote"]> = {
  cache_looking: () => t("Looking for an earlier answer"),
  cache_offered: ({ similarity }) =>
    t("An earlier answer is offered: the questions are {{percent}} similar", {
      percent: parts(similarity),
    }),
  cache_served: ({ similarity }) =>
    t("An earlier answer is used: the questions are {{percent}} similar", {
      percent: parts(similarity),
    }),
  cache_missed: ({ reason }) => whyNone({ reason }),
  cache_kept: ({ size }) =>
    t("The answer is kept for later questions; with it there are {{number}}", {
      number: count(size),
    }),
  cache_not_kept: ({ reason }) => {
    switch (reason) {
      case "incomplete":
        return t("The answer is not kept, because something of it is missing");
      case "corrected":
        return t("The answer is not kept, because its question was corrected meanwhile");
      default:
        return t("The answer could not be kept");
    }
  },
};

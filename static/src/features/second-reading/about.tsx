import { t } from "../../i18n";
import type { About } from "../feature";

export const about: About = {
  tell(_, config) {
    const reviewers = config?.reviewer_models.length || (config?.council_models.length ?? 4);
    return {
      what: t(
        "Where the ballots disagree, each reviewer reads the answers again in the reverse order.",
      ),
      cost: t("Up to {{count, number}} extra calls. None where the reviewers agree.", {
        count: reviewers,
      }),
    };
  },
};

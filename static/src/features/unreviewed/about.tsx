import { t } from "../../i18n";
import type { About } from "../feature";

export const about: About = {
  tell: ({ use_reviews }) =>
    use_reviews === false
      ? {
          what: t(
            "Nobody reviews: the chairman writes from the answers alone. Whatever depends on ballots does not apply.",
          ),
          cost: t("Saves a call for each reviewer, and the time of a stage."),
        }
      : {
          what: t(
            "The members rank each other’s answers blind, and the chairman reads what they say.",
          ),
          cost: t("A call for each reviewer."),
        },
};

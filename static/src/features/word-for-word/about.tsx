import { t } from "../../i18n";
import type { About } from "../feature";

export const about: About = {
  tell({ final }) {
    if (final === "select") {
      return {
        what: t("The answer that the reviewers rank first is the final one, word for word."),
        cost: t("Saves the chairman’s call. Without its notes on where members agree and differ."),
      };
    }
    if (final === "auto") {
      return {
        what: t(
          "Where the ballots are clear, the answer they rank first is the final one; elsewhere the chairman writes.",
        ),
        cost: t("Often saves the chairman’s call."),
      };
    }
    return {
      what: t("The chairman writes one answer from all answers and reviews."),
      cost: t("One long call."),
    };
  },
};

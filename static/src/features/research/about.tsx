import { t } from "../../i18n";
import { simulatedSearch } from "../citing/available";
import type { About } from "../feature";

export const about: About = {
  tell: (_, config) => ({
    what: [
      t("Two or three topics of the question are searched before the members answer."),
      simulatedSearch(config),
    ]
      .filter(Boolean)
      .join(" "),
    cost: t("One extra call and up to three searches; half a minute."),
  }),
};

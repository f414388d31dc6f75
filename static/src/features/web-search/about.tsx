import { t } from "../../i18n";
import { simulatedSearch } from "../citing/available";
import type { About } from "../feature";

export const about: About = {
  tell: (_, config) => ({
    what: [
      t("One search of the web; every member reads the results before it answers."),
      simulatedSearch(config),
    ]
      .filter(Boolean)
      .join(" "),
    cost: t("One search; a few seconds."),
  }),
};

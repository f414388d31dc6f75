import { t } from "../../i18n";
import { simulatedSearch } from "../citing/available";
import type { About } from "../feature";

export const about: About = {
  tell: (_, config) => ({
    what: [
      t("The chairman may search the web up to three times before it writes."),
      simulatedSearch(config),
    ]
      .filter(Boolean)
      .join(" "),
    cost: t("Up to three extra calls and searches."),
  }),
};

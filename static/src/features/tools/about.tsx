import { t } from "../../i18n";
import { simulatedSearch } from "../citing/available";
import type { About } from "../feature";

export const about: About = {
  tell: (_, config) => ({
    what: [
      t("Members search the web themselves while they answer, when they see a need."),
      simulatedSearch(config),
    ]
      .filter(Boolean)
      .join(" "),
    cost: t("A few more calls and searches for each member that does."),
  }),
};

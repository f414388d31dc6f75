import { t } from "../../i18n";
import type { About } from "../feature";

export const about: About = {
  tell: () => ({
    what: t("Votes of models that did well before count more."),
    cost: t("No extra calls and no extra time."),
  }),
};

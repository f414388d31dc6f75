import { t } from "../../i18n";
import type { About } from "../feature";

export const about: About = {
  tell: () => ({
    what: t("When nearly all rank one answer first, it is the final answer."),
    cost: t("Saves the chairman’s call, its time, and whatever would follow it."),
  }),
};

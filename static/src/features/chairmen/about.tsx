import { t } from "../../i18n";
import type { About } from "../feature";

export const about: About = {
  tell: (_choices, config) => ({
    what: t("Several models draft the final answer; the chairman picks the best and finishes it."),
    cost: t("{{count, number}} extra calls at once; about one answer’s time more.", {
      count: config?.multi_chairman_models.length || 2,
    }),
  }),
};

import { t } from "../../i18n";
import type { About } from "../feature";

export const about: About = {
  tell(_choices, config) {
    const first = config?.tier1_models.length || 2;
    const second = config?.tier2_models.length || 2;
    return {
      what: t("A quick first tier answers; the second is asked only when the first is unsure."),
      cost: t(
        "{{count, number}} answers and {{count, number}} reviews; if unsure, {{second}} more, all {{all}} review again, and it takes twice as long.",
        { count: first, second, all: first + second },
      ),
    };
  },
};

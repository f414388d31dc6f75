import { t } from "../../i18n";
import type { About } from "../feature";

export const about: About = {
  tell: () => ({
    what: t("One model attacks the answer; serious findings make the chairman revise it."),
    cost: t(
      "One extra call, or two if the answer is revised; each takes about as long as an answer.",
    ),
  }),
};

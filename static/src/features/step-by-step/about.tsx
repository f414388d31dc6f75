import { t } from "../../i18n";
import type { About } from "../feature";

export const about: About = {
  tell: () => ({
    what: t("Members write out thinking, analysis and conclusion; reviewers weigh the reasoning."),
    cost: t("No extra calls; answers are longer, and take longer."),
  }),
};

import { t } from "../../i18n";
import type { About } from "../feature";

export const about: About = {
  tell: () => ({
    what: t("Only the models for this kind of question answer."),
    cost: t("One small extra call first, a second or two; often fewer members."),
  }),
};

import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { shortName } from "../../ui/format";
import type { Sentences } from "../../ui/said";
import { reasonText } from "../failures/facts";

/** What the process log says of several chairmen. */
export const log: Sentences<Schemas["MultiChairmanNote"]> = {
  chairmen_write: ({ models }) =>
    t("Stage 3: {{count, number}} chairmen write a draft each", { count: models }),
  drafted: ({ model, draft }) =>
    t("{{name}} has written draft {{draft}}", { name: shortName(model), draft }),
  not_drafted: ({ model, reason }) =>
    t("{{name}} could not write a draft: {{reason}}", {
      name: shortName(model),
      reason: reasonText(reason),
    }),
  drafts_written: ({ written, asked }) =>
    t("Stage 3: {{good}} of {{count, number}} drafts are there", { good: written, count: asked }),
  chooses: ({ model }) => t("{{name}} chooses among the drafts", { name: shortName(model) }),
  chose: ({ model, draft, by }) =>
    t("{{name}} has chosen draft {{draft}} by {{author}}", {
      name: shortName(model),
      draft,
      author: shortName(by),
    }),
  choice_unread: ({ draft, by }) =>
    t("No choice could be read: draft {{draft}} by {{author}} is taken", {
      draft,
      author: shortName(by),
    }),
  not_chosen: ({ model, reason }) =>
    t("{{name}} could not choose: {{reason}}", {
      name: shortName(model),
      reason: reasonText(reason),
    }),
};

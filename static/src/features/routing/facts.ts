/** Sentences for a question whose kind was decided without a model. */
import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { listText, shortName } from "../../ui/format";
import type { Sentences } from "../../ui/said";
import { reasonText } from "../failures/facts";

const byWords = (words: readonly string[]) =>
  words.length > 0
    ? t("The question says {{words}}.", { words: listText(words.map((word) => `“${word}”`)) })
    : t("No word of the question tells its kind.");

export const sentences: Sentences<Schemas["RoutingFact"]> = {
  unread: ({ words, model }) =>
    t(
      "{{words}} Decided without a model: {{model}} named no kind of question that could be read.",
      {
        words: byWords(words),
        model: shortName(model),
      },
    ),
  not_asked: ({ words, model, reason }) =>
    t("{{words}} Decided without a model: {{model}} could not be asked ({{reason}}).", {
      words: byWords(words),
      model: shortName(model),
      reason: reasonText(reason),
    }),
};

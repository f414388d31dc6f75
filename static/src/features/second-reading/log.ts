import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { shortName } from "../../ui/format";
import { type Sentences, say } from "../../ui/said";
import { reasonText } from "../failures/facts";
import { sentences } from "./facts";

/** What the process log says of a second reading. */
export const log: Sentences<Schemas["SecondReadingNote"]> = {
  reading_again: ({ asked, why }) =>
    [
      t("Stage 2: {{count, number}} reviewers read the answers again.", { count: asked }),
      say(sentences, why),
    ]
      .filter(Boolean)
      .join(" "),
  read_again: ({ member }) => t("{{name}} has read the answers again", { name: shortName(member) }),
  not_read_again: ({ member, reason }) =>
    t("{{name}} did not read the answers again: {{reason}}", {
      name: shortName(member),
      reason: reasonText(reason),
    }),
};

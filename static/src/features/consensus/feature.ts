/** Early consensus: what nearly all rank first is the final answer, and nobody has to write. */
import { t } from "../../i18n";
import type { Feature } from "../feature";
import { Agreed, NotAgreed } from "./note";
import { start } from "./start";
import { consensusOf, events, stored } from "./state";

export const feature = {
  ...start,
  events,
  stored,
  describe: (run) =>
    run.phase === "stage3" && consensusOf(run)?.is_consensus
      ? t("The council agreed: nobody has to write.")
      : null,
  author: (run) => (consensusOf(run)?.is_consensus ? "member" : null),
  notes: { final: Agreed, reviews: NotAgreed },
} satisfies Feature;

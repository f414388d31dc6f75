/** Early consensus: what nearly all rank first is the final answer, and nobody has to write. */
import { msg, t } from "../../i18n";
import type { Feature } from "../feature";
import { Agreed, NotAgreed } from "./note";
import { consensusOf, events, stored } from "./state";

export const consensus = {
  name: "consensus",
  title: msg("Early consensus"),
  events,
  stored,
  option: { field: "use_early_consensus", group: "final" },
  describe: (run) =>
    run.phase === "stage3" && consensusOf(run)?.is_consensus
      ? t("The council agreed: nobody has to write.")
      : null,
  author: (run) => (consensusOf(run)?.is_consensus ? "member" : null),
  notes: { final: Agreed, reviews: NotAgreed },
} satisfies Feature;

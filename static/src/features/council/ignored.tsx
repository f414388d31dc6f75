import type { Ignored, Schemas } from "../../api/types";
import { t } from "../../i18n";
import { T } from "../../i18n/t";
import { Said, type Sentences, say } from "../../ui/said";
import { titleOf } from "../options/choices";

const sentences: Sentences<Schemas["IgnoredFact"]> = {
  models_named: () => t("the question names its models itself"),
  no_pools: () => t("no kind of question has two models of its own"),
  routed: () => t("routing chooses who answers"),
  written: () => t("the final answer is to be written, whatever the ballots say"),
  selected: () => t("the best-ranked answer is taken as it is, and nothing is written"),
  alone: () => t("one seat alone is asked, without the council"),
  unreviewed: () => t("nobody reviews the answers, so there are no ballots to go by"),
  formed: () => t("only whoever writes the final answer is asked for its form"),
  council_only: () => t("it is an option of the council, and this run has another format"),
  taken_apart: () =>
    t("it is an option of the council, and applies only if the question is not taken apart"),
  parts_only: () => t("it applies only if the question is taken apart"),
  unfit_default: () => t("its default does not fit this question"),
};

/** Why; of a default also what is wrong with it, which the server says in English. */
function Reason({ ignored: { reason, reason_fact: fact } }: { ignored: Ignored }) {
  return (
    <>
      <Said said={say(sentences, fact)} text={reason} />
      {fact?.code === "unfit_default" && (
        <>
          {" "}
          (<span lang="en">{fact.problem}</span>)
        </>
      )}
    </>
  );
}

/** Options that were switched on and do not apply to this run. */
export function IgnoredOptions({ ignored }: { ignored: readonly Ignored[] }) {
  if (ignored.length === 0) return null;
  return (
    <ul className="run-note" aria-label={t("Options that do not apply")}>
      {ignored.map((one) => (
        <li key={one.field}>
          <T
            text={
              // Whether it applied is known only after the run has begun.
              one.reason_fact?.code === "taken_apart" || one.reason_fact?.code === "parts_only"
                ? "{{option}}: {{reason}}."
                : "{{option}} did not apply: {{reason}}."
            }
            parts={{
              option: <strong>{titleOf(one.field)}</strong>,
              reason: <Reason ignored={one} />,
            }}
          />
        </li>
      ))}
    </ul>
  );
}

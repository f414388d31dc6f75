import { useId, useState } from "react";
import { t } from "../../i18n";
import { reviewFrom } from "../../run/parts";
import type { RunState } from "../../run/state";
import { Details } from "../../ui/disclosure";
import { shortName } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { usePrinting } from "../../ui/printing";
import { Answers } from "../council/answers";
import { Monogram } from "../council/monogram";
import { Reviews } from "../council/reviews";
import { membersOf } from "../formats";
import type { PartState } from "./state";
import { countOf, pickedBy, standing, winnerOf } from "./words";

/** The run with this part's ballots in the place of a council's. */
const asCouncil = (run: RunState, { result }: PartState): RunState => ({
  ...run,
  reviews: (result?.ballots ?? []).map(reviewFrom),
  labelToMember: result?.label_to_member ?? {},
  aggregate: result?.ranking ?? [],
  facts: null,
  abstained: [],
});

function Inside({ run, part }: { run: RunState; part: PartState }) {
  const ballots = part.result?.ballots?.length ?? 0;
  return (
    <>
      <Answers
        answers={part.answers}
        round={part.index + 1}
        best={part.result?.best_member ?? null}
      />
      {ballots > 0 && (
        <Details title={t("Ballots ({{ballots}})", { ballots })}>
          {() => <Reviews run={asCouncil(run, part)} />}
        </Details>
      )}
    </>
  );
}

/** Whose answer was taken, on which grounds; before that, what goes on. */
function Outcome({ run, part }: { run: RunState; part: PartState | undefined }) {
  const winner = part && winnerOf(part);
  const member = part?.result?.best_member;
  if (!part || !winner || !member) {
    return <span className="part-standing">{standing(run, part)}</span>;
  }
  const model = part.result?.best_model;
  return (
    <span className="part-winner">
      <Monogram member={member} seat={Math.max(0, membersOf(run).indexOf(member))} />
      <span>
        <strong>{winner}</strong>
        {model && shortName(model) !== winner && <span className="model-id"> {model}</span>}
        <span className="part-by"> · {pickedBy(part)}</span>
      </span>
    </span>
  );
}

interface Props {
  run: RunState;
  index: number;
  question: string;
  part: PartState | undefined;
}

/** One part: its question, how many have answered it and who did so best; unfolded, all answers. */
export function PartItem({ run, index, question, part }: Props) {
  const [opened, setOpen] = useState(false);
  const printing = usePrinting((state) => state.printing);
  const open = (opened || printing) && part !== undefined;
  const id = useId();
  const count = part && countOf(part);
  return (
    <li className="part">
      <h4 className="part-head">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={`${id}-body`}
          disabled={part === undefined}
          onClick={() => setOpen(!opened)}
        >
          <span className="part-number" aria-hidden="true">
            {index + 1}
          </span>
          <span className="part-question" dir="auto">
            <span className="visually-hidden">{t("Part {{number}}", { number: index + 1 })}: </span>
            {question}
          </span>
          <span className="part-foot">
            <Outcome run={run} part={part} />
            {count && (
              <span className="part-count">
                <span aria-hidden="true">{count.short}</span>
                <span className="visually-hidden">{count.long}</span>
              </span>
            )}
          </span>
          <Icon name="chevron" />
        </button>
      </h4>
      <div id={`${id}-body`} hidden={!open} className="part-body">
        {open && <Inside run={run} part={part} />}
      </div>
    </li>
  );
}

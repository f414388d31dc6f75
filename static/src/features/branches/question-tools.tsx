import { lazy, Suspense } from "react";
import { t } from "../../i18n";
import { Icon } from "../../ui/icon";
import { orNothing } from "../../ui/part";
import { choose } from "./choose";
import { editing } from "./editing";

// Few questions have siblings.
const Siblings = lazy(() => orNothing(import("./siblings")));

/** A stored question, as far as it can be asked in another way. */
export interface Place {
  conversationId: string;
  questionId: string;
  /** The answer that it goes on from; null at the beginning. */
  parentId: string | null;
  /** The questions in its place, itself among them; none where it is the only one. */
  siblings: readonly string[];
  /** Its turn, from 0. */
  turn: number;
}

interface Props {
  place: Place;
  /** Not while something is being written in this conversation, nor before the whole answer is read. */
  mayEdit: boolean;
}

/** Under a question: to ask it in another way, and to see the ways it was asked in. */
export function QuestionTools({ place, mayEdit }: Props) {
  const { conversationId, questionId, siblings, turn } = place;
  const show = (at: number) => {
    const other = siblings[at - 1];
    if (other !== undefined) choose(conversationId, other, turn);
  };
  return (
    <div className="question-tools">
      {siblings.length > 1 && (
        <Suspense fallback={null}>
          <Siblings at={siblings.indexOf(questionId) + 1} count={siblings.length} onChange={show} />
        </Suspense>
      )}
      {mayEdit && (
        <button
          type="button"
          className="quiet-button edit-question"
          data-edits={questionId}
          aria-label={t("Edit the question")}
          title={t("Ask it in another way, beside this one")}
          onClick={() => editing.open(conversationId, questionId)}
        >
          <Icon name="pencil" />
          {t("Edit")}
        </button>
      )}
    </div>
  );
}

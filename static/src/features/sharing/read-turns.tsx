import { useMemo } from "react";
import type { Message } from "../../api/types";
import { ReadOnly } from "../council/read-only";
import { TurnView } from "../council/turn";
import { storedTurns } from "../council/turns";

/** How many of the first turns are drawn at once: it is read from its beginning. */
const turnsAtOnce = 2;

const none: readonly string[] = [];
const nothing = () => undefined;

/** Somebody's conversation, for reading. */
export function ReadTurns({ shown }: { shown: { id: string; messages: Message[] } }) {
  const turns = useMemo(() => storedTurns(shown), [shown]);
  return (
    <ReadOnly value>
      <div className="turns">
        {turns.map((turn, at) => (
          <TurnView
            key={turn.key}
            conversationId={shown.id}
            number={at + 1}
            question={turn.question}
            questionId={null}
            files={turn.files}
            ofProject={turn.ofProject}
            parentId={null}
            siblings={none}
            edited={false}
            running={false}
            seats={none}
            replaced={0}
            run={turn.run}
            earlier={none}
            live={null}
            latest={at === turns.length - 1}
            far={at >= turnsAtOnce}
            onReattach={nothing}
            onAskAgain={nothing}
          />
        ))}
      </div>
    </ReadOnly>
  );
}

/** A conversation's messages as questions with their deliberations, the one under way included. */
import type { Conversation } from "../../api/types";
import { isLive, type RunState } from "../../run/state";
import type { LiveRun } from "../asking/runs";
import { fromStored } from "../reducer";

export interface Turn {
  /** Its place in the conversation: the same while it runs and once it is stored. */
  key: string;
  question: string;
  run: RunState | null;
  /** The runs whose answers stood here before it was asked for again, oldest first. */
  earlier: readonly string[];
  /** Set on the turn this page follows. */
  live: LiveRun | null;
}

const none: readonly string[] = [];
const empty: Omit<Turn, "key"> = { question: "", run: null, earlier: none, live: null };

function storedTurns(conversation: Conversation): Turn[] {
  const turns: Turn[] = [];
  for (const message of conversation.messages) {
    const last = turns.at(-1);
    if (message.role === "user") {
      turns.push({ ...empty, key: `turn-${turns.length}`, question: message.content });
    } else {
      const run = fromStored(message, conversation.id);
      const earlier = message.earlier_runs ?? none;
      if (last && last.run === null) Object.assign(last, { run, earlier });
      else turns.push({ ...empty, key: `turn-${turns.length}`, run, earlier });
    }
  }
  return turns;
}

export function turnsOf(conversation: Conversation, live: LiveRun | null): Turn[] {
  const turns = storedTurns(conversation);
  if (!live) return turns;
  const { messageId } = live.run;
  const at = turns.findIndex(({ run }) =>
    messageId === null ? run !== null && isLive(run) : run?.messageId === messageId,
  );
  const stored = turns[at];
  if (stored) return turns.with(at, { ...stored, run: live.run, live });
  const last = turns.at(-1);
  if (last && last.run === null && (live.question ?? last.question) === last.question) {
    return turns.with(-1, { ...last, run: live.run, live });
  }
  return [
    ...turns,
    { ...empty, key: `turn-${turns.length}`, question: live.question ?? "", run: live.run, live },
  ];
}

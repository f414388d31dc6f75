/** A conversation's messages as questions with their deliberations, the one under way included. */
import type { Conversation } from "../../api/types";
import { isLive, type RunState } from "../../run/state";
import type { LiveRun } from "../asking/runs";
import type { Asked } from "../attachments/chosen";
import type { AttachedFile, ReadFile } from "../attachments/question-files";
import { isElsewhere } from "../branches/elsewhere";
import { fromStored } from "../reducer";

export interface Turn {
  /** Its place in the conversation: the same while it runs and once it is stored. */
  key: string;
  question: string;
  /** The stored question's id; null as long as this page knows none. */
  questionId: string | null;
  /** The answer that it goes on from; null at the beginning. */
  parentId: string | null;
  /** The questions that stand in its place, itself among them; none where it is the only one. */
  siblings: readonly string[];
  /** The files that the question came with. */
  files: readonly AttachedFile[];
  /** The files of its project that it was read with. */
  ofProject: readonly ReadFile[];
  run: RunState | null;
  /** The runs whose answers stood here before it was asked for again, oldest first. */
  earlier: readonly string[];
  /** Set on the turn this page follows. */
  live: LiveRun | null;
}

const none: readonly string[] = [];
const noFiles: readonly AttachedFile[] = [];
const nothingRead: readonly ReadFile[] = [];
const empty: Omit<Turn, "key"> = {
  question: "",
  questionId: null,
  parentId: null,
  siblings: none,
  files: noFiles,
  ofProject: nothingRead,
  run: null,
  earlier: none,
  live: null,
};

/** The turns as they are stored. */
export function storedTurns({ id, messages }: Pick<Conversation, "id" | "messages">): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (message.role === "user") {
      const { id: questionId, content: question, parent_id: parentId, siblings = none } = message;
      const { attachments: files = noFiles, project_files: ofProject = nothingRead } = message;
      const key = `turn-${turns.length}`;
      const asked = { question, questionId, parentId, siblings, files, ofProject };
      turns.push({ ...empty, key, ...asked });
    } else {
      const run = fromStored(message, id);
      const earlier = message.earlier_runs ?? none;
      if (last && last.run === null) Object.assign(last, { run, earlier });
      else turns.push({ ...empty, key: `turn-${turns.length}`, run, earlier });
    }
  }
  return turns;
}

/** Of a question that is on its way only the names are known. */
const asFiles = (asked: Asked): readonly AttachedFile[] =>
  asked.flatMap((file) =>
    typeof file === "string" ? [] : [{ id: file.id, filename: file.filename ?? file.id }],
  );

/** The turns that come before a question which goes on from this answer. */
function before(turns: Turn[], parent: string | null | undefined): Turn[] {
  if (parent === undefined) return turns;
  if (parent === null) return [];
  const at = turns.findIndex(({ run }) => run?.messageId === parent);
  return at < 0 ? turns : turns.slice(0, at + 1);
}

export function turnsOf(conversation: Conversation, live: LiveRun | null): Turn[] {
  const turns = storedTurns(conversation);
  if (!live || isElsewhere(live, conversation)) return turns;
  const { messageId } = live.run;
  const at = turns.findIndex(({ run }) =>
    messageId === null ? run !== null && isLive(run) : run?.messageId === messageId,
  );
  const stored = turns[at];
  if (stored) return turns.with(at, { ...stored, run: live.run, live });
  const earlier = before(turns, live.parent);
  const last = earlier.at(-1);
  if (last && last.run === null && (live.question ?? last.question) === last.question) {
    return earlier.with(-1, { ...last, run: live.run, live });
  }
  return [
    ...earlier,
    {
      ...empty,
      key: `turn-${earlier.length}`,
      question: live.question ?? "",
      files: asFiles(live.attachments),
      run: live.run,
      live,
    },
  ];
}

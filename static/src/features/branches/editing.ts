/** Which question of each conversation is open to be changed. What is typed meanwhile is a draft like any other. */
import { create } from "zustand";

const useEditing = create<{ questions: Readonly<Record<string, string | null>> }>(() => ({
  questions: {},
}));

/** In the place of a conversation's id, for what is typed in the place of this question. */
export const editOf = (question: string) => `edit:${question}`;

/** The question that was opened last, until its editor has been drawn. */
let opened: string | null = null;

export const editing = {
  open: (id: string, question: string | null) => {
    opened = question;
    useEditing.setState(({ questions }) => ({ questions: { ...questions, [id]: question } }));
  },
  /** Whether it was opened just now; once. An editor is also drawn when a run has ended, or a conversation is read again. */
  isNew(question: string): boolean {
    const is = opened === question;
    if (is) opened = null;
    return is;
  },
};

/** The id of the question that is open in a conversation. */
export const useOpenQuestion = (id: string) => useEditing((state) => state.questions[id] ?? null);

/** Which question of each conversation is open to be changed. What is typed meanwhile is a draft like any other. */
import { create } from "zustand";

const useEditing = create<{ questions: Readonly<Record<string, string | null>> }>(() => ({
  questions: {},
}));

/** In the place of a conversation's id, for what is typed in the place of this question. */
export const editOf = (question: string) => `edit:${question}`;

export const editing = {
  open: (id: string, question: string | null) =>
    useEditing.setState(({ questions }) => ({ questions: { ...questions, [id]: question } })),
};

/** The id of the question that is open in a conversation. */
export const useOpenQuestion = (id: string) => useEditing((state) => state.questions[id] ?? null);

/** How the final answer comes about: the chairman writes it, or the best-ranked answer is taken word for word. */
import type { Feature } from "../feature";
import { start } from "./start";

export const feature = {
  ...start,
  author: (run) => (run.synthesis.result?.selected_member ? "member" : null),
} satisfies Feature;

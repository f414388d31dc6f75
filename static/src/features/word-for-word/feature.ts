/** How the final answer comes about: the chairman writes it, or the best-ranked answer is taken word for word. */
import { msg } from "../../i18n";
import type { Feature } from "../feature";

export const wordForWord = {
  name: "word-for-word",
  title: msg("How it comes about"),
  way: {
    field: "final",
    group: "final",
    byDefault: "write",
    values: [
      { value: "write", text: msg("Written") },
      {
        value: "select",
        text: msg("Best-ranked, as it is"),
        alone: msg("The best-ranked answer is taken as it is: nothing is written."),
      },
      { value: "auto", text: msg("Best-ranked if clear") },
    ],
  },
  author: (run) => (run.synthesis.result?.selected_member ? "member" : null),
} satisfies Feature;

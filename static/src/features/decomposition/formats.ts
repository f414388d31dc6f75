/** What a question can ask for, and what it is good for. */
import { msg } from "../../i18n";
import type { FormatChoice } from "../feature";

export const formats: readonly FormatChoice[] = [
  {
    key: "decomposition",
    title: msg("Question in parts"),
    short: msg("In parts"),
    good: msg(
      "A question with several parts: each part answered by everybody, the best answers put together.",
    ),
    ask: { mode: "decomposition" },
    mayBeCouncil: true,
    fields: [
      {
        kind: "way",
        field: "pick",
        byDefault: "ballot",
        values: [
          { value: "ballot", text: msg("Ballots") },
          { value: "confidence", text: msg("Confidence") },
        ],
        title: msg("Best answer by"),
        what: msg(
          "Members rank the answers to each part blind; or the surest of them is taken, who may only be the boldest.",
        ),
        cost: msg("Ballots are a call for each member and part."),
        chip: msg("Best by confidence"),
      },
    ],
  },
];

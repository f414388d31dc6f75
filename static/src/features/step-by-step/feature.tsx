/** Step by step: members write out how they think, and answers are shown in those parts. */
import { msg } from "../../i18n";
import type { Feature } from "../feature";
import { Steps } from "./steps";

export const stepByStep = {
  name: "step-by-step",
  title: msg("Step by step"),
  option: { field: "use_cot", group: "answers", everyFormat: true },
  answerBody: ({ result }) => (result?.cot ? <Steps steps={result.cot} /> : null),
} satisfies Feature;

/** Step by step: members write out how they think, and answers are shown in those parts. */
import { t } from "../../i18n";
import type { Feature } from "../feature";
import { start } from "./start";
import { Steps } from "./steps";

export const feature = {
  ...start,
  answerFact: ({ result }) => (result?.cot ? t("step by step") : null),
  answerBody: ({ result }) => (result?.cot ? <Steps steps={result.cot} /> : null),
} satisfies Feature;

import type { Stage } from "../../api/types";
import { msg } from "../../i18n";

/** In the order of a run, to be translated. A record, so that the compiler asks for the one that is missing. */
export const stageNames: Record<Stage, string> = {
  routing: msg("Routing"),
  stage1: msg("Answers"),
  stage2: msg("Reviews"),
  stage3: msg("Final answer"),
  refinement: msg("Refinement"),
  adversary: msg("Devil’s advocate"),
  title: msg("Title"),
};

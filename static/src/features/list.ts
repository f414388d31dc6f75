/**
 * The list of the options and formats that this page knows. What is known of them before there is a run, which is what the
 * composer and the routes need, comes with the first load; the rest of each, its `feature.ts`, comes with the first run that is
 * shown (`index.ts`). What each may have is written in `feature.ts` of this folder.
 */
import { start as adversary } from "./adversary/start";
import { start as cache } from "./cache/start";
import { start as chairmen } from "./chairmen/start";
import { start as consensus } from "./consensus/start";
import { start as debate } from "./debate/start";
import { start as decomposition } from "./decomposition/start";
import { start as escalation } from "./escalation/start";
import type { FeatureStart } from "./feature";
import { start as jury } from "./jury/start";
import { start as ownVotes } from "./own-votes/start";
import { start as pictures } from "./pictures/start";
import { start as questionCorrections } from "./question-corrections/start";
import { start as react } from "./react/start";
import { start as refinement } from "./refinement/start";
import { start as research } from "./research/start";
import { start as routing } from "./routing/start";
import { start as rubric } from "./rubric/start";
import { start as secondReading } from "./second-reading/start";
import { start as sources } from "./sources/start";
import { start as stepByStep } from "./step-by-step/start";
import { start as tools } from "./tools/start";
import { start as unreviewed } from "./unreviewed/start";
import { start as webSearch } from "./web-search/start";
import { start as weights } from "./weights/start";
import { start as wordForWord } from "./word-for-word/start";

/** In the order in which the page has them wherever it has several. */
export const starts: readonly FeatureStart[] = [
  cache,
  questionCorrections,
  pictures,
  sources,
  research,
  webSearch,
  tools,
  wordForWord,
  chairmen,
  react,
  stepByStep,
  routing,
  escalation,
  unreviewed,
  jury,
  secondReading,
  rubric,
  weights,
  ownVotes,
  consensus,
  refinement,
  adversary,
  debate,
  decomposition,
];

/** The rest of each that has any, with its own names of events, stages and fields: for what the compiler checks. */
export type Listed =
  | typeof import("./adversary/feature").feature
  | typeof import("./cache/feature").feature
  | typeof import("./chairmen/feature").feature
  | typeof import("./consensus/feature").feature
  | typeof import("./debate/feature").feature
  | typeof import("./decomposition/feature").feature
  | typeof import("./escalation/feature").feature
  | typeof import("./pictures/feature").feature
  | typeof import("./question-corrections/feature").feature
  | typeof import("./react/feature").feature
  | typeof import("./refinement/feature").feature
  | typeof import("./research/feature").feature
  | typeof import("./routing/feature").feature
  | typeof import("./rubric/feature").feature
  | typeof import("./second-reading/feature").feature
  | typeof import("./sources/feature").feature
  | typeof import("./step-by-step/feature").feature
  | typeof import("./tools/feature").feature
  | typeof import("./web-search/feature").feature
  | typeof import("./weights/feature").feature
  | typeof import("./word-for-word/feature").feature;

/**
 * What is known of the options and formats before there is a run: what the composer and the routes need of them. It
 * comes with the first load; the rest of each, in `index.ts`, comes with the first run that is shown.
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

/** In the order of `index.ts`: that of the page. */
export const starts: readonly FeatureStart[] = [
  cache,
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

/** The options of the council that this page knows: what each may have is written in `feature.ts`. */
import { adversary } from "./adversary/feature";
import { cache } from "./cache/feature";
import { chairmen } from "./chairmen/feature";
import { consensus } from "./consensus/feature";
import { debate } from "./debate/feature";
import { decomposition } from "./decomposition/feature";
import { escalation } from "./escalation/feature";
import type { Feature } from "./feature";
import { jury } from "./jury/feature";
import { ownVotes } from "./own-votes/feature";
import { react } from "./react/feature";
import { refinement } from "./refinement/feature";
import { research } from "./research/feature";
import { routing } from "./routing/feature";
import { rubric } from "./rubric/feature";
import { secondReading } from "./second-reading/feature";
import { sources } from "./sources/feature";
import { stepByStep } from "./step-by-step/feature";
import { tools } from "./tools/feature";
import { unreviewed } from "./unreviewed/feature";
import { webSearch } from "./web-search/feature";
import { weights } from "./weights/feature";
import { wordForWord } from "./word-for-word/feature";

/** In the order in which the page has them wherever it has several. */
const list = [
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
] as const;

export const features: readonly Feature[] = list;

/** The same with their own names of events, stages and fields, for what the compiler checks. */
export type Listed = (typeof list)[number];

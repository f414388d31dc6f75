/** Where research stands, in a line. */
import { t } from "../../i18n";
import type { ResearchState, Topic } from "./state";

export const hasFailed = ({ result }: Topic) => Boolean(result?.error);
const searchedIn = ({ topics }: ResearchState) => topics.filter(({ result }) => result !== null);

/** “2/3”, for the timeline. */
export const progress = (state: ResearchState) =>
  state.topics.length > 0 ? `${searchedIn(state).length}/${state.topics.length}` : "";

export function researchSummary(state: ResearchState): string {
  const { status, topics, found } = state;
  switch (status) {
    case "splitting":
      return t("Analysing the question…");
    case "searching":
      return t("{{done}} of {{count, number}} topics searched", {
        done: searchedIn(state).length,
        count: topics.length,
      });
    case "compiling":
      return t("Compiling…");
    case "stopped":
      return t("broken off");
    case "done":
      break;
  }
  if (state.needless) return t("not needed");
  if (state.failure !== null) return t("failed");
  if (!found) return t("nothing found");
  const numbers = topics.flatMap(({ result }) => result?.sources ?? []).map(({ n }) => n);
  const failed = topics.filter(hasFailed).length;
  return [
    t("{{count, number}} searches", { count: topics.length }),
    ...(failed > 0 ? [t("{{count, number}} failed", { count: failed })] : []),
    t("{{count, number}} sources", { count: new Set(numbers).size }),
  ].join(" · ");
}

/** The state as a sentence to be read out, while the research goes on. */
export function researchNow(state: ResearchState): string {
  switch (state.status) {
    case "splitting":
      return t("Research: the question is analysed.");
    case "compiling":
      return t("Research: the findings are compiled.");
    default:
      return t("Research: {{done}} of {{count, number}} topics are searched.", {
        done: searchedIn(state).length,
        count: state.topics.length,
      });
  }
}

import "../../styles/research.css";
import { t } from "../../i18n";
import { Markdown } from "../../markdown/markdown";
import { Marked } from "../../markdown/marks";
import { isLive, type RunState } from "../../run/state";
import { CopyButton } from "../../ui/copy";
import { Details } from "../../ui/disclosure";
import { shortName } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { Simulated } from "../citing/facts";
import { SourceList } from "../citing/list";
import { CallFailure } from "../failures/call-failure";
import type { PanelProps } from "../feature";
import type { ResearchState, Topic } from "./state";
import { hasFailed } from "./words";

type Standing = "ahead" | "now" | "done" | "nothing" | "failed";

function standingOf(topic: Topic, live: boolean): Standing {
  if (hasFailed(topic)) return "failed";
  if (topic.result)
    return topic.result.response || topic.result.sources?.length ? "done" : "nothing";
  return live ? "now" : "ahead";
}

function Head({ topic, standing }: { topic: Topic; standing: Standing }) {
  const said: Record<Standing, string> = {
    ahead: t("not searched"),
    now: t("searching…"),
    done: t("{{count, number}} sources", { count: topic.result?.sources?.length ?? 0 }),
    nothing: t("nothing found"),
    failed: t("failed"),
  };
  return (
    <>
      <span className="topic-mark" aria-hidden="true">
        {standing === "done" && <Icon name="check" />}
        {standing === "failed" && <Icon name="alert" />}
      </span>
      <span className="topic-what">
        <span className="topic-label" dir="auto">
          <Marked text={topic.label} />
        </span>{" "}
        {topic.query !== topic.label && (
          <span className="topic-query" dir="auto">
            <Marked text={topic.query} />
          </span>
        )}
      </span>
      <span className="topic-standing">{said[standing]}</span>
    </>
  );
}

/** Where nobody has summed them up, the text is what the sources say, one after the other. */
const isJustSources = ({ response, sources }: NonNullable<Topic["result"]>) =>
  sources.length > 0 && sources.every(({ snippet }) => response.includes(snippet));

function Findings({ topic: { label, result } }: { topic: Topic }) {
  if (!result) return null;
  const { response, sources } = result;
  return (
    <div className="topic-found">
      {result.error && (
        <CallFailure
          kind={null}
          fact={null}
          text={result.error}
          otherwise={t("The search failed")}
        />
      )}
      {response && !isJustSources(result) && <Markdown text={response} />}
      {sources?.length > 0 && <SourceList sources={sources} whole />}
      {response && (
        <div className="answer-foot">
          <CopyButton
            label={t("Copy")}
            name={t("Copy what was found about {{label}}", { label })}
            text={() => response}
          />
        </div>
      )}
    </div>
  );
}

function TopicItem({ topic, live }: { topic: Topic; live: boolean }) {
  const standing = standingOf(topic, live);
  const head = <Head topic={topic} standing={standing} />;
  return (
    <li className={`topic topic-${standing}`}>
      {standing === "done" || standing === "failed" ? (
        <Details title={head}>{() => <Findings topic={topic} />}</Details>
      ) : (
        <p className="topic-head">{head}</p>
      )}
    </li>
  );
}

/** What stands in the place of topics where there are none. */
function withoutTopics(state: ResearchState, run: RunState): string | null {
  if (state.topics.length > 0) return null;
  if (state.needless) {
    return state.model
      ? t("{{name}} said that this question needs no research.", { name: shortName(state.model) })
      : t("This question needs no research.");
  }
  if (state.status === "done") return t("Nothing was searched.");
  return isLive(run)
    ? t("Looking for the topics of the question…")
    : t("It did not get to a search.");
}

/** The topics as they fill; each opens to what was found of it. */
export default function ResearchPanel({ state, run }: PanelProps<ResearchState>) {
  const live = isLive(run) && state.status !== "done" && state.status !== "stopped";
  const instead = withoutTopics(state, run);
  return (
    <div className="stage">
      {instead && <p className="quiet">{instead}</p>}
      {state.simulated && <Simulated />}
      {state.isWhole && (
        <p className="quiet">
          {t("Its topics could not be named, so the question was searched for as it is.")}
        </p>
      )}
      {state.topics.length > 0 && (
        <ul className="topics">
          {state.topics.map((topic, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: topics never change their places
            <TopicItem key={at} topic={topic} live={live} />
          ))}
        </ul>
      )}
    </div>
  );
}

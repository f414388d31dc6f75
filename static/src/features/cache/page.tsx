import "../../styles/run";
import "../../styles/settings.css";
import "../../styles/dashboard.css";
import "../../styles/dashboard-parts.css";
import "../../styles/dashboard-lists.css";
import "../../styles/cache.css";
import { useState } from "react";
import { Link } from "wouter";
import { type CacheConfig, useKept, useKeptConfig, useKeptInfo } from "../../api/cache";
import { msg, t } from "../../i18n";
import { T } from "../../i18n/t";
import { count, shortName } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { useTitle } from "../../ui/title";
import { More } from "../admin/more";
import { useSettled } from "../composer/settled";
import { Answered, Nothing, Panel } from "../dashboard/panel";
import { Entry } from "./entry";
import { Figures } from "./figures";
import { ForgetAll } from "./forget-all";

/** What is typed is looked for once the typing pauses. */
const pauseMs = 250;

const sharingTexts = {
  off: msg("Only you get these answers again. Nobody else’s questions are answered with them."),
  groups: msg(
    "People of your groups may get these answers too, for questions like yours, and you theirs. Nobody sees who asked, or the other’s question.",
  ),
  everyone: msg(
    "Everybody on this server may get these answers too, for questions like yours, and you theirs. Nobody sees who asked, or the other’s question.",
  ),
};

const isSharing = (word: string): word is keyof typeof sharingTexts =>
  Object.hasOwn(sharingTexts, word);

function Rules({ config }: { config: CacheConfig }) {
  return (
    <ul className="kept-rules">
      {isSharing(config.sharing) && <li>{t(sharingTexts[config.sharing])}</li>}
      <li>
        {config.use_api_embeddings
          ? t("Questions are compared by their meaning, with the model {{model}}.", {
              model: shortName(config.embedding_model),
            })
          : t("Questions are compared by their words, on this server.")}{" "}
        <Link href="/settings#cache">{t("Change this")}</Link>
      </li>
      <li>{t("At most {{most}} answers are kept.", { most: count(config.max_entries) })}</li>
    </ul>
  );
}

/** How to come by answers that are kept. */
function Empty() {
  return (
    <section className="empty">
      <h2>{t("No answers are kept yet")}</h2>
      <p>
        <T
          text="Switch on <option>Reuse earlier answers</option> among the options of a question, or for all questions in the <settings>default options</settings>. From then on complete answers are kept, and a question like an earlier one needs no new run."
          parts={{
            option: (inner) => <strong>{inner}</strong>,
            settings: (inner) => <Link href="/settings#default-options">{inner}</Link>,
          }}
        />
      </p>
      <p>
        <Link href="/" className="button button-main">
          {t("Ask the council")}
        </Link>
      </p>
    </section>
  );
}

function List({ q }: { q: string }) {
  const kept = useKept(q);
  return (
    <Answered query={kept} failed={msg("The answers could not be loaded: {{reason}}")} lines={6}>
      {({ pages }) => {
        const entries = new Map(pages.flatMap((page) => page.entries.map((one) => [one.id, one])));
        const total = pages[0]?.total ?? 0;
        if (entries.size === 0) {
          return (
            <Nothing>
              <p className="quiet">{t("No kept answer is to a question with these words.")}</p>
            </Nothing>
          );
        }
        return (
          <>
            <ol className="kept">
              {[...entries.values()].map((entry) => (
                <Entry key={entry.id} entry={entry} />
              ))}
            </ol>
            <More
              list={kept}
              shown={t("{{shown}} of {{all}}", { shown: count(entries.size), all: count(total) })}
              label={t("More answers")}
            />
          </>
        );
      }}
    </Answered>
  );
}

/** The answers that are kept for later questions, and what they have saved. */
export default function KeptPage() {
  useTitle(t("Kept answers"));
  const [typed, setTyped] = useState(() => new URLSearchParams(location.search).get("q") ?? "");
  const q = useSettled(typed.trim(), pauseMs, typed.trim());
  const config = useKeptConfig();
  const info = useKeptInfo();
  const isEmpty = info.data?.cache_size === 0 && q === "";
  return (
    <div className="dashboard">
      <header className="dashboard-head">
        <div className="dashboard-title">
          <p className="crumb">
            <Link href="/settings">{t("Settings")}</Link>
          </p>
          <h1>{t("Kept answers")}</h1>
          <p className="quiet">
            {t(
              "Earlier answers that can be used again when the same question comes up, even in other words.",
            )}
          </p>
        </div>
      </header>
      <Answered
        query={config}
        failed={msg("The rules for kept answers could not be loaded: {{reason}}")}
        lines={2}
      >
        {(data) => <Rules config={data} />}
      </Answered>
      {isEmpty ? (
        <Empty />
      ) : (
        <Panel title={t("Questions and answers")}>
          <label className="search kept-search">
            <Icon name="search" />
            <input
              type="search"
              aria-label={t("Search the questions")}
              placeholder={t("Search the questions")}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          </label>
          <List q={q} />
          {info.data && info.data.cache_size > 0 && <ForgetAll />}
        </Panel>
      )}
      <Answered query={info} failed={msg("The figures could not be loaded: {{reason}}")} lines={2}>
        {(data) => <Figures stats={data.stats} />}
      </Answered>
    </div>
  );
}

import { useId, useState } from "react";
import { Link } from "wouter";
import { type EntrySummary, type Kind, useLibrary } from "../../api/library";
import { eachOnce } from "../../api/pages";
import { msg, t } from "../../i18n";
import { T } from "../../i18n/t";
import { count } from "../../ui/format";
import { ReadFailed } from "../../ui/read-failed";
import { Steps } from "../../ui/steps";
import { More } from "../admin/more";
import { useSettled } from "../composer/settled";
import { kinds, newOnes, plurals, titles } from "./words";

function Row({ entry }: { entry: EntrySummary }) {
  return (
    <li className="library-entry">
      <Link href={`/library/${entry.id}`} dir="auto" className="library-name">
        {entry.name}
      </Link>
      <p dir="auto" className="library-beginning">
        {entry.beginning}
      </p>
      <p className="quiet">
        {t(titles[entry.kind])}
        {" · "}
        {t("version {{version}}", { version: count(entry.version) })}
        {entry.shared && (
          <>
            {" · "}
            {entry.is_mine ? (
              t("shared with everybody")
            ) : (
              <T text="by {{name}}" parts={{ name: <bdi>{entry.author}</bdi> }} />
            )}
          </>
        )}
      </p>
    </li>
  );
}

/** Everything that is there for the reader, to look through. */
export function LibraryList() {
  const [kind, setKind] = useState<Kind | null>(null);
  const [query, setQuery] = useState("");
  const name = useSettled(query.trim(), 250, "");
  const list = useLibrary(kind, name);
  const items = eachOnce(list.data?.pages, (page) => page.entries);
  const search = useId();
  return (
    <>
      <p className="library-new">
        {kinds.map((one) => (
          <Link key={one} href={`/library/new/${one}`} className="button">
            {t(newOnes[one])}
          </Link>
        ))}
      </p>
      <section className="panel" aria-label={t("What there is")}>
        <div className="library-filter">
          <div className="field">
            <label htmlFor={search}>{t("Search by name")}</label>
            <input
              id={search}
              type="search"
              className="input"
              value={query}
              onChange={(event) => setQuery(event.target.value)}
            />
          </div>
          <Steps
            legend={t("Show")}
            values={["", ...kinds]}
            value={kind ?? ""}
            text={(one) => (one === "" ? t("Everything") : t(plurals[one as Kind]))}
            onChange={(one) => setKind(one === "" ? null : (one as Kind))}
          />
        </div>
        {list.isPending && <p className="quiet">{t("Loading…")}</p>}
        {list.isError && !list.data && (
          <ReadFailed text={msg("The library could not be loaded: {{reason}}")} query={list} />
        )}
        {list.data && items.length === 0 && (
          <p className="quiet">
            {name === ""
              ? t("Nothing is here yet. What you put in is yours alone until you share it.")
              : t("Nothing here has that name.")}
          </p>
        )}
        {items.length > 0 && (
          <>
            <ul className="library-entries">
              {items.map((entry) => (
                <Row key={entry.id} entry={entry} />
              ))}
            </ul>
            {list.hasNextPage && (
              <More
                list={list}
                shown={t("{{shown}} of {{all}}", {
                  shown: count(items.length),
                  all: count(list.data?.pages[0]?.total ?? items.length),
                })}
                label={t("Show more")}
              />
            )}
          </>
        )}
      </section>
    </>
  );
}

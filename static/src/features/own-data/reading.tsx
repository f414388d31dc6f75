import { lazy, Suspense, useState } from "react";
import type { Access } from "../../api/own-data";
import { eachOnce } from "../../api/pages";
import { useRead, useReadable } from "../../api/peoples-data";
import { msg, t } from "../../i18n";
import { count } from "../../ui/format";
import { orMissing } from "../../ui/part";
import { More } from "../admin/more";
import { timeOf } from "../admin/times";
import { titleOf } from "../conversations/title";
import { Answered } from "../dashboard/panel";

const ReadTexts = lazy(() => orMissing(import("./read-texts")));

function Texts({ access, id }: { access: Access; id: string }) {
  const conversation = useRead(access.id, id);
  return (
    <Answered
      query={conversation}
      failed={msg("The conversation could not be loaded: {{reason}}")}
      lines={4}
    >
      {(shown) => (
        <Suspense fallback={<p className="quiet">{t("Loading…")}</p>}>
          <ReadTexts conversation={shown} />
        </Suspense>
      )}
    </Answered>
  );
}

/** Somebody's conversations, each look noted. */
export function Reading({ access }: { access: Access }) {
  const list = useReadable(access.id);
  const [opened, setOpened] = useState<string | null>(null);
  return (
    <Answered
      query={list}
      failed={msg("The conversations could not be loaded: {{reason}}")}
      lines={3}
    >
      {({ pages }) => {
        const rows = eachOnce(pages, (page) => page.items);
        return (
          <>
            <ul className="read-list">
              {rows.map((row) => (
                <li key={row.id}>
                  <button
                    type="button"
                    className="quiet-button"
                    aria-expanded={opened === row.id}
                    onClick={() => setOpened(opened === row.id ? null : row.id)}
                  >
                    <span dir="auto">{titleOf(row)}</span>
                  </button>{" "}
                  <span className="access-facts">{timeOf(row.updated_at)}</span>
                  {opened === row.id && <Texts access={access} id={row.id} />}
                </li>
              ))}
              {rows.length === 0 && <li className="quiet">{t("There are no conversations.")}</li>}
            </ul>
            {list.hasNextPage && (
              <More
                list={list}
                shown={t("{{shown}} of {{all}}", {
                  shown: count(rows.length),
                  all: count(pages[0]?.total ?? rows.length),
                })}
                label={t("Older conversations")}
              />
            )}
          </>
        );
      }}
    </Answered>
  );
}

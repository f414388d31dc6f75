import "../../styles/own-data.css";
import { exportHref, useOwnData } from "../../api/own-data";
import { msg, t } from "../../i18n";
import { Notice } from "../../ui/notice";
import { ReadFailed } from "../../ui/read-failed";
import { timeOf } from "../admin/times";
import { AccessFacts, Reads } from "./access-log";
import { Erase } from "./erase";

/** What is stored of the reader: a copy of it, its end, for how long it is kept, and who has looked. */
export default function MyData() {
  const data = useOwnData();
  return (
    <section className="panel own-data" id="own-data" aria-labelledby="own-data-title">
      <h2 id="own-data-title">{t("Your data")}</h2>
      <p className="panel-lead">
        {t(
          "Everything that this server stores about you, in one file: your conversations, for reading and for programs, your settings and costs.",
        )}
      </p>
      <p>
        <a className="button" href={exportHref} download>
          {t("Download everything")}
        </a>
      </p>
      {data.isError && !data.data && (
        <ReadFailed
          text={msg("The facts about your data could not be loaded: {{reason}}")}
          query={data}
        />
      )}
      {data.data?.held_since && (
        <Notice tone="warn">
          {t(
            "An administrator placed a hold on your data on {{time}}: until it is lifted, nothing of it is deleted for good. Ask your administrator.",
            { time: timeOf(data.data.held_since) },
          )}
        </Notice>
      )}
      {data.data && (
        <>
          <p className="quiet">
            {data.data.retention_days
              ? t(
                  "Conversations in which nothing happens for {{count, number}} days are deleted for good; a week before, they say so.",
                  { count: data.data.retention_days },
                )
              : t("Conversations are kept until you delete them.")}{" "}
            {t("Where a project has a rule of its own, its page says so.")}
          </p>
          <h3>{t("Who has looked")}</h3>
          {data.data.access.length === 0 ? (
            <p className="quiet">
              {t(
                "Nobody. Administrators can read your conversations only if two of them agree, and you would see it here.",
              )}
            </p>
          ) : (
            <ul className="access-list">
              {data.data.access.map((access) => (
                <li key={access.id}>
                  <AccessFacts access={access} />
                  <Reads access={access} linked />
                </li>
              ))}
            </ul>
          )}
          <h3>{t("Delete everything")}</h3>
          <p className="quiet">
            {t("Your conversations, settings and everything else of yours, for good.")}
          </p>
          <Erase held={Boolean(data.data.held_since)} />
        </>
      )}
    </section>
  );
}

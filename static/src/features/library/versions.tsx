import { useId, useState } from "react";
import { type Entry, restoreVersion, useVersion } from "../../api/library";
import { msg, t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { count, dateFormat, when } from "../../ui/format";
import { ReadFailed } from "../../ui/read-failed";
import { toast } from "../../ui/toast";

const day = dateFormat({ dateStyle: "medium", timeStyle: "short" });

interface Props {
  entry: Entry;
  /** Told what it says then. */
  onRestored: (entry: Entry) => void;
}

function Text({ id, version }: { id: string; version: number }) {
  const text = useVersion(id, version);
  if (text.data) {
    return (
      <pre dir="auto" className="library-said">
        {text.data.text}
      </pre>
    );
  }
  if (text.isPending) return <p className="quiet">{t("Loading…")}</p>;
  return <ReadFailed text={msg("The version could not be loaded: {{reason}}")} query={text} />;
}

function Row({ entry, version, onRestored }: Props & { version: Entry["versions"][number] }) {
  const [open, setOpen] = useState(false);
  const { busy, attempt } = useAttempt();
  const number = count(version.version);
  const isNewest = version.version === entry.version;
  const restore = () =>
    attempt(async () => {
      onRestored(await restoreVersion(entry.id, entry.version, version.version));
      toast(t("Version {{version}} was restored.", { version: number }));
    }, msg("Not restored: {{message}}"));
  return (
    <li className="library-version">
      <div className="library-version-head">
        <span>
          {t("Version {{version}}", { version: number })}
          {isNewest && (
            <>
              {" "}
              <span className="badge">{t("newest")}</span>
            </>
          )}{" "}
          <span className="quiet">
            <bdi>{version.name}</bdi>
            {" · "}
            <time dateTime={`${version.created_at}Z`}>{day(when(version.created_at))}</time>
          </span>
        </span>
        <span className="library-version-acts">
          <button
            type="button"
            className="quiet-button"
            aria-expanded={open}
            aria-label={
              open
                ? t("Hide what version {{version}} says", { version: number })
                : t("Show what version {{version}} says", { version: number })
            }
            onClick={() => setOpen(!open)}
          >
            {open ? t("Hide") : t("Show")}
          </button>
          {!isNewest && entry.is_mine && (
            <button
              type="button"
              className="quiet-button"
              aria-disabled={busy}
              aria-label={t("Restore version {{version}}", { version: number })}
              onClick={restore}
            >
              {t("Restore")}
            </button>
          )}
        </span>
      </div>
      {open && <Text id={entry.id} version={version.version} />}
    </li>
  );
}

/** What an entry said before, to read and to bring back. */
export function Versions({ entry, onRestored }: Props) {
  const title = useId();
  return (
    <section className="panel" aria-labelledby={title}>
      <h2 id={title}>{t("Versions")}</h2>
      <p className="panel-lead">
        {t(
          "Every change is a version of its own. Questions keep the one that they were asked with.",
        )}
      </p>
      <ul className="library-versions">
        {entry.versions.map((version) => (
          <Row key={version.version} entry={entry} version={version} onRestored={onRestored} />
        ))}
      </ul>
    </section>
  );
}

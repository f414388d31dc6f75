import "../styles/settings.css";
import "../styles/settings-form.css";
import "../styles/library.css";
import { useEffect, useState } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import { type Entry, type Kind, removeEntry, useEntry } from "../api/library";
import { asProblem } from "../api/problem";
import { useUser } from "../api/queries";
import { beginWith, takeBeginning } from "../features/library/begins";
import { Editor } from "../features/library/editor";
import { LibraryList } from "../features/library/list";
import { Versions } from "../features/library/versions";
import { kinds, newOnes, titles } from "../features/library/words";
import { msg, t } from "../i18n";
import { T } from "../i18n/t";
import { complain } from "../ui/complain";
import { Confirm } from "../ui/confirm";
import { ReadFailed } from "../ui/read-failed";
import { useTitle } from "../ui/title";
import { toast } from "../ui/toast";
import { NotFoundPage } from "./not-found";

const Back = () => (
  <p>
    <Link href="/library">{t("Back to the library")}</Link>
  </p>
);

function Overview() {
  useTitle(t("Library"));
  // Whoever comes by here begins with nothing.
  useEffect(() => {
    takeBeginning(null);
  }, []);
  return (
    <div className="settings library">
      <header className="library-head">
        <h1>{t("Library")}</h1>
        <p className="quiet">
          {t(
            "Prompts are texts to put into the box: type / there to find one. Rubrics are criteria by which the reviewers judge.",
          )}
        </p>
      </header>
      <LibraryList />
    </div>
  );
}

function New({ kind }: { kind: Kind }) {
  useTitle(t(newOnes[kind]));
  const [begins] = useState(() => takeBeginning(kind));
  return (
    <div className="settings library">
      <header className="library-head">
        <Back />
        <h1>{t(newOnes[kind])}</h1>
      </header>
      <section className="panel">
        <Editor kind={kind} entry={null} begins={begins?.content} onMade={begins?.onMade} />
      </section>
    </div>
  );
}

/** An entry that another user has written. */
function Reads({ entry }: { entry: Entry }) {
  const [, go] = useLocation();
  return (
    <section className="panel">
      <pre dir="auto" className="library-said">
        {entry.text}
      </pre>
      <p className="library-acts">
        <button
          type="button"
          className="button"
          onClick={() => {
            beginWith(entry);
            go(`/library/new/${entry.kind}`);
          }}
        >
          {t("Make a copy of my own")}
        </button>
      </p>
    </section>
  );
}

function Remove({ entry }: { entry: Entry }) {
  const [, go] = useLocation();
  const [asked, setAsked] = useState(false);
  const { id, name } = entry;
  const remove = async () => {
    setAsked(false);
    try {
      await removeEntry(id);
      // A reader who has gone to another page by then stays there.
      if (location.pathname === `/library/${id}`) go("/library");
      toast(t("“{{name}}” was deleted.", { name }));
    } catch (error) {
      complain(msg("Not deleted: {{message}}"))(error);
    }
  };
  return (
    <p className="library-acts">
      <button type="button" className="button button-danger" onClick={() => setAsked(true)}>
        {t("Delete")}
      </button>
      {asked && (
        <Confirm
          title={t("Delete “{{name}}”?", { name })}
          actions={[{ label: t("Delete"), tone: "danger", run: remove }]}
          cancel={t("Keep it")}
          onCancel={() => setAsked(false)}
        >
          <p>
            {t(
              "It is deleted with all its versions, and this cannot be undone. Questions that were asked with it keep its text.",
            )}
          </p>
        </Confirm>
      )}
    </p>
  );
}

function Shown({ entry, onEdits }: { entry: Entry; onEdits: (edited: boolean) => void }) {
  useTitle(entry.name);
  const user = useUser();
  const [restored, setRestored] = useState<Entry | null>(null);
  return (
    <div className="settings library">
      <header className="library-head">
        <Back />
        <h1 dir="auto">{entry.name}</h1>
        <p className="quiet">
          {t(titles[entry.kind])}
          {!entry.is_mine && (
            <>
              {" · "}
              <T text="by {{name}}" parts={{ name: <bdi>{entry.author}</bdi> }} />
            </>
          )}
        </p>
      </header>
      {entry.is_mine ? (
        <section className="panel">
          {/* What is typed stays while the entry is read anew, until somebody lets it go. */}
          <Editor kind={entry.kind} entry={entry} restored={restored} onEdits={onEdits} />
        </section>
      ) : (
        <Reads entry={entry} />
      )}
      <Versions entry={entry} onRestored={setRestored} />
      {(entry.is_mine || user.data?.is_admin) && <Remove entry={entry} />}
    </div>
  );
}

function OneEntry({ id }: { id: string }) {
  const entry = useEntry(id);
  // What is typed is not lost where an administrator deletes the entry meanwhile: a save says that it is gone.
  const [edited, setEdited] = useState(false);
  const title = entry.data ? null : t("Library");
  useTitle(title ?? entry.data?.name ?? null);
  if (asProblem(entry.error).status === 404 && !edited) {
    return (
      <div className="page-notice">
        <h1>{t("This is not in the library")}</h1>
        <p>{t("It was deleted, or whoever wrote it shares it no longer.")}</p>
        <Back />
      </div>
    );
  }
  if (entry.data) return <Shown entry={entry.data} onEdits={setEdited} />;
  if (entry.isPending) return <p className="page-wait">{t("Loading…")}</p>;
  return (
    <div className="page-notice">
      <h1>{t("Library")}</h1>
      <ReadFailed text={msg("It could not be loaded: {{reason}}")} query={entry} />
    </div>
  );
}

/** Prompts and rubrics: to find, to write, to share. */
export default function LibraryPage() {
  return (
    <Switch>
      <Route path="/library">
        <Overview />
      </Route>
      {kinds.map((kind) => (
        <Route key={kind} path={`/library/new/${kind}`}>
          <New kind={kind} />
        </Route>
      ))}
      <Route path="/library/:id">{({ id }) => <OneEntry key={id} id={id} />}</Route>
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  );
}

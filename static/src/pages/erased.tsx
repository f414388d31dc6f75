import type { Erasure } from "../api/own-data";
import { t } from "../i18n";
import { useTitle } from "../ui/title";

/** The end of it: nothing here asks the server anything. */
export default function ErasedPage({ erasure }: { erasure: Erasure }) {
  const title = t(erasure === "over" ? "Everything was deleted" : "Everything is being deleted");
  useTitle(title);
  return (
    <main className="page-notice" id="main">
      <h1>{title}</h1>
      {erasure === "goes on" && (
        <p>
          {t("There is much of it: the server goes on by itself, and is done in some minutes.")}
        </p>
      )}
      <p>
        {t(
          "This server stores nothing about you any more but what was paid, without your name. You can close this page; whoever goes on here begins anew.",
        )}
      </p>
      <p className="empty-actions">
        <a className="button" href="/">
          {t("Begin anew")}
        </a>
      </p>
    </main>
  );
}

import { t } from "../i18n";
import { useTitle } from "../ui/title";

/** For users who are blocked; asks the server nothing. */
export default function BlockedPage() {
  const title = t("You are blocked");
  useTitle(title);
  return (
    <main className="page-notice" id="main">
      <h1>{title}</h1>
      <p>
        {t(
          "An administrator of this server has blocked you. What is yours is kept. Ask whoever runs this server.",
        )}
      </p>
      <p className="page-actions">
        <a className="button" href="/">
          {t("Try again")}
        </a>
      </p>
    </main>
  );
}

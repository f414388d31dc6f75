import { Component, type ReactNode } from "react";
import { t } from "../i18n";

/** What browsers say of a module that is gone, as the old ones are after an update. */
const staleText = /dynamically imported module|importing a module script|Unable to preload CSS/i;

/** Keeps the sidebar and what is typed when a view cannot be drawn. */
export class Crash extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    const isStale = staleText.test(error.message);
    return (
      <div className="page-notice" role="alert">
        <h1>{isStale ? t("This page could not be loaded") : t("This view could not be shown")}</h1>
        <p>
          {isStale
            ? t("There may be a newer version of it, or the connection broke.")
            : t("It contains something that this page does not understand.")}{" "}
          {t(
            "Nothing is lost: what you typed is kept here, and the conversations are at the server.",
          )}
        </p>
        <p className="page-actions">
          <a className="button button-main" href={location.pathname + location.search}>
            {t("Reload the page")}
          </a>
          <a className="button" href="/">
            {t("New conversation")}
          </a>
        </p>
        {!isStale && (
          <details className="crash-details">
            <summary>{t("What went wrong")}</summary>
            <pre>{error.stack ?? error.message}</pre>
          </details>
        )}
      </div>
    );
  }
}

import { useEffect, useRef } from "react";
import type { Erasure } from "../../api/own-data";
import { msg, t } from "../../i18n";
import { useSlots } from "../../ui/slots";
import { useTitle } from "../../ui/title";

const titles = {
  over: msg("Everything was deleted"),
  "goes on": msg("Everything is being deleted"),
  elsewhere: msg("Everything was deleted in another tab"),
};

/** The end of it: nothing here asks the server anything. */
function ErasedPage({ erasure }: { erasure: Erasure }) {
  const title = t(titles[erasure]);
  const place = useRef<HTMLElement>(null);
  useTitle(title);
  // What had the focus is gone with everything else.
  useEffect(() => place.current?.focus(), []);
  return (
    <main ref={place} className="page-notice" id="main" tabIndex={-1}>
      <h1>{title}</h1>
      {erasure === "goes on" && (
        <p>
          {t("There is a lot of it: the server goes on by itself, and is done in a few minutes.")}
        </p>
      )}
      <p>
        {t(
          "This server stores nothing about you any more but what was paid, without your name. You can close this page; whoever goes on here starts afresh.",
        )}
      </p>
      <p className="page-actions">
        <a className="button" href="/">
          {t("Start over")}
        </a>
      </p>
    </main>
  );
}

export const showErased = (erasure: Erasure) =>
  useSlots.setState({ page: <ErasedPage erasure={erasure} /> });

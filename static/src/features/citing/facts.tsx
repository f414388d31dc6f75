import type { FoundSource } from "../../api/types";
import { t } from "../../i18n";
import { Marked } from "../../markdown/marks";
import { apart, hostOf, publishedOn, webAddress } from "./address";

/** A source's title, as the way to it where it is somewhere on the web. */
export function SourceTitle({ source, inTabs = true }: { source: FoundSource; inTabs?: boolean }) {
  const url = webAddress(source.url);
  const title = (
    <bdi>
      <Marked text={source.title || hostOf(source)} />
    </bdi>
  );
  if (!url) return <span className="source-title">{title}</span>;
  return (
    <a
      href={url.href}
      title={url.href}
      className="source-title"
      {...apart}
      {...(inTabs ? {} : { tabIndex: -1 })}
    >
      {title}
    </a>
  );
}

/** Where it comes from, and when it was published. */
export function SourceFacts({ source }: { source: FoundSource }) {
  const published = publishedOn(source);
  return (
    <span className="source-facts">
      <bdi>{hostOf(source)}</bdi>
      {published && (
        <>
          {" · "}
          <bdi>
            <Marked text={published} />
          </bdi>
        </>
      )}
    </span>
  );
}

export const Snippet = ({ source: { snippet } }: { source: FoundSource }) =>
  snippet ? (
    <span className="source-snippet" dir="auto">
      <Marked text={snippet} />
    </span>
  ) : null;

/** Where a search is played by the server itself. */
export const Simulated = () => (
  <p className="flags">{t("Simulated: these results were made up by the server.")}</p>
);

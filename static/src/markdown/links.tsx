/** Where a model's text points to, said so that nobody goes anywhere unawares. */
import type { Element, Nodes } from "hast";
import type { ReactNode } from "react";
import { t } from "../i18n";

const invisible = /[\p{Cf}\p{Cc}]/gu;
/** Characters that turn the direction of what follows, in the way of the "Trojan Source" attacks. */
const turns = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/;
const domain = /(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,}/u;

/** The only addresses a text may lead to: absolute ones of the web, and mail. */
function addressOf(href: string | undefined): URL | null {
  if (!href || !URL.canParse(href)) return null;
  const url = new URL(href);
  return ["http:", "https:", "mailto:"].includes(url.protocol) ? url : null;
}

function textOf(node: Nodes): string {
  if (node.type === "text") return node.value;
  return "children" in node ? node.children.map(textOf).join("") : "";
}

const hasImage = (node: Nodes): boolean =>
  "children" in node &&
  node.children.some(
    (child) => (child.type === "element" && child.tagName === "img") || hasImage(child),
  );

/** Where the link goes, if its text names another place or hides the one it goes to. */
export function realPlace(url: URL, text: string): string | null {
  const said = text.replace(invisible, "").normalize("NFKC").toLowerCase();
  if (url.protocol === "mailto:") {
    const real = decode(url.pathname);
    return said.includes("@") && !said.includes(real.toLowerCase()) ? real : null;
  }
  const { hostname, host, username } = url;
  const claim = domain.exec(said.includes("://") ? said.slice(said.indexOf("://")) : said)?.[0];
  const isTrue =
    claim === undefined ||
    hostname === claim ||
    hostname === `www.${claim}` ||
    `www.${hostname}` === claim;
  return isTrue && username === "" && !hostname.includes("xn--") && !turns.test(text) ? null : host;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const apart = { target: "_blank", rel: "noopener noreferrer" } as const;

export function TextLink({
  href,
  node,
  children,
}: {
  href?: string | undefined;
  node?: Element | undefined;
  children?: ReactNode;
}) {
  if (href?.startsWith("#")) return <a href={href}>{children}</a>;
  const url = addressOf(href);
  if (!url) return <bdi>{children}</bdi>;
  const open = { href: url.href, title: url.href, ...apart };
  // A link in a link is none, and a held image is one.
  if (node && hasImage(node)) {
    return (
      <span>
        {children}{" "}
        <a {...open}>{t("Link to {{place}}", { place: url.host || decode(url.pathname) })}</a>
      </span>
    );
  }
  const real = realPlace(url, node ? textOf(node) : "");
  return (
    <>
      <a {...open}>
        <bdi>{children}</bdi>
      </a>
      {real !== null && (
        <bdi className="link-place"> {t("(goes to {{place}})", { place: real })}</bdi>
      )}
    </>
  );
}

/**
 * An image's address can carry text out of the page, so nothing is fetched: the page's policy would
 * refuse it as well. Who wants to see it goes there, and reads first where that is.
 */
export function HeldImage({
  src,
  alt,
}: {
  src?: string | Blob | undefined;
  alt?: string | undefined;
}) {
  const url = typeof src === "string" ? addressOf(src) : null;
  const isWeb = url !== null && url.protocol !== "mailto:";
  return (
    <span className="held-image">
      <bdi>{alt ? t("Image, not loaded: {{alt}}", { alt }) : t("Image, not loaded")}</bdi>
      {isWeb && (
        <a href={url.href} title={url.href} {...apart}>
          {t("Open it at {{host}}", { host: url.host })}
        </a>
      )}
    </span>
  );
}

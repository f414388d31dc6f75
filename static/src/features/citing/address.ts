/** Where a source is, said so that nobody goes anywhere unawares. */
import type { FoundSource } from "../../api/types";
import { dateFormat } from "../../ui/format";

/** The only addresses that a source may lead to: those of the web, without a name to sign in by. */
export function webAddress(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isWeb = url.protocol === "https:" || url.protocol === "http:";
  return isWeb && url.username === "" && url.password === "" ? url : null;
}

/** A page of strangers: it opens apart, learns nothing of this one, and gains nothing by the link. */
export const apart = { target: "_blank", rel: "noopener noreferrer nofollow" } as const;

/** Names of other scripts stay as the web's register spells them: they can look like others. */
export const hostOf = ({ url, host }: Pick<FoundSource, "url" | "host">) =>
  webAddress(url)?.host ?? host;

// The day that the source names, wherever it is read: a day without a time is no moment that another zone has on another day.
const day = dateFormat({ dateStyle: "medium", timeZone: "UTC" });

/** When it was published, as a date where it is one; null where nobody says. */
export function publishedOn({ published }: Pick<FoundSource, "published">): string | null {
  if (!published) return null;
  const [named] = /^\d{4}-\d\d-\d\d/.exec(published) ?? [];
  const date = named || /^\w{3}, \d/.test(published) ? new Date(named ?? published) : null;
  return date && !Number.isNaN(date.getTime()) ? day(date) : published;
}

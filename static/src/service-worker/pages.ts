import type { WindowClient } from "./scope";

/** What is at these addresses is no page of the app, and goes nowhere when it is asked to. */
const notOfApp = /^\/(?:api|docs|openapi\.json)(?:\/|$)/;

const pathOf = ({ url }: Pick<WindowClient, "url">) => new URL(url).pathname;

/** The page in which an address is to be shown: one that was opened with it, else any. */
export function pageFor<Page extends Pick<WindowClient, "url">>(
  pages: readonly Page[],
  path: string,
): Page | undefined {
  const ofApp = pages.filter((page) => !notOfApp.test(pathOf(page)));
  return ofApp.find((page) => pathOf(page) === path) ?? ofApp[0];
}

/** One browser against a server, watched for what must never happen. */
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page,
} from "playwright-core";
import { expect } from "vitest";

const isRoot = process.getuid?.() === 0;

export const phone = { width: 390, height: 844 };
export const wide = { width: 1440, height: 900 };

/**
 * Pages that move, as most people's do. What moves is painted all the time, without a graphics card by the processor,
 * and takes a third of the time of a browser that shows a run: tests that do not ask for it look at calm pages.
 */
export const moving = { reducedMotion: "no-preference" } satisfies BrowserContextOptions;

/** The two kinds of screens that everything is tried on: one moves, the other is calm. */
export const shapes = {
  wide: { viewport: wide, ...moving },
  phone: { viewport: phone, isMobile: true, hasTouch: true },
} satisfies Record<string, BrowserContextOptions>;
/** The same for `describe.each`. */
export const bothShapes = [
  ["a wide screen", shapes.wide],
  ["a phone", shapes.phone],
] as const;

/**
 * The address bar of each window is a page with a process of its own, which costs as much as the page
 * under test; nobody sees it. The last `--disable-features` is the one that counts, so Playwright's are
 * here as well: they are in its chromiumSwitches.ts.
 */
const disabledFeatures = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "ThirdPartyStoragePartitioning",
];

const wholeBrowser = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
/** The same engine without a window around its pages: it takes a fifth less processor time. */
const headlessShell = process.env.HEADLESS_SHELL_PATH ?? wholeBrowser;

const launchProgram = (executablePath: string, options: LaunchOptions = {}): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      `--disable-features=${disabledFeatures.join()}`,
      // The browser's own sandbox refuses to run as root.
      ...(isRoot ? ["--no-sandbox"] : []),
    ],
    ...options,
  });

export const launch = () => launchProgram(headlessShell);
/** For what pages cannot do by themselves, such as coming back from the browser's own cache. */
export const launchWhole = (options?: LaunchOptions) => launchProgram(wholeBrowser, options);

export interface Watched {
  page: Page;
  /** Console errors, uncaught exceptions, and requests to anywhere else. */
  faults: string[];
}

/** As good as a browser of its own for this server: nothing that is kept in it is seen by another. */
export const contextAt = (browser: Browser, origin: string, options: BrowserContextOptions) =>
  // Who tests the service worker says so: through one, requests cannot be answered by a test.
  browser.newContext({
    serviceWorkers: "block",
    reducedMotion: "reduce",
    ...options,
    baseURL: origin,
  });

/** A page of its own at this server. */
export async function open(
  browser: Browser,
  { origin }: { origin: string },
  options: BrowserContextOptions = {},
): Promise<Watched> {
  return watched(await contextAt(browser, origin, options), origin);
}

export async function watched(context: BrowserContext, origin: string): Promise<Watched> {
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() !== "error") return;
    faults.push(`console: ${message.text()} ${message.location().url}`.trim());
  });
  page.on("pageerror", (error) => faults.push(`exception: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`)) faults.push(`request: ${request.url()}`);
  });
  return { page, faults };
}

const cutRequest =
  /^console: Failed to load resource: (net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED|INCOMPLETE_CHUNKED_ENCODING)|the server responded with a status of 503 \(Service Unavailable\)) \S+\/(api\/\S+|health\/ready|favicon\.svg|assets\/\S+)$/;

/**
 * Forgets what the browser reports of requests that a cut or a restart broke, and nothing else. The page's own files may be among
 * them: it fetches them ahead, and again when they are wanted.
 */
export function forgiveCuts({ faults }: Watched) {
  faults.splice(0, faults.length, ...faults.filter((fault) => !cutRequest.test(fault)));
}

export async function close({ page, faults }: Watched) {
  await page.context().close();
  expect(faults).toEqual([]);
}

export async function ask(page: Page, question: string) {
  await page.goto("/");
  await page.getByLabel("Your question").fill(question);
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.waitForURL(/\/c\//);
}

export const finalAnswer = (page: Page) => page.getByRole("region", { name: "Final answer" });

/** Begins what is done with a whole conversation: by its own button, or from the menu that a phone has for all of it. */
export async function withConversation(page: Page, what: "Tag" | "Share…" | "Export") {
  await page.locator(".conversation-head button").first().waitFor();
  const menu = page.getByRole("button", { name: "More for this conversation" });
  if (!(await menu.isVisible())) {
    return page.getByRole("button", { name: what, exact: true }).press("Enter");
  }
  await menu.press("Enter");
  const name = { Tag: "Add a tag", "Share…": "Share…", Export: null }[what];
  if (name !== null) await page.getByRole("menuitem", { name }).press("Enter");
}

/** A deliberation of steady models takes about ten seconds. */
export const patience = 60_000;

/** The answer is there, and the run is over: the composer asks again. */
export async function waitForEnd(page: Page, timeout = patience) {
  await finalAnswer(page).getByRole("button", { name: "Copy answer" }).waitFor({ timeout });
  await page.getByRole("button", { name: "Ask", exact: true }).waitFor({ timeout });
}

/** Asks the API as the page would. A connection that the server has just closed is tried again. */
export function send(page: Page, method: "POST" | "PUT" | "DELETE", path: string, data?: object) {
  const { origin } = new URL(page.url());
  return page.request.fetch(path, { method, data, headers: { origin }, maxRetries: 2 });
}

export async function members(page: Page): Promise<string[]> {
  const response = await page.request.get("/api/config");
  const config = (await response.json()) as {
    council_models: { model: string; alias?: string | null }[];
  };
  return config.council_models.map((member) => member.alias ?? member.model);
}

/** One browser against a running server, watched for what must never happen. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect } from "vitest";

export const server = (process.env.LLM_COUNCIL_URL ?? "http://localhost:8001").replace(/\/$/, "");
const isRoot = process.getuid?.() === 0;

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
    // The browser's own sandbox refuses to run as root.
    args: isRoot ? ["--no-sandbox"] : [],
  });

export interface Watched {
  page: Page;
  /** Console errors, uncaught exceptions, and requests to anywhere else. */
  faults: string[];
}

export async function open(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({ baseURL: server, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`exception: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${server}/`)) faults.push(`request: ${request.url()}`);
  });
  return { page, faults };
}

export async function close({ page, faults }: Watched) {
  await page.context().close();
  expect(faults).toEqual([]);
}

export async function ask(page: Page, question: string) {
  await page.goto("/");
  await page.getByLabel("Your question").fill(question);
  await page.getByLabel("Your question").press("Enter");
  await page.waitForURL(/\/c\//);
}

export const finalAnswer = (page: Page) => page.getByRole("region", { name: "Final answer" });

/** A deliberation of simulated models takes about ten seconds. */
export const patience = 60_000;

export const waitForEnd = (page: Page) =>
  finalAnswer(page).getByRole("button", { name: "Copy answer" }).waitFor({ timeout: patience });

export async function members(page: Page): Promise<string[]> {
  const response = await page.request.get("/api/config");
  const config = (await response.json()) as {
    council_models: { model: string; alias?: string | null }[];
  };
  return config.council_models.map((member) => member.alias ?? member.model);
}

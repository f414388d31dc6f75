/** Projects against the real server: one is made, told what counts in it, asked in, read by others, left and deleted. */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fitsAndBreaksNoRule, violations } from "./axe";
import {
  ask,
  bothShapes,
  close,
  finalAnswer,
  launch,
  open,
  patience,
  phone,
  type Watched,
  waitForEnd,
} from "./browser";
import { OwnServer, pace } from "./own-server";

let browser: Browser;
let server: OwnServer;
beforeAll(async () => {
  [browser, server] = await Promise.all([
    launch(),
    // The test is the proxy: it says in headers who somebody is.
    OwnServer.start({
      ...pace.quick,
      LLM_COUNCIL__AUTH__MODE: "proxy",
      LLM_COUNCIL__AUTH__TRUSTED_PROXIES: "127.0.0.1/32",
    }),
  ]);
});
afterAll(() => Promise.all([browser.close(), server.close()]));

/** The browser reports every refused request; that of a project one is not in was meant. */
function forgiveGone({ faults }: Watched) {
  const kept = faults.filter(
    (fault) => !/status of 404 .*\/api\/(projects|conversations)\//.test(fault),
  );
  faults.splice(0, faults.length, ...kept);
}

/** Every attempt has people and projects of its own. */
let people = 0;

describe.each(bothShapes)("on %s", (_, shape) => {
  const isPhone = shape.viewport === phone;
  let ann: Watched;
  let ben: Watched;
  let name: string;
  beforeEach(async () => {
    people += 1;
    name = `Herons ${people}`;
    const as = (user: string, groups: string) =>
      open(browser, server, {
        ...shape,
        extraHTTPHeaders: { "remote-user": `${user}-${people}`, "remote-groups": groups },
      });
    [ann, ben] = await Promise.all([as("ann", "staff"), as("ben", "birds")]);
  });
  afterEach(async () => {
    await close(ann);
    await close(ben);
  });

  const sidebar = async (page: Page) => {
    const menu = page.getByRole("button", { name: "Open the sidebar" });
    if (isPhone) await menu.click();
    return page.locator(".sidebar, .drawer").filter({ visible: true }).first();
  };

  async function makeProject(page: Page) {
    const side = await sidebar(page);
    await side.getByRole("button", { name: "New project" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "New project" });
    await expect
      .poll(() => dialog.getByLabel("Name").evaluate((box) => box === document.activeElement))
      .toBe(true);
    await dialog.getByLabel("Name").fill(name);
    await dialog.getByLabel("Name").press("Enter");
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    return new URL(page.url()).pathname;
  }

  async function letIn(page: Page, who: string, role: string) {
    const form = page.getByRole("form", { name: "Add a member" });
    await form.getByLabel("User name").fill(who);
    await form.getByLabel("Role").selectOption({ label: role });
    await form.getByLabel("User name").press("Enter");
    await page.getByRole("combobox", { name: `Role of ${who}` }).waitFor();
  }

  it("what is asked in a project is read by who is in it, as long as they are", async () => {
    const { page } = ann;
    const reader = ben.page;
    await page.goto("/");
    const path = await makeProject(page);
    await page.getByLabel("Instructions").fill("Speak of herons.");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("The project was saved.").waitFor();
    await letIn(page, `ben-${people}`, "Can read");
    await fitsAndBreaksNoRule(page);

    await page.getByLabel("Your question").fill("Why do they wait?");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.waitForURL(/\/c\//);
    await waitForEnd(page);
    const chip = page.locator(".conversation-head").getByRole("link", { name });
    await chip.waitFor();
    await fitsAndBreaksNoRule(page);

    await reader.goto(path);
    const listed = reader.getByRole("region", { name: "Conversations" });
    await listed.getByText(`by ann-${people}`).waitFor();
    await reader.getByText("Speak of herons.").waitFor();
    expect(await reader.getByLabel("Your question").count()).toBe(0);
    expect(await reader.getByRole("button", { name: "Delete the project" }).count()).toBe(0);
    await fitsAndBreaksNoRule(reader);
    await listed.getByRole("link").first().press("Enter");
    await finalAnswer(reader).getByRole("button", { name: "Copy answer" }).waitFor();
    await reader.getByText(`By ann-${people}, last changed on`).waitFor();
    expect(await reader.getByLabel("Your question").count()).toBe(0);
    expect(await reader.getByRole("button", { name: "Ask again…" }).count()).toBe(0);
    await fitsAndBreaksNoRule(reader);

    await reader.getByRole("button", { name: "Continue as my own" }).press("Enter");
    await reader.waitForURL(/\/c\//);
    await reader.getByLabel("Your question").fill("And why do they fly?");
    await reader.getByRole("button", { name: "Ask", exact: true }).click();
    await reader.getByRole("button", { name: "Copy answer" }).nth(1).waitFor({ timeout: patience });
    // A viewer's copy is outside of the project.
    expect(await reader.locator(".project-chip").count()).toBe(0);

    // The address of the author's own page leads to where it can be read.
    const { pathname } = new URL(page.url());
    await reader.goto(pathname);
    await reader.waitForURL(`${path}${pathname}`);
    await finalAnswer(reader).waitFor();

    await chip.press("Enter");
    await page.getByRole("button", { name: `Remove ben-${people}` }).press("Enter");
    await page.getByText(`ben-${people} is no longer in the project.`).waitFor();
    await reader.goto(path);
    await reader.getByRole("heading", { name: "This project is not here" }).waitFor();
    await fitsAndBreaksNoRule(reader);
    forgiveGone(ben);
  });

  it("a file of the project is read with what is asked in it, and named under the question", async () => {
    const { page } = ann;
    const reader = ben.page;
    await page.goto("/");
    const path = await makeProject(page);
    await letIn(page, `ben-${people}`, "Can read");
    const region = page.getByRole("region", { name: "Files" });
    await region.getByText("It has no files.").waitFor();
    const control = page.getByLabel("Add files to the project");
    expect(await control.getAttribute("aria-describedby")).not.toBeNull();
    const file = (name: string, mimeType: string, content: string) => ({
      name,
      mimeType,
      buffer: Buffer.from(content),
    });
    await control.setInputFiles([
      file("photo.png", "image/png", "pixels"),
      file("notes.md", "text/markdown", "Herons wait for 26 minutes."),
    ]);
    await region.getByText("photo.png was not added. It is a picture.").waitFor();
    const link = region.getByRole("link", { name: "notes.md" });
    await link.waitFor();
    expect(await link.getAttribute("href")).toMatch(
      /^\/api\/projects\/[0-9a-f-]+\/files\/[0-9a-f]{64}\/content$/,
    );
    await region.getByText("27 bytes · 27 characters").waitFor();
    await fitsAndBreaksNoRule(page);

    const dropped = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(["a,b\n1,2"], "counts.csv", { type: "text/csv" }));
      return transfer;
    });
    await region.locator(".project-file-add").dispatchEvent("drop", { dataTransfer: dropped });
    await region.getByRole("link", { name: "counts.csv" }).waitFor();

    await page.getByLabel("Your question").fill("How long do they wait?");
    await page.getByText("Read from the project: counts.csv, notes.md").waitFor();
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.waitForURL(/\/c\//);
    await waitForEnd(page);
    const read = page.getByRole("list", { name: "Files of the project that were read with it" });
    await read.getByText("notes.md").waitFor();
    expect(await read.getByText("From the project").count()).toBe(2);
    await page.getByPlaceholder("Ask a follow-up").fill("And why?");
    await page.getByText("Read from the project: counts.csv, notes.md").waitFor();
    await fitsAndBreaksNoRule(page);

    // Who reads along is told, and may save it, and no more.
    await reader.goto(path);
    const theirs = reader.getByRole("region", { name: "Files" });
    await theirs.getByRole("link", { name: "notes.md" }).waitFor();
    expect(await theirs.getByRole("button").count()).toBe(0);
    expect(await reader.getByLabel("Add files to the project").count()).toBe(0);
    await reader
      .getByRole("region", { name: "Conversations" })
      .getByRole("link")
      .first()
      .press("Enter");
    await reader
      .getByRole("list", { name: "Files of the project that were read with it" })
      .getByText("notes.md")
      .waitFor();

    // Removed by keyboard: the focus stays in the list, and then where files are added.
    await page.goto(path);
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    for (const [name, next] of [
      ["notes.md", "Remove counts.csv"],
      ["counts.csv", "Add files to the project"],
    ] as const) {
      await region.getByRole("button", { name: `Remove ${name}` }).press("Enter");
      const sure = page.getByRole("dialog", { name: "Remove this file from the project?" });
      expect(await violations(page)).toEqual([]);
      await sure.getByRole("button", { name: "Remove", exact: true }).press("Enter");
      await page.getByText(`${name} was removed from the project.`).waitFor();
      await expect.poll(focused).toBe(next);
    }
    await region.getByText("It has no files.").waitFor();
  });

  it("a conversation is moved by its menu, and a project left and deleted, by keyboard alone", async () => {
    const { page } = ann;
    await ask(page, "What makes the tides?");
    await waitForEnd(page);
    const conversation = new URL(page.url()).pathname;
    const path = await makeProject(page);
    await page.getByText("Nothing is in this project yet.").waitFor();

    const side = await sidebar(page);
    const more = side.getByRole("button", { name: /^More for / }).first();
    await more.press("Enter");
    const item = page.getByRole("menuitem", { name: "Move to project…" });
    await item.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Move to project" });
    await dialog.getByRole("radio", { name: "No project" }).focus();
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => dialog.getByRole("radio", { name }).isChecked()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Move", exact: true }).press("Enter");
    await page.getByText(`is in the project ${name} now.`).waitFor();
    await page.goto(path);
    const listed = page.getByRole("region", { name: "Conversations" });
    await listed.getByText("by you").waitFor();
    expect(await listed.getByRole("link").first().getAttribute("href")).toBe(conversation);

    // Nobody else owns it.
    await page.getByRole("button", { name: "Leave the project" }).press("Enter");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: "Leave", exact: true })
      .press("Enter");
    await page.getByText("Nobody else owns this project by name.").waitFor();
    ann.faults.splice(
      0,
      ann.faults.length,
      ...ann.faults.filter((fault) => !/status of 409/.test(fault)),
    );
    await letIn(page, `ben-${people}`, "Owner");
    await page.getByRole("button", { name: "Leave the project" }).press("Enter");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: "Leave", exact: true })
      .press("Enter");
    await page.getByText(`You have left ${name}.`).waitFor();
    await page.goto(conversation);
    await page.getByText("A project that you are not in").waitFor();
    await fitsAndBreaksNoRule(page);

    await ben.page.goto(path);
    await ben.page.getByRole("button", { name: "Delete the project" }).press("Enter");
    await fitsAndBreaksNoRule(ben.page);
    const sure = ben.page.getByRole("dialog").getByRole("button", { name: "Delete the project" });
    await sure.press("Enter");
    await ben.page.getByText(`The project ${name} was deleted.`).waitFor();
    await page.reload();
    await finalAnswer(page).waitFor();
    await expect.poll(() => page.locator(".project-chip").count()).toBe(0);
    forgiveGone(ann);
    forgiveGone(ben);
  });
});

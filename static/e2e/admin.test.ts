/** The administration: who used what, and how it went. */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { violations } from "./axe";
import { bothShapes, close, launch, open, type Watched, wide } from "./browser";
import { askFor, call } from "./figures";
import { OwnServer, pace } from "./own-server";

let browser: Browser;
let server: OwnServer;
let watched: Watched;
let page: Page;

const ann = { "remote-user": "ann" };
const root = {
  "remote-user": "root",
  "remote-name": "Rosa Root",
  "remote-email": "root@host.test",
};
const moreEntries = 45;
const perPage = 50;

beforeAll(async () => {
  [browser, server] = await Promise.all([
    launch(),
    // The test is the proxy: it says in headers who somebody is.
    OwnServer.start({
      ...pace.quick,
      LLM_COUNCIL__AUTH__MODE: "proxy",
      LLM_COUNCIL__AUTH__TRUSTED_PROXIES: "127.0.0.1/32",
      LLM_COUNCIL__AUTH__ADMIN_USERS: "root",
    }),
  ]);
  await askFor(server, "Is water wet?", ann);
  const broken = ["ada", "cut", "fails"].map((name) => ({ model: `simulated/${name}` }));
  await call(server, "PUT", "/api/config", { council_models: broken }, ann);
  await askFor(server, "Is glass a liquid?", ann);
  await askFor(server, "Why is the sky blue?", root);
  for (let n = 0; n < moreEntries; n += 1) {
    await call(server, "POST", "/api/config/reset", {}, ann);
  }
});
afterAll(() => Promise.all([browser.close(), server.close()]));
afterEach(() => close(watched));

const part = (name: string) => page.getByRole("region", { name, exact: true });

async function fitsAndBreaksNoRule() {
  const { width } = page.viewportSize() ?? wide;
  const needed = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(needed).toBeLessThanOrEqual(width);
  expect(await violations(page)).toEqual([]);
}

describe.each(bothShapes)("on %s", (_, shape) => {
  const openAs = async (headers: Record<string, string>) => {
    watched = await open(browser, server, { ...shape, extraHTTPHeaders: headers });
    page = watched.page;
  };
  const openSidebar = async () => {
    const menu = page.getByRole("button", { name: "Open the sidebar" });
    if (await menu.isVisible()) await menu.click();
  };

  describe("for others", () => {
    beforeEach(() => openAs(ann));

    it("is not linked, and says for whom it is", async () => {
      await page.goto("/");
      await openSidebar();
      await page.getByRole("link", { name: "Settings" }).last().waitFor();
      await page.getByText("ann", { exact: true }).last().waitFor();
      expect(await page.getByRole("link", { name: "Administration" }).count()).toBe(0);
      await page.goto("/admin/audit");
      await page.getByRole("heading", { name: "This is for administrators" }).waitFor();
      await fitsAndBreaksNoRule();
      await page.getByRole("link", { name: "Open my dashboard" }).press("Enter");
      await page.getByRole("heading", { name: "Dashboard", level: 1 }).waitFor();
    });
  });

  describe("for administrators", () => {
    beforeEach(() => openAs(root));

    it("says who used what, in every way, and as a file", async () => {
      await page.goto("/");
      await openSidebar();
      await page.getByRole("link", { name: "Administration" }).last().press("Enter");
      const usage = part("Usage");
      await usage.getByRole("row", { name: /^ann/ }).waitFor();
      await fitsAndBreaksNoRule();
      for (const [way, row] of [
        ["Model", /^simulated\/ada/],
        ["Day", /^\w{3} \d+, \d{4}/],
        ["Format", /^Council/],
      ] as const) {
        await usage.getByRole("button", { name: way }).press("Enter");
        await usage.getByRole("row", { name: row }).first().waitFor();
      }
      await fitsAndBreaksNoRule();
      const link = usage.getByRole("link", { name: "Download as CSV" });
      const download = page.waitForEvent("download");
      await link.press("Enter");
      expect((await download).url()).toMatch(/format=csv/);
      // The browser does not give a download the headers that a test adds to its requests.
      const file = await page.request.get((await link.getAttribute("href")) ?? "");
      expect(file.headers()["content-disposition"]).toBe('attachment; filename="usage.csv"');
      expect(await file.text()).toMatch(/^name,runs,calls,[\s\S]*\ncouncil,3,/);

      await page.getByRole("button", { name: "Custom" }).press("Enter");
      await page.getByLabel("to", { exact: true }).fill("2020-02-01");
      await page.getByLabel("From", { exact: true }).fill("2020-01-01");
      await usage.getByText("Nobody asked anything in this period.").waitFor();
    });

    it("has everybody's figures, and a page for each model", async () => {
      await page.goto("/admin/analytics");
      await part("Leaderboard").getByRole("row", { name: /^ada/ }).waitFor();
      await part("Chairmen")
        .getByRole("row", { name: /^chair/ })
        .waitFor();
      await part("Strength").getByRole("row", { name: /^ada/ }).waitFor();
      await part("Over time").locator("canvas").waitFor();
      expect(await page.getByRole("region", { name: "Recent runs" }).count()).toBe(0);
      await fitsAndBreaksNoRule();
      await part("Leaderboard").getByRole("link", { name: /^ada/ }).press("Enter");
      await page.waitForURL("/admin/models/simulated/ada");
      await part("Places").getByRole("row", { name: /^1st/ }).waitFor();
      await fitsAndBreaksNoRule();
    });

    it("lists people, and runs with what failed in them", async () => {
      await page.goto("/admin");
      const menu = page.getByRole("navigation", { name: "Administration" });
      await menu.getByRole("link", { name: "Users" }).press("Enter");
      const users = part("Users");
      await users.getByRole("row", { name: /^ann/ }).waitFor();
      await users.getByRole("cell", { name: "root@host.test" }).waitFor();
      await fitsAndBreaksNoRule();

      await menu.getByRole("link", { name: "Runs" }).press("Enter");
      const runs = part("Runs and failures");
      await runs.getByText("3 runs", { exact: true }).waitFor();
      await runs.getByLabel("Only with failures").press("Space");
      await runs.getByText("1 run with failures", { exact: true }).waitFor();
      await runs.getByRole("row", { name: /ann.*complete/ }).waitFor();
      expect(await page.getByText("Is glass a liquid?").count()).toBe(0);
      await fitsAndBreaksNoRule();
    });

    it("leads from a person to what is theirs, and finds people and entries", async () => {
      await page.goto("/admin/users");
      await page.getByLabel("Search", { exact: true }).fill("ROOT@host");
      await part("Users").getByText("1 user", { exact: true }).waitFor();
      await part("Users")
        .getByRole("row", { name: /^root administrator/ })
        .waitFor();
      await page.getByLabel("Search", { exact: true }).fill("");
      await part("Users").getByRole("link", { name: "Runs of ann" }).press("Enter");
      const runs = part("Runs and failures");
      await runs.getByText("2 runs", { exact: true }).waitFor();
      await fitsAndBreaksNoRule();
      await runs.getByLabel("User").fill("root");
      await runs.getByLabel("User").press("Enter");
      await runs.getByText("1 run", { exact: true }).waitFor();
      await page.reload();
      await runs.getByText("1 run", { exact: true }).waitFor();

      await page.goto("/admin?user=ann");
      const usage = part("Usage");
      await usage.getByRole("row", { name: /^simulated\/ada/ }).waitFor();
      await fitsAndBreaksNoRule();
      await page.goto("/admin/audit");
      const audit = part("Audit log");
      await audit.getByLabel("Action").selectOption("looked at the usage");
      await audit.getByRole("cell", { name: "ann" }).first().waitFor();
      await expect.poll(() => audit.getByText("reset their settings").count()).toBe(1);
      await fitsAndBreaksNoRule();
      await audit.getByRole("link", { name: "ann" }).first().press("Enter");
      await page.waitForURL(/audit\?target=ann$/);
      await audit.getByRole("cell", { name: "looked at the usage" }).first().waitFor();
    });

    it("stops a run, and blocks a person, who then reads only that", async () => {
      const name = `carl-${page.viewportSize()?.width}`;
      const carl = { "remote-user": name };
      await call(server, "GET", "/api/user", undefined, carl);
      let run = "";
      let isStopped = false;
      // Runs are over within a moment here: this one is shown as if it were not, until it is stopped.
      await page.route("**/api/admin/runs?*", async (route) => {
        const response = await route.fetch();
        const shown = (await response.json()) as { runs: { id: string; status: string }[] };
        const [latest] = shown.runs;
        if (latest && !isStopped) latest.status = "running";
        run = latest?.id ?? "";
        await route.fulfill({ response, json: shown });
      });
      await page.goto("/admin/runs");
      const stop = page.getByRole("button", { name: "Stop the run of root" });
      await stop.waitFor();
      const stopped = page.waitForRequest(`**/api/admin/runs/${run}/cancel`).then(() => {
        isStopped = true;
      });
      await stop.press("Enter");
      await page
        .getByRole("dialog", { name: "Stop the run of root?" })
        .getByRole("button", { name: "Stop" })
        .press("Enter");
      await stopped;
      await stop.waitFor({ state: "detached" });

      await page.goto("/admin/users");
      const form = page.getByRole("form", { name: "Block a user" });
      await form.getByLabel("User").fill("nobody");
      const block = async () => {
        await form.getByRole("button", { name: "Block" }).press("Enter");
        await page
          .getByRole("dialog", { name: /^Block .*\?$/ })
          .getByRole("button", { name: "Block", exact: true })
          .press("Enter");
      };
      await form.getByRole("button", { name: "Block" }).press("Enter");
      await form.getByText("This field is required.").waitFor();
      expect(watched.faults).toEqual([]);
      await form.getByLabel("Reason").fill("Their laptop was stolen");
      await block();
      await form.getByText("the user id of somebody else who has been here").waitFor();
      expect(watched.faults.splice(0).join()).toMatch(/^[^,]*422[^,]*$/);
      await form.getByLabel("User").fill(name);
      await block();
      await part("Users")
        .getByRole("row", { name: new RegExp(`^${name} blocked`) })
        .waitFor();
      await fitsAndBreaksNoRule();

      const theirs = await open(browser, server, { ...shape, extraHTTPHeaders: carl });
      await theirs.page.goto("/settings");
      await theirs.page.getByRole("heading", { name: "You are blocked" }).waitFor();
      expect(await theirs.page.getByText("Their laptop was stolen").count()).toBe(0);
      expect(await violations(theirs.page)).toEqual([]);
      const again = theirs.page.getByRole("link", { name: "Try again" });
      expect(await again.getAttribute("href")).toBe("/");

      await page.getByRole("button", { name: `Unblock ${name}` }).press("Enter");
      await part("Blocked users").getByText("Nobody is blocked.").waitFor();
      // Not by the link, which is gone as soon as a request is answered again.
      await theirs.page.goto("/");
      await theirs.page.getByRole("heading", { level: 1 }).first().waitFor();
      expect(await theirs.page.getByRole("heading", { name: "You are blocked" }).count()).toBe(0);
      const refused = (fault: string) => /status of 403/.test(fault);
      theirs.faults.splice(0, theirs.faults.length, ...theirs.faults.filter((it) => !refused(it)));
      await close(theirs);
    });

    it("pages through the audit log", async () => {
      await page.goto("/admin/audit");
      const audit = part("Audit log");
      const rows = audit.locator("tbody").getByRole("row");
      await audit.getByText(`${perPage} entries`, { exact: true }).waitFor();
      await audit.getByRole("cell", { name: "reset their settings" }).first().waitFor();
      await fitsAndBreaksNoRule();
      const older = audit.getByRole("button", { name: "Older entries" });
      await older.press("Enter");
      await expect.poll(() => rows.count()).toBeGreaterThan(perPage);
      await older.waitFor({ state: "detached" });
    });

    it("sets a budget, and takes it away", async () => {
      await page.goto("/admin/budgets");
      const budgets = part("Budgets");
      await budgets.getByText("No budget is set.").waitFor();
      const user = budgets.getByLabel("User", { exact: true });
      const suggested = budgets.locator("datalist option");
      await expect
        .poll(() => suggested.evaluateAll((all) => all.map((one) => one.getAttribute("value"))))
        .toEqual(expect.arrayContaining(["ann", "root"]));
      const warning = budgets.getByText("Nobody called anna has been here yet.");
      await user.fill("anna");
      await warning.waitFor();
      await fitsAndBreaksNoRule();
      await user.fill("ann");
      await expect.poll(() => warning.count()).toBe(0);
      await budgets.getByLabel("At most, in US dollars").fill("1000");
      await budgets.getByRole("button", { name: "Set budget" }).press("Enter");
      await budgets.getByText(/^ann, today: .* of \$1,000\.00 spent/).waitFor();
      await fitsAndBreaksNoRule();
      await budgets.getByRole("button", { name: /^Remove/ }).press("Enter");
      await page
        .getByRole("dialog", { name: "Remove this budget?" })
        .getByRole("button", { name: "Remove" })
        .press("Enter");
      await budgets.getByText("No budget is set.").waitFor();
    });

    it("changes what everybody starts from, and takes it back", async () => {
      await page.goto("/admin/settings");
      const chairman = page.getByLabel("Chairman", { exact: true });
      await chairman.fill("simulated/basil");
      await page.getByRole("button", { name: "Save", exact: true }).press("Enter");
      await page.getByText("The instance’s settings were saved.").waitFor();
      await page.getByText("An administrator has changed the configuration’s council").waitFor();
      await fitsAndBreaksNoRule();
      const seenBy = async (headers: Record<string, string>) =>
        (await call(server, "GET", "/api/config", undefined, headers)).chairman_model;
      expect(await seenBy(ann)).toBe("simulated/basil");
      await page.getByRole("button", { name: "Reset to default" }).press("Enter");
      await page.getByRole("button", { name: "Reset", exact: true }).press("Enter");
      await page.getByText("The configured council is back.").waitFor();
      expect(await seenBy(ann)).toBe("simulated/chair");
    });

    it("refuses settings that cannot be, at their fields", async () => {
      await page.goto("/admin/settings");
      await page.getByLabel("Chairman", { exact: true }).fill("");
      await page.getByRole("button", { name: "Save", exact: true }).press("Enter");
      await page.getByText("Not saved.").waitFor();
      await page.locator(".field-error").first().waitFor();
      const reported = watched.faults.splice(0);
      expect(reported.every((fault) => /status of 422/.test(fault))).toBe(true);
    });
  });
});

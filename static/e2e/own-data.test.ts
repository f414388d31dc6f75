/** One's own data: a copy, who has looked, and the end; and what administrators may do about it. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fitsAndBreaksNoRule, violations } from "./axe";
import { bothShapes, close, launch, open } from "./browser";
import { askFor, call } from "./figures";
import { OwnServer, pace } from "./own-server";

let browser: Browser;
let server: OwnServer;
const root = { "remote-user": "root" };
const rita = { "remote-user": "rita" };

beforeAll(async () => {
  [browser, server] = await Promise.all([
    launch(),
    // The test is the proxy: it says in headers who somebody is.
    OwnServer.start({
      ...pace.quick,
      LLM_COUNCIL__AUTH__MODE: "proxy",
      LLM_COUNCIL__AUTH__TRUSTED_PROXIES: "127.0.0.1/32",
      LLM_COUNCIL__AUTH__ADMIN_USERS: "root,rita",
    }),
  ]);
});
afterAll(() => Promise.all([browser.close(), server.close()]));

describe.each(bothShapes)("on %s", (shapeName, shape) => {
  it("a project has a rule of its own, which who is in it reads", async () => {
    const name = `olga-${shapeName.replace(/\W/g, "")}`;
    const olga = { "remote-user": name };
    const { id } = await call(server, "POST", "/api/projects", { name: "Herons" }, olga);
    const admins = await open(browser, server, { ...shape, extraHTTPHeaders: root });
    const admin = admins.page;
    await admin.goto("/admin/data");
    const rules = admin.getByRole("region", {
      name: "How long conversations in projects are kept",
    });
    expect(await rules.getByText("Herons").count()).toBe(0);
    await rules.getByLabel("Project").selectOption(String(id));
    const form = rules.getByRole("form", {
      name: "How long conversations in this project are kept",
    });
    await form.getByLabel("Days without activity").fill("40000");
    await form.getByLabel("Days without activity").press("Enter");
    await form.getByText("From 0 to 36,500.").waitFor();
    await form.getByLabel("Days without activity").fill("30");
    await form.getByLabel("Days without activity").press("Enter");
    const row = rules.getByRole("listitem").filter({ hasText: `Project of ${name}` });
    await row.getByText("30 days").waitFor();
    await row.getByText("Chosen by root on").waitFor();
    await fitsAndBreaksNoRule(admin);
    // The browser reports every refused request; this one was meant.
    const kept = admins.faults.filter((fault) => !/status of 422/.test(fault));
    admins.faults.splice(0, admins.faults.length, ...kept);
    await close(admins);

    const olgas = await open(browser, server, { ...shape, extraHTTPHeaders: olga });
    await olgas.page.goto(`/p/${id}`);
    await olgas.page.getByText("in which nothing happens for 30 days are deleted").waitFor();
    await fitsAndBreaksNoRule(olgas.page);
    await close(olgas);
  });

  it("is held, read by two, and deleted, and its owner sees each of it", async () => {
    const name = `ann-${shapeName.replace(/\W/g, "")}`;
    const ann = { "remote-user": name };
    await call(server, "GET", "/api/user", undefined, ann);
    await askFor(server, "Is water wet?", ann);
    await call(
      server,
      "POST",
      "/api/admin/access-requests",
      { user: name, reason: "Her manager asked", hours: 1 },
      root,
    );

    const admins = await open(browser, server, { ...shape, extraHTTPHeaders: rita });
    const admin = admins.page;
    await admin.goto("/admin/data");
    await admin.getByRole("button", { name: `Approve the access to ${name}` }).press("Enter");
    await admin.getByText(`Read the conversations of ${name}`).click();
    await admin.locator(".read-list button").first().press("Enter");
    await admin.locator(".read-question").waitFor();
    await admin.getByRole("form", { name: "New hold" }).getByLabel("User").fill(name);
    await admin.getByRole("form", { name: "New hold" }).getByLabel("Reason").fill("Case 7");
    await admin.getByRole("button", { name: "Place hold" }).press("Enter");
    const lift = admin.getByRole("button", { name: `Lift the hold on ${name}` });
    await lift.waitFor();
    await fitsAndBreaksNoRule(admin);

    const anns = await open(browser, server, { ...shape, extraHTTPHeaders: ann });
    const page = anns.page;
    await page.goto("/settings");
    const mine = page.getByRole("region", { name: "Your data" });
    await mine.getByText("placed a hold on your data").waitFor();
    await mine.getByText("Her manager asked").waitFor();
    await mine.getByText("Read 2 times").click();
    await mine.getByRole("link", { name: "a conversation" }).waitFor();
    expect(await mine.getByText("Case 7").count()).toBe(0);
    expect(await mine.getByRole("button", { name: "Delete everything…" }).isDisabled()).toBe(true);
    await fitsAndBreaksNoRule(page);
    const copy = await page.request.get("/api/me/export");
    expect(copy.headers()["content-type"]).toBe("application/zip");

    await lift.press("Enter");
    const sure = admin.getByRole("dialog", { name: `Lift the hold on ${name}?` });
    await sure.getByRole("button", { name: "Lift", exact: true }).press("Enter");
    await lift.waitFor({ state: "detached" });
    await close(admins);

    // Once it is being deleted the server answers nothing: all that this page reads is to be there before.
    await page.reload({ waitUntil: "networkidle" });
    await mine.getByRole("button", { name: "Delete everything…" }).press("Enter");
    const really = mine.getByRole("button", { name: "Delete everything", exact: true });
    expect(await really.isDisabled()).toBe(true);
    await mine.getByLabel(/^To confirm/).fill(name);
    await really.press("Enter");
    await page.getByRole("heading", { name: "Everything was deleted" }).waitFor();
    const kept = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
    expect(kept).not.toContain(name);
    expect(await violations(page)).toEqual([]);
    await close(anns);
  });
});

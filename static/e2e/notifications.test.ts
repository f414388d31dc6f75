/** Notifications with the page closed, the app to install, and the page that says that there is no connection. */
import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { violations } from "./axe";
import {
  ask,
  bothShapes,
  close,
  launchWhole,
  open,
  patience,
  shapes,
  type Watched,
  waitForEnd,
} from "./browser";
import { OwnServer, pace } from "./own-server";
import { PushService } from "./push-service";

let browser: Browser;
let server: OwnServer;
let service: PushService;
beforeAll(async () => {
  service = new PushService();
  [browser, server] = await Promise.all([
    // The engine alone shows no notifications.
    launchWhole(),
    OwnServer.start({
      ...pace.quick,
      LLM_COUNCIL__PUSH__VAPID_PRIVATE_KEY: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
      LLM_COUNCIL__PUSH__SUBJECT: "mailto:root@example.com",
      LLM_COUNCIL__PUSH__ALLOWED_NETWORKS: "127.0.0.0/8",
    }),
    service.listen(),
  ]);
});
afterAll(async () => {
  await Promise.all([browser.close(), server.close()]);
  service.close();
});

/** Removes what the test before, or its first attempt, has left when it failed. */
async function removeAll({ request }: Page) {
  const headers = { origin: server.origin };
  const list = await request.get("/api/push/devices");
  const { devices }: { devices: { id: string }[] } = await list.json();
  for (const { id } of devices) {
    const gone = await request.delete(`/api/push/devices/${id}`, { headers });
    expect(gone.ok()).toBe(true);
  }
}

/** Asks while no page is open, and waits for the answer. */
async function askElsewhere({ request }: Page, content: string): Promise<string> {
  const headers = { origin: server.origin };
  const made = await request.post("/api/conversations", { headers, data: {} });
  const { id }: { id: string } = await made.json();
  const answer = await request.post(`/api/conversations/${id}/message`, {
    headers,
    data: { content },
  });
  expect(answer.ok()).toBe(true);
  return id;
}

/** With its service worker, which is there once this resolves. */
async function withWorker(page: Page): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready);
  await expect
    .poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null))
    .toBe(true);
}

/** What a browser's maker does when it wakes the service worker. */
async function waker(page: Page): Promise<(message: object) => Promise<unknown>> {
  const cdp: CDPSession = await page.context().newCDPSession(page);
  const registration = new Promise<string>((found) => {
    cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const [first] = registrations;
      if (first) found(first.registrationId);
    });
  });
  await cdp.send("ServiceWorker.enable");
  const registrationId = await registration;
  return (message) =>
    cdp.send("ServiceWorker.deliverPushMessage", {
      origin: server.origin,
      registrationId,
      data: JSON.stringify(message),
    });
}

const shown = (page: Page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const all = await registration.getNotifications();
    return all.map(({ title, body, tag, lang, data }) => ({ title, body, tag, lang, data }));
  });

describe.each(bothShapes)("on %s", (_, shape) => {
  let watched: Watched;
  let page: Page;
  let done: string[];
  const panel = () => page.getByRole("region", { name: "Notifications" });
  const rows = () => panel().getByRole("listitem");
  beforeEach(async () => {
    service.got.length = 0;
    service.status = 201;
    watched = await open(browser, server, {
      ...shape,
      permissions: ["notifications"],
      serviceWorkers: "allow",
    });
    page = watched.page;
    await removeAll(page);
    done = await service.serve(page);
    await page.goto("/settings");
    await withWorker(page);
  });
  afterEach(() => close(watched));

  it("this browser is told once it is switched on, and with the page closed", async () => {
    await panel().getByText("with this page closed as well").waitFor();
    expect(await rows().count(), "nothing until it is switched on").toBe(0);
    expect(done).toEqual([]);
    await panel()
      .getByLabel(/^In this browser/)
      .press("Space");
    await rows().getByText("this browser").waitFor();
    expect(done).toEqual(["subscribe"]);
    await rows()
      .getByText(/^Chrome \(/)
      .waitFor();
    expect(await violations(page)).toEqual([]);

    await rows()
      .getByRole("button", { name: /^Send a test/ })
      .click();
    await rows()
      .getByText(/last notified/)
      .waitFor({ timeout: patience });
    expect(service.got.map(({ told }) => told)).toEqual([{ kind: "test" }]);
    expect(service.got[0]?.vapid).toMatch(/^vapid t=[\w-]+\.[\w-]+\.[\w-]+, k=/);
    const wake = await waker(page);
    await wake({ kind: "test" });
    await expect.poll(() => shown(page)).toMatchObject([{ title: "Notifications arrive here" }]);

    const withTitle = rows().getByLabel(/^With the conversation’s title/);
    await withTitle.click();
    await expect.poll(() => withTitle.isChecked()).toBe(true);
    await page.goto("about:blank");
    const conversation = await askElsewhere(page, "Where is the secret door?");
    await expect.poll(() => service.got.length, { timeout: patience }).toBe(2);
    const told = service.got[1]?.told ?? { kind: "nothing" };
    expect(told).toMatchObject({ kind: "complete", conversation_id: conversation });
    expect(told.title).toBeTruthy();

    await page.goto("/settings");
    await withWorker(page);
    await (await waker(page))(told);
    await expect
      .poll(() => shown(page))
      .toContainEqual({
        title: "The council has answered",
        body: told.title,
        tag: conversation,
        lang: "en",
        data: `/c/${conversation}`,
      });
    // What is looked at needs no notification any more.
    await page.goto(`/c/${conversation}`);
    await expect
      .poll(async () => (await shown(page)).filter(({ tag }) => tag === conversation))
      .toEqual([]);
  });

  it("what is looked at is told to no device, and a removed one is told nothing", async () => {
    await panel()
      .getByLabel(/^In this browser/)
      .press("Space");
    await rows().getByText("this browser").waitFor();
    const seen = page.waitForResponse(/\/api\/runs\/[^/]+\/seen$/);
    await ask(page, "Is it seen?");
    await waitForEnd(page);
    expect((await seen).ok()).toBe(true);

    await page.goto("/settings");
    await rows()
      .getByRole("button", { name: /^Remove/ })
      .press("Enter");
    await expect.poll(() => rows().count()).toBe(0);
    await expect.poll(() => done.at(-1)).toBe("unsubscribe");
    expect(
      await panel()
        .getByLabel(/^In this browser/)
        .isChecked(),
    ).toBe(false);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("notifications-title");
    await page.goto("about:blank");
    await askElsewhere(page, "Is anybody told?");
    expect(service.got).toEqual([]);
  });

  it("one that was removed elsewhere is off here, and another’s browser is left", async () => {
    await panel()
      .getByLabel(/^In this browser/)
      .press("Space");
    await rows().getByText("this browser").waitFor();
    await removeAll(page);
    await page.reload();
    await expect
      .poll(() =>
        panel()
          .getByLabel(/^In this browser/)
          .isChecked(),
      )
      .toBe(false);
    await panel()
      .getByLabel(/^In this browser/)
      .press("Space");
    await rows().getByText("this browser").waitFor();
    expect(done).toEqual(["subscribe", "unsubscribe", "subscribe"]);
    // As if somebody else had used this browser last.
    await page.evaluate(() => localStorage.setItem("user", "somebody"));
    await page.goto("/");
    await expect.poll(() => done.at(-1)).toBe("unsubscribe");
    await page.getByLabel("Your question").waitFor();
  });

  it("without a connection it says so, and keeps nothing of anybody", async () => {
    await ask(page, "Where is the secret door?");
    await waitForEnd(page);
    await page.context().setOffline(true);
    await page.goto("/settings");
    await page.getByRole("heading", { name: "No connection" }).waitFor();
    expect(await violations(page)).toEqual([]);
    // It comes back by itself.
    await page.context().setOffline(false);
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    const kept = await page.evaluate(async () => {
      const names = await caches.keys();
      const texts = await Promise.all(
        names.map(async (name) => {
          const cache = await caches.open(name);
          const requests = await cache.keys();
          const responses = await Promise.all(requests.map((one) => cache.match(one)));
          const bodies = await Promise.all(responses.map((one) => one?.text()));
          return requests.map(({ url }, at) => [new URL(url).pathname, bodies[at]]);
        }),
      );
      return texts.flat();
    });
    expect(kept.map(([path]) => path)).toEqual(["/words.json"]);
    expect(JSON.stringify(kept)).not.toContain("secret door");
    // The cut is what this is about.
    watched.faults.splice(
      0,
      watched.faults.length,
      ...watched.faults.filter((fault) => !/ERR_INTERNET_DISCONNECTED|status of 503/.test(fault)),
    );
  });
});

it("speaks the page’s language", async () => {
  const watched = await open(browser, server, {
    ...shapes.wide,
    locale: "de-DE",
    permissions: ["notifications"],
    serviceWorkers: "allow",
  });
  const { page, faults } = watched;
  await page.goto("/");
  await withWorker(page);
  await (await waker(page))({
    kind: "failed",
    conversation_id: "0198f5c0-0000-4000-8000-000000000000",
  });
  await expect
    .poll(() => shown(page))
    .toMatchObject([{ title: "Der Rat hat keine Antwort", lang: "de" }]);
  // What a newer server says, and what nobody says.
  await (await waker(page))({ kind: "sung", conversation_id: "../../elsewhere" });
  await expect
    .poll(() => shown(page))
    .toContainEqual(
      expect.objectContaining({
        title: "Zu einer Ihrer Fragen gibt es Neues",
        data: "/settings#notifications",
      }),
    );
  await page.context().setOffline(true);
  await page.goto("/dashboard");
  await page.getByRole("heading", { name: "Keine Verbindung" }).waitFor();
  expect(await page.evaluate(() => document.documentElement.lang)).toBe("de");
  faults.splice(0, faults.length, ...faults.filter((fault) => !/DISCONNECTED|503/.test(fault)));
  await close(watched);
});

it("can be installed", async () => {
  const watched = await open(browser, server, { ...shapes.wide, serviceWorkers: "allow" });
  const { page } = watched;
  await page.goto("/");
  await withWorker(page);
  const cdp = await page.context().newCDPSession(page);
  const manifest = await cdp.send("Page.getAppManifest");
  expect(manifest.errors).toEqual([]);
  expect(new URL(manifest.url).pathname).toBe("/manifest.webmanifest");
  const { icons }: { icons: { src: string; sizes: string; type: string }[] } = JSON.parse(
    manifest.data ?? "",
  );
  for (const { src, type } of icons) {
    const icon = await page.request.get(src);
    expect([icon.status(), icon.headers()["content-type"]]).toEqual([200, type]);
  }
  const { installabilityErrors } = await cdp.send("Page.getInstallabilityErrors");
  // A test's window counts as a private one.
  const wrong = installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito");
  expect(wrong).toEqual([]);
  await close(watched);
});

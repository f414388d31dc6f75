/** Webhooks against the real server: made, tested, told of a run, switched off by the receiver, removed. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { violations } from "./axe";
import { ask, bothShapes, close, launch, open, shapes, type Watched, waitForEnd } from "./browser";
import { OwnServer, pace } from "./own-server";

/** A receiver of this test's own, on this machine. */
class Receiver {
  readonly got: {
    headers: NodeJS.Dict<string | string[]>;
    body: { type: string; data: object };
  }[] = [];
  status = 204;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      let text = "";
      request.on("data", (piece) => {
        text += piece;
      });
      request.on("end", () => {
        this.got.push({ headers: request.headers, body: JSON.parse(text) });
        response.writeHead(this.status).end();
      });
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    if (typeof address !== "object" || !address) throw new Error("no port");
    return `http://127.0.0.1:${address.port}`;
  }

  close() {
    this.#server.close();
  }
}

let browser: Browser;
let server: OwnServer;
let receiver: Receiver;
let address: string;
beforeAll(async () => {
  receiver = new Receiver();
  address = await receiver.listen();
  [browser, server] = await Promise.all([
    launch(),
    OwnServer.start({ ...pace.quick, LLM_COUNCIL__WEBHOOKS__ALLOWED_NETWORKS: "127.0.0.0/8" }),
  ]);
});
afterAll(async () => {
  await Promise.all([browser.close(), server.close()]);
  receiver.close();
});

/** Removes what the test before, or its first attempt, has left when it failed. */
async function removeAll({ request }: Page) {
  const headers = { origin: server.origin };
  const list = await request.get("/api/webhooks");
  const { webhooks }: { webhooks: { id: string }[] } = await list.json();
  for (const { id } of webhooks) {
    const gone = await request.delete(`/api/webhooks/${id}`, { headers });
    expect(gone.ok()).toBe(true);
  }
}

/** The refusal that a test brings about is an error to the browser's console. */
function forgiveRefusal({ faults }: Watched) {
  const kept = faults.filter((fault) => !/status of 422 .*\/api\/webhooks/.test(fault));
  faults.splice(0, faults.length, ...kept);
}

describe.each(bothShapes)("on %s", (_, shape) => {
  let watched: Watched;
  let page: Page;
  const panel = () => page.getByRole("region", { name: "Webhooks" });
  const row = () => panel().getByRole("listitem").filter({ hasText: "/hook" }).first();
  beforeEach(async () => {
    receiver.status = 204;
    receiver.got.length = 0;
    watched = await open(browser, server, shape);
    page = watched.page;
    await removeAll(page);
    await page.goto("/settings");
    await panel().getByText("There are no webhooks yet.").waitFor();
  });
  afterEach(() => close(watched));

  const make = async (path: string) => {
    await panel().getByRole("button", { name: "Add a webhook" }).click();
    await panel().getByLabel("Address").fill(`${address}${path}`);
    await panel().getByRole("button", { name: "Create webhook" }).click();
    await panel().getByText("This is its secret.").waitFor();
  };
  const remove = async () => {
    await row()
      .getByRole("button", { name: /^More for / })
      .click();
    await page.getByRole("menuitem", { name: "Remove…" }).click();
    const dialog = page.getByRole("dialog", { name: "Remove this webhook?" });
    await dialog.getByRole("button", { name: "Remove" }).click();
    await panel().getByText("There are no webhooks yet.").waitFor();
  };

  it("one is made, tested, told of a run, and removed", async () => {
    await panel().getByRole("button", { name: "Add a webhook" }).click();
    await panel().getByLabel("Address").fill("ftp://hooks.example.com");
    await panel().getByRole("button", { name: "Create webhook" }).click();
    await panel().getByText("It has to begin with https://.").waitFor();
    expect(await violations(page)).toEqual([]);
    forgiveRefusal(watched);
    await panel().getByRole("button", { name: "Cancel" }).click();

    await make("/hook");
    const secret = await panel().locator(".secret code").textContent();
    expect(secret).toMatch(/^whsec_/);
    expect(await violations(page)).toEqual([]);
    await panel().getByRole("button", { name: "Done" }).click();
    expect(await page.getByText(secret ?? "?").count()).toBe(0);

    await row().getByRole("button", { name: "Send a test" }).click();
    await row().getByText("delivered").waitFor();
    expect(receiver.got[0]?.body.type).toBe("webhook.test");
    expect(receiver.got[0]?.headers["webhook-signature"]).toMatch(/^v1,/);

    await ask(page, "Where is the secret door?");
    await waitForEnd(page);
    await page.goto("/settings");
    await row().getByRole("button", { name: "Deliveries" }).click();
    await row().getByText("Answered", { exact: true }).waitFor();
    await row().getByText("delivered").nth(1).waitFor();
    const told = receiver.got.find(({ body }) => body.type === "run.completed");
    expect(JSON.stringify(told?.body)).not.toContain("secret door");
    expect(await violations(page)).toEqual([]);

    await row()
      .getByRole("button", { name: /^Send again: Answered/ })
      .click();
    await page.getByText("It is sent again.").waitFor();
    await expect.poll(() => receiver.got.length, { timeout: 20_000 }).toBe(3);
    await remove();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent), {
        message: "the focus is where another can be added",
      })
      .toBe("Add a webhook");
  });

  it("a receiver that is gone switches it off, and its owner switches it on", async () => {
    await make("/hook");
    receiver.status = 410;
    await row().getByRole("button", { name: "Send a test" }).click();
    await row().getByText("The receiver answered 410 Gone").waitFor();
    await page.reload();
    await row().getByText("The server switched it off").waitFor();
    expect(await violations(page)).toEqual([]);
    receiver.status = 204;
    await row().getByRole("button", { name: "Switch on" }).click();
    await row().getByRole("button", { name: "Send a test" }).waitFor();
    expect(await row().getByText("The server switched it off").count()).toBe(0);
    await remove();
  });

  it("another secret is made after a question, by keyboard alone", async () => {
    await make("/hook");
    const first = await panel().locator(".secret code").textContent();
    await panel().getByRole("button", { name: "Done" }).press("Enter");
    await row()
      .getByRole("button", { name: /^More for / })
      .press("Enter");
    await page.getByRole("menuitem", { name: "Another secret…" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Make another secret?" });
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    expect(await panel().locator(".secret code").count()).toBe(0);
    await row()
      .getByRole("button", { name: /^More for / })
      .press("Enter");
    await page.getByRole("menuitem", { name: "Another secret…" }).press("Enter");
    await dialog.getByRole("button", { name: "Make another secret" }).press("Enter");
    await panel().getByText("This is its secret.").waitFor();
    expect(await panel().locator(".secret code").textContent()).not.toBe(first);
    await panel().getByRole("button", { name: "Done" }).press("Enter");
    await remove();
  });
});

it("the instance's are made in the administration, and are nobody's own", async () => {
  const watched = await open(browser, server, shapes.wide);
  const { page } = watched;
  await page.goto("/admin/webhooks");
  await page.getByRole("button", { name: "Add a webhook" }).click();
  await page.getByText("Questions and answers are never sent").waitFor();
  await page.getByLabel("Address").fill(`${address}/all`);
  await page.getByRole("button", { name: "Create webhook" }).click();
  await page.getByText("This is its secret.").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.goto("/settings");
  await page.getByText("There are no webhooks yet.").waitFor();
  await close(watched);
});

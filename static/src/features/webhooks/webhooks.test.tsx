import { act } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../api/queries";
import type { Delivery, Webhook } from "../../api/webhooks";
import { button, click, render, settled, type } from "../../test/render";
import { InstanceWebhooks } from "./instance-webhooks";
import MyWebhooks from "./my-webhooks";

const webhook = (more: Partial<Webhook> = {}): Webhook => ({
  id: "w-1",
  instance: false,
  url: "https://hooks.example.com/council",
  events: ["run.completed", "run.failed"],
  include_content: false,
  enabled: true,
  created_at: "2026-03-12T09:30:00",
  ...more,
});

const delivery = (more: Partial<Delivery> = {}): Delivery => ({
  id: "d-1",
  event: "run.completed",
  status: "delivered",
  attempts: 1,
  created_at: "2026-03-12T09:30:00",
  ...more,
});

const user = { id: "ada", is_admin: true };

/** What the server has, and what it was asked for. */
let webhooks: Webhook[];
let deliveries: Delivery[];
let most: number;
let refuses: object | null;
let asked: [string, unknown][];

function answer(path: string, method: string, body: Record<string, unknown>): object {
  if (path === "/api/user") return user;
  if (method !== "GET") asked.push([`${method} ${path}`, body]);
  if (path.includes("/deliveries")) {
    return method === "GET" ? { deliveries, total: deliveries.length } : delivery(deliveries[0]);
  }
  if (path.endsWith("/test")) return delivery({ event: "webhook.test", status: "pending" });
  if (path.endsWith("/secret")) return { ...webhooks[0], secret: "whsec_new" };
  if (method === "GET") return { webhooks, most };
  if (method === "POST") {
    webhooks = [...webhooks, webhook({ id: "w-new", ...body } as Partial<Webhook>)];
    return { ...webhooks.at(-1), secret: "whsec_made" };
  }
  if (method === "PATCH") webhooks = webhooks.map((one) => ({ ...one, ...body }));
  if (method === "DELETE") webhooks = [];
  return webhooks[0] ?? {};
}

beforeEach(() => {
  queryClient.clear();
  webhooks = [webhook()];
  deliveries = [];
  most = 10;
  refuses = null;
  asked = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path, init = {}) => {
    const method = init.method ?? "GET";
    const body = typeof init.body === "string" ? JSON.parse(init.body) : {};
    const refused = method !== "GET" && refuses;
    return new Response(JSON.stringify(refused || answer(String(path), method, body)), {
      status: refused ? 422 : 200,
      headers: { "content-type": refused ? "application/problem+json" : "application/json" },
    });
  });
});
afterEach(() => vi.restoreAllMocks());

const show = async () => {
  const page = await render(<MyWebhooks />, queryClient);
  await settled("Webhooks");
  return page;
};

async function fill(label: string, text: string) {
  const named = [...document.querySelectorAll("label")].find((one) => one.textContent === label);
  const input = named && document.getElementById(named.htmlFor);
  if (!(input instanceof HTMLInputElement)) throw new Error(`there is no field “${label}”`);
  await type(input, text);
  return input;
}

const box = (page: HTMLElement, label: string) =>
  [...page.querySelectorAll<HTMLInputElement>("input[type=checkbox]")].find(
    (one) => one.labels?.[0]?.textContent === label,
  );

/** A click on a link elsewhere on the page. */
async function leaveFor(path: string) {
  const link = document.body.appendChild(document.createElement("a"));
  link.href = path;
  const event = new MouseEvent("click", { bubbles: true, cancelable: true });
  await act(async () => link.dispatchEvent(event));
  link.remove();
  return event.defaultPrevented;
}

describe("one's webhooks", () => {
  it("say what they are told, and are none of the instance's", async () => {
    webhooks = [
      webhook(),
      webhook({ id: "w-2", instance: true, url: "https://everybody.example" }),
    ];
    const page = await show();
    await settled("hooks.example.com");
    expect(page.textContent).toContain(
      "Answered, Failed run · without content · created Mar 12, 2026",
    );
    expect(page.textContent).not.toContain("everybody.example");
  });

  it("are made with a secret that is shown once", async () => {
    webhooks = [];
    const page = await show();
    await settled("There are no webhooks yet.");
    await click(button("Add a webhook"));
    expect(box(page, "Send title, question and answer too")?.checked).toBe(false);
    await fill("Address", " https://hooks.example.com/new ");
    await click(box(page, "A run was stopped"));
    await click(button("Create webhook"));
    await settled("whsec_made");
    expect(asked).toEqual([
      [
        "POST /api/webhooks",
        {
          url: "https://hooks.example.com/new",
          events: ["run.completed", "run.failed"],
          include_content: false,
        },
      ],
    ]);
    await click(button("Done"));
    expect(page.textContent).not.toContain("whsec_made");
    expect(document.activeElement?.textContent).toBe("Change");
  });

  it("keep what is typed where Escape is pressed", async () => {
    await show();
    await settled("hooks.example.com");
    await click(button("Add a webhook"));
    const input = await fill("Address", "https://hooks.example.com/new");
    await act(async () => {
      input.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    });
    expect(input.isConnected).toBe(true);
    expect(input.value).toBe("https://hooks.example.com/new");
  });

  it("say at each field what is wrong, and send nothing", async () => {
    const page = await show();
    await settled("hooks.example.com");
    await click(button("Change"));
    const group = page.querySelector("fieldset");
    for (const one of group?.querySelectorAll<HTMLInputElement>("input:checked") ?? []) {
      await click(one);
    }
    for (const [typed, said] of [
      ["", "This is no address."],
      ["hooks", "This is no address."],
      ["ftp://hooks.example.com", "It has to begin with https://."],
      ["https://me:secret@hooks.example.com", "Without a user name and a password"],
      ["https://hooks.example.com/#x", "Without what comes after #."],
    ] as const) {
      const input = await fill("Address", typed);
      await click(button("Save"));
      await settled(said);
      expect(input.getAttribute("aria-invalid")).toBe("true");
      expect(document.activeElement).toBe(input);
    }
    const described = document.getElementById(group?.getAttribute("aria-describedby") ?? "");
    expect(described?.textContent).toContain("Choose at least one.");
    expect(asked).toEqual([]);
    // Nothing is wrong with the address; then the events have the focus.
    await fill("Address", "https://hooks.example.com/new");
    await click(button("Save"));
    expect(document.activeElement).toBe(group);
  });

  it.each([
    ["https://10.0.0.1", "This server does not send to this address. Ask its administrator."],
    ["http://hooks.example.com", "It has to begin with https://."],
  ])("say of %s what only the server knows", async (address, said) => {
    await show();
    await settled("hooks.example.com");
    await click(button("Change"));
    refuses = {
      type: "urn:llm-council:problem:validation",
      status: 422,
      errors: [{ field: "url", message: "is in a network that this server does not send to" }],
    };
    await fill("Address", address);
    await click(button("Save"));
    await settled(said);
  });

  it("keep what is typed while a test is sent", async () => {
    await show();
    await settled("hooks.example.com");
    await click(button("Change"));
    const input = await fill("Address", "https://hooks.example.com/new");
    await click(button("Send a test"));
    await settled("Nothing was sent yet.");
    expect(input.isConnected).toBe(true);
    expect(input.value).toBe("https://hooks.example.com/new");
  });

  it("are not left behind half written; the secret of a new one has to be seen", async () => {
    history.replaceState(null, "", "/settings");
    await show();
    await settled("hooks.example.com");
    await click(button("Add a webhook"));
    await fill("Address", "https://hooks.example.com/new");
    await leaveFor("/");
    await settled("Leave without saving?");
    expect(button("Save and leave")).toBeUndefined();
    await click(button("Discard and leave"));
    await vi.waitFor(() => expect(location.pathname).toBe("/"));
    history.replaceState(null, "", "/settings");
    await click(button("Change"));
    await fill("Address", "https://hooks.example.com/other");
    await leaveFor("/");
    await click(button("Save and leave"));
    await vi.waitFor(() => expect(location.pathname).toBe("/"));
    expect(asked.map(([what]) => what)).toEqual(["PATCH /api/webhooks/w-1"]);
  });

  it("are not offered where there are as many as there may be, or none may be", async () => {
    most = 1;
    await show();
    await settled("There can be 1 webhook at most; remove it to add another.");
    expect(button("Add a webhook")).toBeUndefined();
    queryClient.clear();
    [most, webhooks] = [0, []];
    await show();
    await settled("Webhooks are switched off on this server.");
    expect(button("Add a webhook")).toBeUndefined();
  });

  it("that the server switched off say why, and are switched on again", async () => {
    const reason = "the receiver said that it is gone (410)";
    webhooks = [webhook({ enabled: false, disabled_reason: reason })];
    const page = await show();
    await settled("The server switched it off");
    expect(page.querySelector(".notice [lang=en]")?.textContent).toBe(reason);
    expect(button("Send a test")).toBeUndefined();
    await click(button("Switch on"));
    await settled("on");
    expect(asked).toEqual([["PATCH /api/webhooks/w-1", { enabled: true }]]);
  });

  it("show what came of each delivery, and send one again", async () => {
    deliveries = [
      delivery({
        id: "d-3",
        status: "pending",
        attempts: 2,
        last_status: 503,
        last_error: "the receiver answered 503 Service Unavailable",
        next_attempt_at: "2999-03-12T09:35:00",
      }),
      delivery({ id: "d-2", event: "webhook.test" }),
      delivery({ id: "d-1", event: "run.paused", status: "failed", attempts: 10 }),
    ];
    const page = await show();
    await settled("hooks.example.com");
    await click(button("Deliveries"));
    await settled("HTTP 503 · 2 attempts · next attempt Mar 12, 2999");
    const rows = [...page.querySelectorAll(".delivery")].map((row) => row.textContent);
    expect(rows[0]).toContain("The receiver answered 503 Service Unavailable");
    expect(rows[1]).toContain("Test");
    expect(rows[2]).toContain("given up");
    expect(rows[2]).toContain("run.paused");
    await click(button("Send again: Answered"));
    expect(asked.map(([what]) => what)).toEqual(["POST /api/webhooks/w-1/deliveries/d-3/resend"]);
  });

  it("show their deliveries when a test was sent", async () => {
    await show();
    await settled("hooks.example.com");
    await click(button("Send a test"));
    await settled("Nothing was sent yet.");
    expect(asked.map(([what]) => what)).toEqual(["POST /api/webhooks/w-1/test"]);
  });
});

describe("the instance's webhooks", () => {
  it("never have content, and say why", async () => {
    webhooks = [];
    const page = await render(<InstanceWebhooks />, queryClient);
    await settled("There are no webhooks yet.");
    await click(button("Add a webhook"));
    expect(box(page, "Send title, question and answer too")).toBeUndefined();
    expect(page.textContent).toContain("Questions and answers are never sent");
    await fill("Address", "https://hooks.example.com/all");
    await click(button("Create webhook"));
    await settled("whsec_made");
    expect(asked[0]?.[1]).toEqual({
      url: "https://hooks.example.com/all",
      events: ["run.completed", "run.failed", "run.cancelled"],
      instance: true,
    });
  });
});

/** Devices that are told, as the server would list them. */
import type { Page } from "playwright-core";

const here = "00000000-0000-7000-8000-0000000000e1";
const devices = [
  {
    id: here,
    name: "Chrome (Linux)",
    include_title: true,
    created_at: "2026-03-12T09:30:00",
    told_at: "2026-03-20T14:05:00",
  },
  {
    id: "00000000-0000-7000-8000-0000000000e2",
    name: "Safari (iPhone)",
    include_title: false,
    created_at: "2026-02-02T08:10:00",
    told_at: "2026-03-18T19:44:00",
    problem: "the receiver answered 503 Service Unavailable",
  },
];

/** As for somebody who has switched them on in this browser, at a server that tells devices. */
export async function withDevices(on: Page, there: object[] = devices) {
  await on.route(/\/api\/push\/devices$/, (route) => route.fulfill({ json: { devices: there } }));
  await on.route(/\/api\/user$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ json: { ...(await response.json()), push_key: "BP4z9KsN6nGRTbVYI_c7" } });
  });
  // What is not looked at here is whether the browser asks for it; without its windows it grants nothing.
  await on.addInitScript(() => {
    Object.defineProperty(Notification, "permission", { get: () => "granted" });
  });
  if (there.length === 0) return;
  await on.evaluate((device) => {
    const user = localStorage.getItem("user") ?? "";
    const key = (name: string) => `user:${encodeURIComponent(user)}:${name}`;
    localStorage.setItem(key("notify"), "on");
    localStorage.setItem(key("device"), device);
  }, here);
}

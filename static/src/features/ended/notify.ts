/**
 * Notifications: only for those who have said yes, here or in the settings. Where the server tells devices, this browser
 * becomes one and its service worker shows them, with the page closed as well; else a tab does, while it is open.
 */
import { create } from "zustand";
import { keys, queryClient } from "../../api/queries";
import type { User } from "../../api/types";
import { kept } from "../../ui/kept";

const key = "notify";
const deviceKey = "device";

/** A run this long is one that people leave. */
export const longMs = 30_000;

/** What browsers subscribe with; null where this server tells no device. */
export const pushKey = () => queryClient.getQueryData<User>(keys.user)?.push_key ?? null;

/** Whether this browser can be told with the page closed. */
export const canPush = () =>
  pushKey() !== null &&
  isSecureContext &&
  "serviceWorker" in navigator &&
  "PushManager" in window &&
  Notification.permission !== "denied";

/** Some browsers have the name and refuse to make one outside of a service worker. */
export function canNotify(): boolean {
  if (!isSecureContext || !("Notification" in window)) return false;
  if (Notification.permission !== "default") return Notification.permission === "granted";
  if (canPush()) return true;
  try {
    // Without a permission nothing is shown.
    new Notification("").close();
    return true;
  } catch {
    return false;
  }
}

export const wants = () => kept.read(key) === "on" && canNotify();

/** Of this browser: whether its reader wants notifications, and which of the server's devices it is. */
export const useHere = create<{ on: boolean; device: string | null }>(() => ({
  on: wants(),
  device: kept.read(deviceKey),
}));

const here = (on: boolean) => {
  kept.write(key, on ? "on" : "off");
  useHere.setState({ on });
};

export function setDevice(id: string | null) {
  kept.write(deviceKey, id);
  useHere.setState({ device: id });
}

/** A tab tells what no device of the server's does. */
export const tabTells = () => wants() && kept.read(deviceKey) === null;

export const useOffer = create<{ open: boolean }>(() => ({ open: false }));

/** After a long run, to those who have not said yes or no yet. */
export function offerNotifications() {
  if (kept.read(key) === null && canNotify()) useOffer.setState({ open: true });
}

/** To be called when a person presses something: the browser may ask them. False where it does not allow any. */
export async function wantNotifications(on: boolean): Promise<boolean> {
  useOffer.setState({ open: false });
  const allowed = on && (await Notification.requestPermission()) === "granted";
  here(allowed);
  return allowed;
}

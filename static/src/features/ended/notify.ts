/** The browser's own notifications: only for those who have said yes, here or in the settings. */
import { create } from "zustand";
import { kept } from "../../ui/kept";

const key = "notify";

/** A run this long is one that people leave. */
export const longMs = 30_000;

/** Some browsers have the name and refuse to make one outside of a service worker. */
export function canNotify(): boolean {
  if (!isSecureContext || !("Notification" in window)) return false;
  if (Notification.permission !== "default") return Notification.permission === "granted";
  try {
    // Without a permission nothing is shown.
    new Notification("").close();
    return true;
  } catch {
    return false;
  }
}

export const wants = () => kept.read(key) === "on" && canNotify();

export const useOffer = create<{ open: boolean }>(() => ({ open: false }));

/** After a long run, to those who have not said yes or no yet. */
export function offerNotifications() {
  if (kept.read(key) === null && canNotify()) useOffer.setState({ open: true });
}

/** To be called by a person's press: the browser may ask them. False where it does not allow any. */
export async function wantNotifications(on: boolean): Promise<boolean> {
  useOffer.setState({ open: false });
  const allowed = on && (await Notification.requestPermission()) === "granted";
  kept.write(key, allowed ? "on" : "off");
  return allowed;
}

/** The number on the app's icon: what has ended while nobody looked. Notifications of what is looked at go. */
import { testTag } from "../../service-worker/messages";
import { worker } from "./worker";

async function settle() {
  if (document.visibilityState !== "visible") return;
  const notifications = (await (await worker)?.getNotifications()) ?? [];
  const [, shown] = /^\/c\/([^/]+)/.exec(location.pathname) ?? [];
  const left = notifications.filter(({ tag }) => tag !== shown && tag !== testTag);
  for (const one of notifications) if (one.tag === shown) one.close();
  if (left.length > 0) await navigator.setAppBadge?.(left.length);
  else await navigator.clearAppBadge?.();
}

/** To be called once; where the browser has no badges nothing happens. */
export function watchBadge() {
  const look = () => {
    settle().catch(() => undefined);
  };
  document.addEventListener("visibilitychange", look);
  // wouter tells of its own steps by these.
  for (const name of ["pushState", "replaceState", "popstate"]) addEventListener(name, look);
  look();
}

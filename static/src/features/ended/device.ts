/** This browser as one of the server's devices. */
import { addDevice, type Device, removeDevice } from "../../api/push";
import { subscription, unsubscribe } from "../../ui/subscription";
import { worker } from "../installed/worker";
import { pushKey, setDevice, useHere, wants } from "./notify";

/** In the words of the browser, which are the same in every language. */
export function browserName(agent = navigator.userAgent): string {
  const first = (known: readonly (readonly [RegExp, string])[]) =>
    known.find(([sign]) => sign.test(agent))?.[1];
  const browser = first([
    [/\bEdg/, "Edge"],
    [/\bOPR\//, "Opera"],
    [/\bSamsungBrowser\//, "Samsung"],
    [/\bFirefox\//, "Firefox"],
    [/Chrom(?:e|ium)\//, "Chrome"],
    [/\bSafari\//, "Safari"],
  ]);
  const system = first([
    [/\bAndroid\b/, "Android"],
    [/\biPhone\b/, "iPhone"],
    [/\biPad\b/, "iPad"],
    [/\bWindows\b/, "Windows"],
    [/\bMac OS X\b/, "macOS"],
    [/\bCrOS\b/, "ChromeOS"],
    [/\bLinux\b/, "Linux"],
  ]);
  if (browser && system) return `${browser} (${system})`;
  return browser ?? system ?? "Browser";
}

/** As the server writes it. */
function keyOf({ options }: PushSubscription): string {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer());
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/** The browser has no service that would wake it, or cannot reach it. */
export class NoPushService extends Error {}

/** Makes this browser one of the devices that are notified. */
export async function join(): Promise<Device> {
  const key = pushKey();
  const manager = (await worker)?.pushManager;
  if (!key || !manager) throw new NoPushService();
  // A worker must be active before one can subscribe with it.
  await navigator.serviceWorker.ready;
  let mine = await subscription();
  // With another key of the server's it would be of no use.
  if (mine && keyOf(mine) !== key) {
    await mine.unsubscribe();
    mine = null;
  }
  mine ??= await manager
    .subscribe({ userVisibleOnly: true, applicationServerKey: key })
    .catch((error: unknown) => {
      throw new NoPushService("", { cause: error });
    });
  const last = useHere.getState().device;
  const device = await addDevice(mine.toJSON(), browserName());
  setDevice(device.id);
  // What it was before the browser forgot it.
  if (last !== null && last !== device.id) await removeDevice(last);
  return device;
}

/** Removes it from the devices that are notified. */
export async function leave() {
  const { device } = useHere.getState();
  await forgetHere();
  if (device !== null) await removeDevice(device);
}

/** Like `leave`, where the server has already forgotten it. */
export async function forgetHere() {
  setDevice(null);
  await unsubscribe();
}

/** Browsers forget what they were subscribed to, and servers get other keys: it is put right when a page is opened. */
export async function renew() {
  const key = pushKey();
  if (!key || !wants() || useHere.getState().device === null) return;
  const mine = await subscription();
  if (!mine || keyOf(mine) !== key) await join();
}

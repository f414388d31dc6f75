/**
 * The page's service worker: for notifications while no page is open, and for the page that says that there is no
 * connection. It speaks this page's language, which it is told here.
 */
import { navigate } from "wouter/use-browser-location";
import { language, t } from "../../i18n";
import {
  english,
  type GoTo,
  type Words,
  wordsCache,
  wordsPath,
} from "../../service-worker/messages";
import { useTheme } from "../../ui/theme";

const file = "/service-worker.js";

interface Policies {
  createPolicy(
    name: string,
    rules: { createScriptURL: () => string },
  ): {
    createScriptURL(url: string): string;
  };
}

/** The one name of a script that the page's policy lets anybody make. */
function script(): string {
  const { trustedTypes } = window as { trustedTypes?: Policies };
  if (!trustedTypes) return file;
  return trustedTypes
    .createPolicy("service-worker", { createScriptURL: () => file })
    .createScriptURL(file);
}

/** Each of these in this page's language. */
function translated<Texts extends Record<string, string>>(texts: Texts): Texts {
  const all = Object.entries(texts).map(([name, text]) => [name, t(text)]);
  return Object.fromEntries(all) as Texts;
}

const words = (): Words => ({
  lang: language(),
  colours: { auto: "light dark", light: "light", dark: "dark" }[useTheme.getState().theme],
  kinds: translated(english.kinds),
  offline: translated(english.offline),
});

async function leaveWords() {
  const cache = await caches.open(wordsCache);
  await cache.put(wordsPath, new Response(JSON.stringify(words())));
}

/** While one develops there is no such file; and some browsers allow none, in private windows for instance. */
const canInstall = () => import.meta.env.PROD && isSecureContext && "serviceWorker" in navigator;

/** Null where there is none. */
async function install(): Promise<ServiceWorkerRegistration | null> {
  if (!canInstall()) return null;
  try {
    await leaveWords();
    // A browser that was told to allow none may also give nothing.
    return (await navigator.serviceWorker.register(script(), { updateViaCache: "none" })) ?? null;
  } catch {
    // The page does without it, and says so where it is missed.
    return null;
  }
}

export const worker: Promise<ServiceWorkerRegistration | null> = install();

useTheme.subscribe(() => {
  if (canInstall()) leaveWords().catch(() => undefined);
});

if (canInstall()) {
  navigator.serviceWorker.addEventListener("message", ({ data }: MessageEvent<Partial<GoTo>>) => {
    if (data.goTo && data.goTo !== location.pathname) navigate(data.goTo);
  });
}

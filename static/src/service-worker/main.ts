/**
 * The service worker: shows notifications while no page is open, and says so where a page cannot be fetched. It keeps
 * nothing of the server's, neither answers nor files, so it can never serve an old page, or somebody else's.
 */
import { type GoTo, testTag } from "./messages";
import { offlinePage } from "./offline";
import { pageFor } from "./pages";
import type { FetchEvent, PushEvent, Scope } from "./scope";
import { readWords } from "./words";

declare const self: Scope;

self.addEventListener("install", (event) => event.waitUntil(self.skipWaiting()));
self.addEventListener("activate", (event) => {
  // Pages are asked for while the worker starts, not after that.
  const ahead = self.registration.navigationPreload?.enable();
  event.waitUntil(Promise.all([self.clients.claim(), ahead]));
});

self.addEventListener("fetch", (event) => {
  const { mode, method } = event.request;
  if (mode === "navigate" && method === "GET") event.respondWith(page(event));
});

/** Always the server's own answer, whatever it says, even where it sends people to sign in. */
async function page({ request, preloadResponse }: FetchEvent): Promise<Response> {
  try {
    return (await preloadResponse) ?? (await fetch(request));
  } catch {
    return offlinePage(await readWords());
  }
}

interface Message {
  kind: string;
  conversation: string | null;
  title: string;
}

/** What a message says, whatever else a newer server puts there. */
function read(data: unknown): Message {
  const { kind, conversation_id: id, title } = Object(data) as Record<string, unknown>;
  return {
    kind: typeof kind === "string" ? kind : "",
    conversation: typeof id === "string" && /^[\da-f-]{36}$/.test(id) ? id : null,
    title: typeof title === "string" ? title : "",
  };
}

self.addEventListener("push", (event) => event.waitUntil(show(event)));

async function show({ data }: PushEvent) {
  // Something has to be shown, whatever came: browsers take the permission away from who shows nothing.
  const { kind, conversation, title } = read(
    await new Response(data?.text()).json().catch(() => null),
  );
  const { lang, kinds } = await readWords();
  const known: Record<string, string> = kinds;
  await self.registration.showNotification(
    (Object.hasOwn(known, kind) ? known[kind] : null) ?? kinds.other,
    {
      body: title,
      lang,
      // A later notification of a conversation takes the place of an earlier one.
      tag: conversation ?? testTag,
      icon: "/icons/192.png",
      badge: "/icons/badge.png",
      data: conversation === null ? "/settings#notifications" : `/c/${conversation}`,
    },
  );
  const all = await self.registration.getNotifications();
  const count = all.filter(({ tag }) => tag !== testTag).length;
  // Only an installed app has one.
  await navigator.setAppBadge?.(count).catch(() => undefined);
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(String(event.notification.data)));
});

/** In a page of the app that is open, else in a new one. */
async function open(path: string) {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pageFor(pages, path);
  if (page) {
    await page.focus();
    // Its address is the one that it was opened with, wherever it is by now.
    page.postMessage({ goTo: path } satisfies GoTo);
  } else await self.clients.openWindow(path);
}

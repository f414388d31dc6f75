/** What a service worker has that a page has not, as far as this one uses it. */

interface Lasting extends Event {
  waitUntil(work: Promise<unknown>): void;
}

export interface FetchEvent extends Lasting {
  readonly request: Request;
  /** What the browser has asked for already while the worker started. */
  readonly preloadResponse: Promise<Response | undefined>;
  respondWith(response: Promise<Response>): void;
}

export interface PushEvent extends Lasting {
  readonly data: { text(): string } | null;
}

export interface NotificationEvent extends Lasting {
  readonly notification: Notification;
}

export interface WindowClient {
  readonly url: string;
  focus(): Promise<WindowClient>;
  postMessage(message: unknown): void;
}

interface Events {
  install: Lasting;
  activate: Lasting;
  fetch: FetchEvent;
  push: PushEvent;
  notificationclick: NotificationEvent;
}

export interface Scope {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(which: { type: "window"; includeUncontrolled: boolean }): Promise<WindowClient[]>;
    openWindow(path: string): Promise<WindowClient | null>;
  };
  skipWaiting(): Promise<void>;
  addEventListener<Name extends keyof Events>(
    name: Name,
    listener: (event: Events[Name]) => void,
  ): void;
}

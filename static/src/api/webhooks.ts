/** Webhooks: programs that the server tells when runs end. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { when } from "../ui/format";
import { json, send } from "./client";
import { queryClient } from "./queries";
import type { Schemas } from "./types";

export type Webhook = Schemas["WebhookView"];
/** As it is answered when its secret is made: with the secret. */
export type WebhookWithSecret = Schemas["WebhookWithSecret"];
export type Delivery = Schemas["DeliveryView"];

/** What is asked of a webhook; what is left out stays as it is. */
export interface WebhookChange {
  url?: string;
  events?: readonly string[];
  include_content?: boolean;
  enabled?: boolean;
  /** Told of everybody's runs; only when it is made. */
  instance?: boolean;
}

const key = ["webhooks"] as const;
const base = "/api/webhooks";
const one = (id: string) => `${base}/${encodeURIComponent(id)}`;
const deliveriesKey = (id: string) => [...key, id, "deliveries"] as const;

const perPage = 20;
/** How often to check on what is under way, and on what is tried later or still to come. */
const soonMs = 1_500;
const laterMs = 10_000;

/** The webhooks that the reader may change: their own, and for administrators the instance's. */
export const useWebhooks = () =>
  useQuery({ queryKey: key, queryFn: () => json<Schemas["WebhookList"]>(base) });

/**
 * In how many milliseconds the list is read again: a reader who has it open waits for something to
 * arrive.
 */
function nextLook(deliveries: readonly Delivery[]): number {
  const isUnderWay = ({ status, next_attempt_at: at }: Delivery) =>
    status === "pending" && (!at || when(at).getTime() < Date.now() + laterMs);
  return deliveries.some(isUnderWay) ? soonMs : laterMs;
}

/** A webhook's deliveries, made and pending, newest first. */
export const useDeliveries = (id: string) =>
  useInfiniteQuery({
    queryKey: deliveriesKey(id),
    queryFn: ({ pageParam }) =>
      json<Schemas["DeliveryList"]>(`${one(id)}/deliveries?limit=${perPage}&offset=${pageParam}`),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => {
      const seen = pages.reduce((sum, page) => sum + page.deliveries.length, 0);
      return last.deliveries.length > 0 && seen < last.total ? seen : undefined;
    },
    refetchInterval: ({ state }) =>
      nextLook(state.data?.pages.flatMap((page) => page.deliveries) ?? []),
  });

const refresh = () => queryClient.invalidateQueries({ queryKey: key });

async function changed<T>(path: string, init: RequestInit): Promise<T> {
  const answer = await json<T>(path, init);
  await refresh();
  return answer;
}

export const makeWebhook = (wanted: WebhookChange) =>
  changed<WebhookWithSecret>(base, send("POST", wanted));
export const changeWebhook = (id: string, wanted: WebhookChange) =>
  changed<Webhook>(one(id), send("PATCH", wanted));

/**
 * It leaves the list at once, so that nobody asks for its deliveries any more. The list is read
 * again after that: until then the focus would be nowhere.
 */
export async function removeWebhook(id: string) {
  await json<unknown>(one(id), { method: "DELETE" });
  queryClient.setQueryData<Schemas["WebhookList"]>(
    key,
    (list) => list && { ...list, webhooks: list.webhooks.filter((one) => one.id !== id) },
  );
  void queryClient.invalidateQueries({ queryKey: key, exact: true });
}

export const replaceSecret = (id: string) =>
  changed<WebhookWithSecret>(`${one(id)}/secret`, send("POST", {}));
export const testWebhook = (id: string) => changed<Delivery>(`${one(id)}/test`, send("POST", {}));
export const sendAgain = (id: string, delivery: string) =>
  changed<Delivery>(
    `${one(id)}/deliveries/${encodeURIComponent(delivery)}/resend`,
    send("POST", {}),
  );

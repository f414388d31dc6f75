/** The reader's devices that are notified of their runs, also with the page closed. */
import { useQuery } from "@tanstack/react-query";
import { json, request, send } from "./client";
import { asProblem } from "./problem";
import { queryClient } from "./queries";
import type { Schemas } from "./types";

export type Device = Schemas["DeviceView"];

const key = ["devices"] as const;
const base = "/api/push/devices";
const one = (id: string) => `${base}/${encodeURIComponent(id)}`;

/** How soon to look, after a test, whether it has gone out. */
const soonMs = 2_000;

export const useDevices = (awaited: boolean) =>
  useQuery({
    queryKey: key,
    queryFn: () => json<Schemas["DeviceList"]>(base),
    refetchInterval: awaited ? soonMs : false,
  });

async function changed<T>(path: string, init: RequestInit): Promise<T> {
  const answer = await json<T>(path, init);
  await queryClient.invalidateQueries({ queryKey: key });
  return answer;
}

/** `subscription` is what the browser gives out when it subscribes. */
export const addDevice = (subscription: PushSubscriptionJSON, name: string) =>
  changed<Device>(base, send("POST", { ...subscription, name }));

export const changeDevice = (id: string, include_title: boolean) =>
  changed<Device>(one(id), send("PATCH", { include_title }));

export const testDevice = (id: string) => changed<Device>(`${one(id)}/test`, send("POST", {}));

/** It gets no more notifications; also where it was removed before. */
export async function removeDevice(id: string) {
  try {
    await changed<unknown>(one(id), { method: "DELETE" });
  } catch (error) {
    if (asProblem(error).status !== 404) throw error;
    await queryClient.invalidateQueries({ queryKey: key });
  }
}

/**
 * No device need be notified of how a run stands: its reader sees it. If this does not get through,
 * they are notified all the same.
 */
export const saw = (runId: string) =>
  request(`/api/runs/${encodeURIComponent(runId)}/seen`, send("POST", {})).catch(() => undefined);

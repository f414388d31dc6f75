/** Takes files to the server, one after the other; each is in the list from the moment it is chosen. */
import { json, request } from "../../api/client";
import { asProblem } from "../../api/problem";
import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { sentence } from "../../ui/format";
import { type ChosenFile, files } from "./chosen";
import { problemOf } from "./problems";
import { bytes } from "./size";

export type Limits = Schemas["AttachmentLimits"];

const underWay = new Map<string, AbortController>();
let line: Promise<void> = Promise.resolve();
let count = 0;

/** What can be said of a file before it is sent. */
function refusal(file: File, place: number, limits: Limits): string | null {
  if (place >= limits.max_per_question) {
    return t("At most {{count, number}} files can go with one question.", {
      count: limits.max_per_question,
    });
  }
  if (file.size > limits.max_bytes) {
    return t("It is larger than {{size}}.", { size: bytes(limits.max_bytes) });
  }
  return file.size === 0 ? t("It is empty.") : null;
}

async function upload(place: string | null, key: string, file: File) {
  const controller = underWay.get(key);
  if (!controller) return;
  const form = new FormData();
  form.append("file", file, file.name);
  try {
    const taken = await json<Schemas["Attachment"]>("/api/attachments", {
      method: "POST",
      body: form,
      signal: controller.signal,
    });
    const { id, filename: name, size } = taken;
    const twice = files.of(place).some((other) => other.id === id && other.key !== key);
    if (twice) files.remove(place, key);
    else if (taken.state === "ready") files.change(place, key, { id, name, size, state: "ready" });
    else files.change(place, key, { id, name, size, state: "failed", problem: problemOf(taken) });
  } catch (error) {
    if (controller.signal.aborted) return;
    const problem = sentence(asProblem(error).message);
    files.change(place, key, { state: "failed", problem });
  } finally {
    underWay.delete(key);
  }
}

export function add(place: string | null, chosen: readonly File[], limits: Limits) {
  for (const file of chosen) {
    const list = files.of(place);
    const problem = refusal(file, list.length, limits);
    const key = `file-${++count}`;
    const entry: ChosenFile = {
      key,
      name: file.name,
      size: file.size,
      state: problem === null ? "uploading" : "failed",
      id: null,
      problem,
    };
    files.put(place, [...list, entry]);
    if (problem !== null) continue;
    underWay.set(key, new AbortController());
    line = line.then(() => upload(place, key, file));
  }
}

/** Takes a file out again. One that cannot be read is of no use at the server, and is deleted there. */
export function remove(place: string | null, { key, id, state }: ChosenFile) {
  underWay.get(key)?.abort();
  underWay.delete(key);
  files.remove(place, key);
  if (state !== "failed" || id === null) return;
  // Otherwise the server does so within a day.
  request(`/api/attachments/${id}`, { method: "DELETE" }).catch(() => undefined);
}

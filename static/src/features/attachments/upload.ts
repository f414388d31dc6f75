/** Takes files to the server, one after the other; each is in the list from the moment it is chosen. */
import { json, request } from "../../api/client";
import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { toast } from "../../ui/toast";
import { type ChosenFile, files, knownPictures } from "./chosen";
import { formWith } from "./form";
import { notReadable, problemOf, refusalOf, sameFile, tooLarge } from "./problems";
import { isPicture, prepared } from "./shrink";

export type Limits = Schemas["AttachmentLimits"];

const underWay = new Map<string, AbortController>();
let line: Promise<void> = Promise.resolve();
let count = 0;

/** What can be said of a file before it is sent. */
function refusal(file: File, list: readonly ChosenFile[], limits: Limits): string | null {
  const usable = list.filter(({ state }) => state !== "failed");
  if (usable.length >= limits.max_per_question) {
    return t("At most {{count, number}} files can go with one question.", {
      count: limits.max_per_question,
    });
  }
  if (file.size === 0) return t("It is empty.");
  if (!isPicture(file)) return file.size > limits.max_bytes ? tooLarge(limits.max_bytes) : null;
  if (limits.max_image_bytes === 0) return t("This server takes no pictures.");
  const pictures = usable.filter(({ thumbnail }) => thumbnail !== undefined);
  return pictures.length >= limits.max_images_per_question
    ? t("At most {{count, number}} pictures can go with one question.", {
        count: limits.max_images_per_question,
      })
    : null;
}

/** What is sent of a file; null where it cannot be read, or is too large even so. */
async function ready(place: string | null, key: string, file: File, limits: Limits) {
  const problem = await notReadable(file);
  if (problem !== null) {
    files.change(place, key, { state: "failed", problem });
    return null;
  }
  if (!isPicture(file)) return file;
  const { blob, thumbnail } = await prepared(file);
  files.change(place, key, { thumbnail, size: blob.size });
  if (blob.size <= limits.max_image_bytes) return blob;
  files.change(place, key, { state: "failed", problem: tooLarge(limits.max_image_bytes) });
  return null;
}

async function upload(place: string | null, key: string, file: File, limits: Limits) {
  const controller = underWay.get(key);
  if (!controller) return;
  try {
    const sent = await ready(place, key, file, limits);
    if (!sent || controller.signal.aborted) return;
    const taken = await json<Schemas["Attachment"]>("/api/attachments", {
      method: "POST",
      body: formWith(sent, file.name),
      signal: controller.signal,
    });
    const { id, filename: name, size } = taken;
    knownPictures.note(taken);
    const first = files.of(place).find((other) => other.id === id && other.key !== key);
    if (first) {
      files.remove(place, key);
      if (first.name !== name) toast(sameFile(name, first.name));
    } else if (taken.state === "ready")
      files.change(place, key, { id, name, size, state: "ready" });
    else files.change(place, key, { id, name, size, state: "failed", problem: problemOf(taken) });
  } catch (error) {
    if (controller.signal.aborted) return;
    const takesPictures = limits.max_image_bytes > 0;
    const problem = await refusalOf(error, file, {
      most: isPicture(file) && takesPictures ? limits.max_image_bytes : limits.max_bytes,
      noPictures: takesPictures ? null : t("This server takes no pictures."),
      noRoom: t(
        "Your files take up all the room that there is for them. Delete some in the settings, or conversations that came with them.",
      ),
    });
    files.change(place, key, { state: "failed", problem });
  } finally {
    underWay.delete(key);
  }
}

export function add(place: string | null, chosen: readonly File[], limits: Limits) {
  for (const file of chosen) {
    const list = files.of(place);
    const problem = refusal(file, list, limits);
    const key = `file-${++count}`;
    const entry: ChosenFile = {
      key,
      name: file.name,
      size: file.size,
      state: problem === null ? "uploading" : "failed",
      id: null,
      problem,
      ...(isPicture(file) && { thumbnail: null }),
    };
    files.put(place, [...list, entry]);
    if (problem !== null) continue;
    underWay.set(key, new AbortController());
    line = line.then(() => upload(place, key, file, limits));
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

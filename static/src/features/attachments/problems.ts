import { asProblem } from "../../api/problem";
import type { Schemas } from "../../api/types";
import { msg, t } from "../../i18n";
import { count, sentence } from "../../ui/format";
import { contentsOf, isReadable } from "./contents";
import { bytes } from "./size";

const sentences: Readonly<Record<string, string>> = {
  encrypted: msg("It is protected by a password. Save it without one, and add that."),
  damaged: msg("It cannot be read. Save it again, or as text."),
  too_many_pages: msg("It has too many pages. Add the part that matters."),
  too_large: msg("There is too much in it. Add the part that matters."),
  no_text: msg("There is no text in it, perhaps only pictures."),
  timed_out: msg("Reading it took too long. Add the part that matters."),
};

/** The sentence for a file that the server does not accept, by its content. */
async function notTaken(file: Blob, noPictures: string | null): Promise<string> {
  const contents = await contentsOf(file);
  switch (contents.kind) {
    case "empty":
      return t("It is empty.");
    case "text in another encoding":
      return t("It is text in another encoding than UTF-8. Save it as UTF-8, and add that.");
    case "other":
      return t(
        "Files of this kind are not taken, only text of any kind in UTF-8, PDF, DOCX and pictures (PNG, JPEG, WebP, GIF).",
      );
    default:
  }
  if (noPictures !== null) return noPictures;
  if (contents.kind !== "large picture")
    return t("It is damaged, or not a picture. Save it again, and add that.");
  const { width, height } = contents;
  return t("It is {{width}} × {{height}} pixels large. Make it smaller, and add that.", {
    width: count(width),
    height: count(height),
  });
}

export const tooLarge = (most: number) => t("It is larger than {{size}}.", { size: bytes(most) });

/** Why nothing of it can be sent, if so: sent all the same, it would look as if the server could not be reached. */
export async function notReadable(file: Blob): Promise<string | null> {
  if (await isReadable(file)) return null;
  return t(
    "It cannot be read here. It may be a folder, or was moved or changed: add the files again.",
  );
}

/** A file is known by what is in it: the name that it had first stays. */
export const sameFile = (name: string, first: string) =>
  t("{{name}} is the same file as {{first}}.", { name, first });

interface Where {
  /** In bytes. */
  most: number;
  /** The sentence for pictures; null where pictures are accepted. */
  noPictures: string | null;
  /** The sentence where there is no room for it. */
  noRoom: string;
}

/** Why a file was not taken. Told by what kind of refusal it is: what the server says of it is English. */
export async function refusalOf(error: unknown, file: File, where: Where): Promise<string> {
  const { message, fields, unreadable, type, kind, status } = asProblem(error);
  if (unreadable !== null) return problemOf({ problem: message, problem_kind: unreadable });
  const isWrong = (field: string) => fields.some((one) => one.field === field);
  switch (type) {
    case "file-not-taken":
      return notTaken(file, where.noPictures);
    case "file-too-large":
      return tooLarge(where.most);
    case "no-room":
      return where.noRoom;
    case "full":
      return t("Too many files are being read just now. Add it again in a moment.");
    case "invalid":
      if (isWrong("filename"))
        return t("Its name cannot be used. Give it a shorter one, such as notes.txt.");
      if (isWrong("file")) return t("It is empty.");
      if (isWrong("body")) return t("It did not arrive in full. Add it again.");
      break;
    default:
  }
  if (kind === "restarting") return t("It could not be taken just now. Add it again in a moment.");
  // The server itself says how large a file may be.
  if (status === 413 && type === "") {
    return t(
      "The proxy in front of this server lets nothing this large through. Tell whoever runs the server.",
    );
  }
  const words = fields[0]?.message ?? message;
  // A name is written as it is.
  return words.startsWith(file.name) ? words : sentence(words);
}

/** Why nothing can be read of a file. */
export function problemOf({
  problem,
  problem_kind,
}: Pick<Schemas["Attachment"], "problem" | "problem_kind">): string {
  const known = problem_kind ? sentences[problem_kind] : undefined;
  return known ? t(known) : (problem ?? "");
}

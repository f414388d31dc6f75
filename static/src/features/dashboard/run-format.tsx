/** Which formats are counted: one, or all of them. */
import { useCallback } from "react";
import { msg, t } from "../../i18n";
import { Choice } from "./choice";
import { useQueryOf } from "./use-span";

export type RunFormat = "council" | "debate" | "arena" | "decomposition";

const names: Record<RunFormat | "all", string> = {
  all: msg("All formats"),
  council: msg("Council"),
  debate: msg("Debate"),
  arena: msg("Arena"),
  decomposition: msg("In parts"),
};

const formats = Object.keys(names) as (keyof typeof names)[];

export const isRunFormat = (format: string): format is RunFormat =>
  format !== "all" && Object.hasOwn(names, format);

/** The format in the page's address; null where it names none that there is. */
export function readFormat(query: URLSearchParams): RunFormat | null {
  const found = formats.find((name) => name === query.get("format"));
  return found === undefined || found === "all" ? null : found;
}

/** Writes it into an address, and nothing where all are counted. */
export function writeFormat(query: URLSearchParams, format: RunFormat | null): URLSearchParams {
  const next = new URLSearchParams(query);
  if (format) next.set("format", format);
  else next.delete("format");
  return next;
}

/** The format in the address, so that it stays with a reload, a link, and the way back. */
export function useFormat(): [RunFormat | null, (format: RunFormat | null) => void] {
  const [query, write] = useQueryOf();
  const choose = useCallback(
    (format: RunFormat | null) => write(writeFormat(query, format)),
    [query, write],
  );
  return [readFormat(query), choose];
}

/** The format in words, for the middle of a sentence. */
export const formatText = (format: RunFormat) => t(names[format]);

export function FormatBar({
  format,
  onChoose,
}: {
  format: RunFormat | null;
  onChoose: (format: RunFormat | null) => void;
}) {
  return (
    <Choice
      label={t("Formats to count")}
      options={formats.map((name) => [name, t(names[name])])}
      value={format ?? "all"}
      onChoose={(name) => onChoose(name === "all" ? null : name)}
    />
  );
}

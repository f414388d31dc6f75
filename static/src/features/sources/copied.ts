/** The sources as Markdown, for the clipboard: what a text cites would say nothing without them. */
import type { FoundSource } from "../../api/types";
import { t } from "../../i18n";
import { neutral } from "../../markdown/neutral";
import type { RunState } from "../../run/state";
import { hostOf, webAddress } from "../citing/address";
import { citedIn } from "./cited";
import { sourcesOf } from "./state";

function line(source: FoundSource): string {
  const url = webAddress(source.url);
  const title = neutral(source.title.replace(/\s+/g, " ").trim());
  return `- [${source.n}] ${title || hostOf(source)}${url ? ` <${url.href}>` : ""}`;
}

export function copied(run: RunState, what: "all" | "final"): string[] {
  const { byFinal } = citedIn(run);
  const sources = sourcesOf(run).filter(({ n }) => what === "all" || byFinal.has(n));
  if (sources.length === 0) return [];
  return [`## ${t("Sources")}`, sources.map(line).join("\n")];
}

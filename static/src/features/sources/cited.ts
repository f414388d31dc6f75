/** Who cites which source, and which numbers belong to none. */
import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import { shortName } from "../../ui/format";
import { textsOf } from "../formats";

export interface Cited {
  /** The final answer cites it. */
  readonly byFinal: ReadonlySet<number>;
  /** By number of the source: who else cites it. */
  readonly byMembers: ReadonlyMap<number, readonly string[]>;
  /** By name: how many numbers it cites that are no source's. */
  readonly invented: readonly (readonly [name: string, count: number])[];
}

export function citedIn(run: RunState): Cited {
  const byMembers = new Map<number, string[]>();
  const invented = new Map<string, number>();
  const count = (name: string, unknown: readonly number[] | undefined) => {
    if (unknown?.length) invented.set(name, (invented.get(name) ?? 0) + unknown.length);
  };
  for (const { seat, result } of textsOf(run)) {
    const name = shortName(seat.member);
    for (const n of result?.citations?.cited ?? []) {
      const names = byMembers.get(n) ?? [];
      if (!names.includes(name)) byMembers.set(n, [...names, name]);
    }
    count(name, result?.citations?.unknown);
  }
  const final = run.synthesis.result?.citations;
  count(t("Final answer"), final?.unknown);
  return { byFinal: new Set(final?.cited), byMembers, invented: [...invented] };
}

export const isCited = ({ byFinal, byMembers }: Cited, n: number) =>
  byFinal.has(n) || byMembers.has(n);

/** The final answer before it was final: who writes it, and what it was before a feature came to it. */
import { isLive, type RunState } from "../../run/state";
import { features } from "..";
import { stagesAt } from "./stages";

/** Who writes the final answer, where it is not one chairman. */
export function authorOf(run: RunState): "several" | "member" | null {
  for (const { author } of features) {
    const who = author?.(run);
    if (who) return who;
  }
  return null;
}

/** Whether the final answer is a draft still, because a later stage may change it. */
export const isDraft = (run: RunState) =>
  isLive(run) && stagesAt("last").some(({ key }) => key === run.phase);

/** The final answer as it stood before this feature: as those before it in the list have left it. */
export function answerBefore(name: string, run: RunState): string {
  const at = features.findIndex((feature) => feature.name === name);
  const earlier = features.slice(0, at).flatMap(({ revision }) => revision?.(run) ?? []);
  const { result, text } = run.synthesis;
  return earlier.at(-1) ?? result?.draft ?? result?.response ?? text;
}

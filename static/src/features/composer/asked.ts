/** What the composer asks, from what is typed and chosen in it. */
import { useMemo } from "react";
import { readConfigIn, useConfigIn } from "../../api/projects";
import { presetsQuery, useConfig, usePresets, whenRead } from "../../api/queries";
import type { Ask, Preset } from "../../api/types";
import type { Choices } from "../feature";
import { type Scene, sceneOf, toAsk } from "../options/choices";
import { type Draft, useDraft } from "./draft";

/** The one that a draft names: a link may name it as people do, by its name. */
const presetOf = ({ preset }: Pick<Draft, "preset">, presets: readonly Preset[] | undefined) =>
  presets?.find((one) => one.id === preset || one.name === preset) ?? null;

/**
 * What is typed and chosen, and what the next run will be asked with, in this project if in one: once `isRead`, which is when all
 * of it has come from the server.
 */
export function useAsking(place: string | null, project: string | null) {
  const draft = useDraft(place);
  const settings = useConfig();
  const config = useConfigIn(project);
  const presets = usePresets();
  const preset = presetOf(draft, presets.data);
  const scene = useMemo(
    () => sceneOf(draft.choices, config, preset),
    [draft.choices, config, preset],
  );
  // Where the settings cannot be read, the server takes what they say without this page.
  const isRead =
    (config !== undefined || settings.isError) && (draft.preset === null || !presets.isPending);
  return { draft, config, presets: presets.data, preset, scene, isRead };
}

/**
 * What a question that is not typed is asked with, in this project if in one: what is chosen in a draft, and for this question on top
 * of that. Resolves once all that it depends on has come from the server, or cannot be read.
 */
export async function readScene(
  draft: Pick<Draft, "choices" | "preset">,
  own: Partial<Choices>,
  project: string | null,
): Promise<Scene> {
  const [config, presets] = await Promise.all([
    readConfigIn(project),
    draft.preset === null ? undefined : whenRead(presetsQuery),
  ]);
  return sceneOf({ ...draft.choices, ...own }, config, presetOf(draft, presets));
}

/** The council that was chosen for the question, as a request says it. */
export function councilIn({ models, chairman }: Pick<Draft, "models" | "chairman">): Partial<Ask> {
  return {
    ...(models.length > 0 && { models: [...models] }),
    ...(chairman !== null && { chairman_model: chairman }),
  };
}

/** The question to the whole council. */
export function askedOf(draft: Draft, scene: Scene): Ask {
  const asked: Ask = { content: draft.content, ...toAsk(scene), ...councilIn(draft) };
  if (draft.systemPrompt.trim()) asked.system_prompt = draft.systemPrompt;
  return asked;
}

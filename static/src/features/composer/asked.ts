/** What the composer asks, from what is typed and chosen in it. */
import { useMemo } from "react";
import { useConfigIn } from "../../api/projects";
import { useConfig, usePresets } from "../../api/queries";
import type { Ask } from "../../api/types";
import { type Scene, sceneOf, toAsk } from "../options/choices";
import { type Draft, useDraft } from "./draft";

/**
 * What is typed and chosen, and what the next run will be asked with, in this project if in one: once `isRead`, which is when all
 * of it has come from the server.
 */
export function useAsking(place: string | null, project: string | null) {
  const draft = useDraft(place);
  const settings = useConfig();
  const config = useConfigIn(project);
  const presets = usePresets();
  // A link may name it as people do, by its name.
  const preset =
    presets.data?.find((one) => one.id === draft.preset || one.name === draft.preset) ?? null;
  const scene = useMemo(
    () => sceneOf(draft.choices, config, preset),
    [draft.choices, config, preset],
  );
  // Where the settings cannot be read, the server takes what they say without this page.
  const isRead =
    (config !== undefined || settings.isError) && (draft.preset === null || !presets.isPending);
  return { draft, config, presets: presets.data, preset, scene, isRead };
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

/** The question of a schedule, as it is typed and chosen, and as a request says it. */
import { useConfigIn } from "../../api/projects";
import { usePresets } from "../../api/queries";
import type { Ask } from "../../api/types";
import type { Choices } from "../feature";
import { readChoices, sceneOf, toAsk } from "../options/choices";

export interface Asked {
  content: string;
  choices: Partial<Choices>;
  preset: string | null;
  /** What no choice of the form stands for: it stays as it is. */
  others: Partial<Ask>;
}

const typed: readonly string[] = ["content", "preset_id"];
/** What a schedule has none of: each time is the first question of a conversation. */
const unwanted: readonly string[] = ["new_conversation", "parent_message_id", "attachments"];

/** What stands in a request. */
export function askedIn(request: Partial<Ask>): Asked {
  const choices = readChoices(request);
  const others = Object.entries(request).filter(
    ([name]) => !(name in choices) && !typed.includes(name) && !unwanted.includes(name),
  );
  return {
    content: request.content ?? "",
    choices,
    preset: request.preset_id ?? null,
    others: Object.fromEntries(others),
  };
}

/** What can be chosen for it, and the request that is made of it. */
export function useAskedOf({ content, choices, preset: id, others }: Asked) {
  const config = useConfigIn(others.project_id ?? null);
  const presets = usePresets().data;
  const preset = presets?.find((one) => one.id === id) ?? null;
  const scene = sceneOf(choices, config, preset);
  const request: Ask = { ...others, ...toAsk(scene), content };
  // One that is gone: the server says so.
  if (id !== null) request.preset_id = id;
  return { scene, presets, preset, request };
}

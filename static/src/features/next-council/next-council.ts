/** Who answers the next question: the council of the settings or the preset, or one that was put together for it. */
import type { Config, CouncilMember } from "../../api/types";
import type { Draft } from "../composer/draft";

export interface NextCouncil {
  members: readonly CouncilMember[];
  /** Its model, and what people call it. */
  chairman: { model: string; name: string };
  /** Whether it is another one than that of the settings or the preset. */
  isOther: boolean;
}

/** `config` includes what a preset changes. */
export function nextCouncil(
  { models, chairman }: Pick<Draft, "models" | "chairman">,
  config: Config,
): NextCouncil {
  return {
    members: models.length > 0 ? models : config.council_models,
    chairman:
      chairman === null
        ? { model: config.chairman_model, name: config.chairman_alias || config.chairman_model }
        : { model: chairman, name: chairman },
    isOther: models.length > 0 || chairman !== null,
  };
}

export const nameOf = ({ alias, model }: CouncilMember) => alias ?? model;

const isSame = (one: readonly CouncilMember[], other: readonly CouncilMember[]) =>
  one.length === other.length &&
  one.every(
    ({ model, alias }, at) =>
      model === other[at]?.model && (alias ?? null) === (other[at]?.alias ?? null),
  );

/** What is kept of a choice: nothing where it is that of the settings or the preset again. */
export const keptOf = (members: readonly CouncilMember[], config: Config) =>
  isSame(members, config.council_models) ? [] : members;

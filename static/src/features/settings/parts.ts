/**
 * The features' parts of the council's form. They are found by the names of their files: a list of them
 * would be a second one, and the first is loaded with the page, long before anybody opens the settings.
 */

import type { SettingsPart } from "../feature";
import { starts } from "../list";

const found = import.meta.glob<SettingsPart<object>>("../*/settings.tsx", {
  eager: true,
  import: "settings",
});

export interface NamedPart {
  name: string;
  title: string;
  part: SettingsPart<object>;
}

export const parts: readonly NamedPart[] = starts.flatMap(({ name, title }) => {
  const part = found[`../${name}/settings.tsx`];
  return part ? [{ name, title, part }] : [];
});

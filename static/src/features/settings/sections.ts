import { msg } from "../../i18n";
import { parts } from "./parts";
import type { Sections } from "./section-nav";

/** The parts of the council's form, in its order. */
export const councilSections: Sections = [
  ["members", msg("Members")],
  ["roles", msg("Chairman and helpers")],
  ["rules", msg("Rules")],
  ...parts.map(({ name, title }) => [name, title] as const),
  ["default-options", msg("Default options")],
];

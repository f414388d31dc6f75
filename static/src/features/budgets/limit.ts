import type { Bounds } from "../../ui/numbers";

/** What a limit may be, in US dollars. */
export const limitBounds: Bounds = { least: 0, most: 10_000_000, money: true };

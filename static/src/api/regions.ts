/** Where a provider with regions is asked. */
import { useQuery } from "@tanstack/react-query";
import { json } from "./client";
import type { Config, Schemas } from "./types";

export type RegionList = Schemas["RegionList"];
/** What a change of the region did to the models that the settings name. */
export type RegionReport = Schemas["RegionReport"];

/** Whether a provider has regions to choose among. */
export const hasRegion = ({ region }: Pick<Config, "region">) =>
  region !== undefined && region !== null;

export const useRegions = (enabled = true) =>
  useQuery({
    enabled,
    queryKey: ["regions"],
    queryFn: () => json<RegionList>("/api/settings/regions"),
    staleTime: 300_000,
  });

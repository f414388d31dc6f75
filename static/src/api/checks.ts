/** What an examination of the server, its providers and its models found. */
import { json, send } from "./client";
import type { Schemas } from "./types";

export type CheckState = Schemas["CheckState"];
export type CheckFact = Schemas["CheckFact"];
export type ProbeFact = Schemas["CheckProbeFact"];
export type CheckAdvice = Schemas["CheckAdvice"];
export type CheckVerdict = Schemas["CheckVerdict"];
export type Check = Schemas["Check"];
export type ProviderCheck = Schemas["ProviderCheck"];
export type ModelCheck = Schemas["ModelCheck"];
export type CheckReport = Schemas["CheckReport"];
export type CheckRequest = Partial<Schemas["CheckRequest"]>;

/** Takes as long as the slowest model; refused with 409 while another one is under way. */
export const checkProviders = (asked: CheckRequest) =>
  json<CheckReport>("/api/admin/providers/check", send("POST", asked));

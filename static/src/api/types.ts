/**
 * The names of the API's shapes, as the rest of the app uses them: aliases of what the server
 * describes (`npm run generate`). A change of the API that matters here does not compile.
 */
import type { components } from "./schema";

/** Whatever has no name here: a feature names its own. */
export type Schemas = components["schemas"];

export type ErrorKind = Schemas["ErrorKind"];
export type Reason = Schemas["Reason"];
export type Usage = Schemas["Usage"];
export type Answer = Schemas["Answer"];
export type Review = Schemas["Review"];
export type ParseKind = Schemas["Parse"];
export type Synthesis = Schemas["Synthesis"];
export type Editorial = Schemas["Editorial"];
export type AggregateConfidence = Schemas["AggregateConfidence"];
export type Seat = Schemas["Seat"];
export type Abstention = Schemas["Abstention"];
export type RunStatus = Schemas["RunStatus"];

export type RunResult = Schemas["RunResult"];
/** What of a run is to be asked again; without any field, what failed or was not reached. */
export type Again = Pick<Schemas["RetryRequest"], "member" | "round" | "from">;

export type Conversation = Schemas["Conversation"];
export type ConversationSummary = Schemas["ConversationSummary"];
export type Message = Schemas["Message"];
export type AssistantMessage = Extract<Message, { role: "assistant" }>;
export type UserMessage = Extract<Message, { role: "user" }>;
export type Metadata = Schemas["Metadata"];
export type AggregateRow = Schemas["AggregateRow"];
export type AggregateFacts = Schemas["AggregateFacts"];
export type Stage = Schemas["Stage"];
export type StageCosts = Schemas["StageCosts"];
export type Costs = Schemas["Costs"];
export type CouncilEvent = Schemas["Event"];
export type Ignored = Schemas["Ignored"];
export type OwnPrompt = Schemas["OwnPrompt"];

export type NoteCategory = Schemas["NoteCategory"];

export type BudgetState = Schemas["BudgetState"];
export type Estimate = Schemas["MessageEstimate"];
export type MissingModel = Schemas["MissingModel"];
export type BudgetRefusal = Schemas["BudgetRefusal"];
export type AdminBudgets = Schemas["Budgets"];
/** Limits as they are sent: what was typed and is no number is the server's to refuse. */
type Typed<T, Field extends keyof T> = Omit<T, Field> & {
  [Key in Field]: number | string | null;
};
export type Caps = Typed<Schemas["CapsRequest"], keyof Schemas["CapsRequest"]>;
export type BudgetChange = Typed<Schemas["BudgetRequest"], "limit_usd">;

export type User = Schemas["Me"];
export type Config = Schemas["ConfigView"];
export type CouncilMember = Schemas["Member"];
type Layer = Schemas["SettingsLayer"];
/**
 * What `PUT /api/config` takes; a field that is left out stays as it is. What a person typed where a
 * number belongs is sent as typed when it is none: the server says what is wrong with it.
 */
export type ConfigChange = {
  [Key in keyof Layer]?: Layer[Key] extends number | null ? number | string | null : Layer[Key];
};
/** A council with its options, under a name. `options` are fields of a request. */
export type Preset = Omit<Schemas["PresetView"], "options"> & { options: Record<string, unknown> };
export type Model = Schemas["ModelInfo"];
export type ModelList = Schemas["ModelList"];
export type Token = Schemas["TokenView"];
/** What a question may be asked with. */
export type AskFields = Schemas["MessageRequest"];
export type Ask = Pick<AskFields, "content"> & Partial<AskFields>;

/** A token as it is answered once, when it is made: with its secret. */
export type NewToken = Schemas["CreatedToken"];
export type Tags = Schemas["Tags"];
/** Which build of the server answers. */
export type VersionInfo = Schemas["VersionInfo"];
export type SearchHit = Schemas["SearchHit"];
/** What a person thinks of a run. */
export type Feedback = Omit<Schemas["FeedbackView"], "thumb"> & { thumb?: "up" | "down" | null };

/** A sum of costs, with what it leaves out and what in it is an estimate. */
export type Money = Schemas["Money"];
export type Analytics = Schemas["Analytics"];
export type ModelFigures = Schemas["ModelFigures"];
export type DayFigures = Schemas["DayFigures"];
export type Chairmen = Schemas["Chairmen"];
export type ChairmanFigures = Schemas["ChairmanFigures"];
export type Pair = Schemas["Pair"];
export type HeadToHead = Schemas["HeadToHead"];
export type Leaderboard = Schemas["Leaderboard"];
export type Rank = Schemas["Rank"];
/** What a leaderboard is made of: the reviewers' ballots, or people's words. */
export type RatingSource = Schemas["Source"];
export type Reviewer = Schemas["Reviewer"];
export type Reviewers = Schemas["Reviewers"];
export type Leaning = Schemas["Leaning"];
export type AgainstBest = Schemas["AgainstBest"];
export type Recent = Schemas["Recent"];
export type RecentRun = Schemas["RecentRun"];
export type UsageReport = Schemas["UsageReport"];
export type UsageRow = Schemas["UsageRow"];
export type UserRow = Schemas["UserRow"];
export type RunRow = Schemas["RunRow"];
export type AuditEntry = Schemas["AuditEntry"];
/** What a search has found, under its number in the run. */
export type FoundSource = Schemas["FoundSource"];
/** The fields of a text's result that tell what it rests on. */
export type Searched = Partial<Pick<Answer, "citations" | "tool_calls_made" | "tools_refused">>;

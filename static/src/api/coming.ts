/** What the server will say of the options that it does not describe yet. */

export interface BudgetState {
  scope: "instance" | "group" | "user";
  name?: string | null;
  period: "run" | "day" | "month";
  set_by: "config" | "admin" | "oneself";
  limit_usd: number;
  spent_usd: number;
  reserved_usd: number;
  unknown_cost_calls: number;
  resets_at?: string | null;
}

export interface BudgetEvent {
  type: "budget_warning";
  data: BudgetState;
}

export type ComingEvent = BudgetEvent;

export interface ComingMetadata {
  budget_warnings?: BudgetState[];
}

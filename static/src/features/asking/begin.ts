import { missingPartProblem, networkProblem } from "../../api/problem";
import type { Ask } from "../../api/types";
import { Turns } from "../../pages/conversation";
import { newIn } from "../composer/draft";
import { newDraft, setRefusal } from "./refusals";

/** Begins a conversation, with what shows it at hand. */
export async function begin(body: Ask): Promise<string | null> {
  try {
    const [session] = await Promise.all([import("./session"), Turns.load()]);
    return session.begin(body);
  } catch {
    setRefusal(
      newIn(body.project_id) ?? newDraft,
      navigator.onLine ? missingPartProblem() : networkProblem(),
    );
    return null;
  }
}

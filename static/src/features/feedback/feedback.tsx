import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { api } from "../../api/client";
import { asProblem } from "../../api/problem";
import { keys, queryClient } from "../../api/queries";
import type { Feedback as Said } from "../../api/types";
import type { RunState } from "../../run/state";
import { shortName } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { toast } from "../../ui/toast";

type Opinion = Pick<Said, "thumb" | "better">;

async function say(runId: string, opinion: Opinion) {
  const key = keys.feedback(runId);
  const before = queryClient.getQueryData<Said>(key);
  queryClient.setQueryData<Said>(key, (old) => old && { ...old, ...opinion });
  try {
    if (opinion.thumb === null && opinion.better === null) await api.withdrawFeedback(runId);
    else queryClient.setQueryData(key, await api.giveFeedback(runId, opinion));
  } catch (error) {
    queryClient.setQueryData(key, before);
    toast(`Not noted: ${asProblem(error).message}`, { tone: "bad" });
  }
}

const nameOf = (better: Said["better"]) =>
  better === null || better === undefined
    ? ""
    : better === "council"
      ? "council"
      : `member ${better.member}`;

/** Whether the final answer was good, and which answer was the best of all. */
export default function Feedback({ run, runId }: { run: RunState; runId: string }) {
  const id = useId();
  const said = useQuery({
    queryKey: keys.feedback(runId),
    queryFn: () => api.feedback(runId),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!said.data) return null;
  const { thumb = null, better = null } = said.data;
  const members = run.answers.filter((answer) => answer.status === "done");
  return (
    <div className="feedback">
      {(["up", "down"] as const).map((way) => (
        <button
          key={way}
          type="button"
          className="icon-button"
          aria-label={way === "up" ? "Good answer" : "Bad answer"}
          aria-pressed={thumb === way}
          onClick={() => say(runId, { thumb: thumb === way ? null : way, better })}
        >
          <Icon name={way === "up" ? "thumb" : "thumbDown"} />
        </button>
      ))}
      {members.length > 1 && (
        <>
          <label htmlFor={id} className="visually-hidden">
            Which answer was the best?
          </label>
          <select
            id={id}
            className="chip"
            value={nameOf(better)}
            onChange={({ target: { value } }) =>
              say(runId, {
                thumb,
                better:
                  value === ""
                    ? null
                    : value === "council"
                      ? "council"
                      : { member: value.slice("member ".length) },
              })
            }
          >
            <option value="">Which was best?</option>
            <option value="council">The final answer</option>
            {members.map(({ seat }) => (
              <option key={seat.member} value={`member ${seat.member}`}>
                {shortName(seat.member)}
              </option>
            ))}
          </select>
        </>
      )}
    </div>
  );
}

import type { AdversaryState } from "../../run/adversary";

/** The devil's advocate in a line: how grave it is, and what came of it. */
export function AdversarySummary({ adversary }: { adversary: AdversaryState }) {
  const { severity, status } = adversary;
  const outcome =
    status === "attacking"
      ? "attacking the answer"
      : status === "revising"
        ? "the answer is revised"
        : adversary.revised
          ? "revised"
          : adversary.error
            ? "failed"
            : severity === "none"
              ? "nothing found"
              : "not revised";
  return (
    <>
      {severity && severity !== "none" && (
        <span className={`badge severity-${severity}`}>{severity}</span>
      )}{" "}
      {outcome}
    </>
  );
}

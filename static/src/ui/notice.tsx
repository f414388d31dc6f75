import type { ReactNode } from "react";
import { Icon } from "./icon";

export type Tone = "plain" | "warn" | "bad";

/** A boxed sentence that must not be missed; `urgent` ones are read out at once. */
export function Notice({
  tone = "plain",
  urgent = false,
  children,
}: {
  tone?: Tone;
  urgent?: boolean;
  children: ReactNode;
}) {
  return (
    <div className={`notice notice-${tone}`} {...(urgent ? { role: "alert" } : {})}>
      {tone !== "plain" && <Icon name="alert" />}
      <div>{children}</div>
    </div>
  );
}

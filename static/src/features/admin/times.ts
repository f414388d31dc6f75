import { dateFormat, when } from "../../ui/format";

const clock = dateFormat({ dateStyle: "medium", timeStyle: "short" });
const exact = dateFormat({ dateStyle: "medium", timeStyle: "medium" });

/** A time from the server, in the reader's own zone. */
export const timeOf = (text: string) => clock(when(text));
/** With seconds: in a log the order matters. */
export const exactTimeOf = (text: string) => exact(when(text));

/** From one time to another, in milliseconds; null while the end is not there. */
export const lasted = (from: string, until: string | null | undefined) =>
  until ? when(until).getTime() - when(from).getTime() : null;

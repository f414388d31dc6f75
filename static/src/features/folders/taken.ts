import { t } from "../../i18n";
import { readForm } from "../../ui/wrong";

/** The longest name of a folder, in characters. */
export const nameLength = 60;

/** The name of a folder, as it is sent once nothing is seen to be wrong with it. */
export function readName(typed: string): string {
  const read = readForm();
  // The server makes one space of several, too.
  const name = read.name("name", typed.replace(/\s+/g, " "), nameLength);
  read.insist();
  return name;
}

/** What can be wrong with a name that is there and not too long. */
export const takenName = () => ({ name: t("You already have a folder with this name.") });

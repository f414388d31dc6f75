/**
 * Variables of a prompt: `{{team}}` is one, called `team`. A name has letters, digits, spaces, `_` and `-`, and
 * 40 characters at most; anything else between braces is text, as are braces that nothing closes.
 */

const longest = 40;
const variable = new RegExp(
  `\\{\\{[ \\t]*([\\p{L}\\p{N}][\\p{L}\\p{N}_\\- ]{0,${longest - 1}}?)[ \\t]*\\}\\}`,
  "gu",
);

/** Their names in the order in which they first come, each once. */
export function variablesOf(text: string): string[] {
  return [...new Set([...text.matchAll(variable)].map(([, name = ""]) => name))];
}

/** The text with values in the places of variables; one without a value stays as it is. A value is text: what looks
 * like a variable in it is none. */
export function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(variable, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  );
}

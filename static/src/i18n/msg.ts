/** Marks a text for the catalogue that is translated later, with `t`. */
export const msg = <Text extends string>(text: Text): Text => text;

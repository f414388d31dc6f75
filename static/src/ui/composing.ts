/**
 * Whether a key is for the input method, which picks a candidate by it, or ends what is composed. Safari ends the composition
 * before it says by which key: 229 means that it was this one.
 */
export const isForInputMethod = ({ isComposing, keyCode }: KeyboardEvent) =>
  isComposing || keyCode === 229;

/** One of a few, side by side. */
export function Choice<T extends string>({
  label,
  options,
  value,
  onChoose,
}: {
  label: string;
  options: readonly (readonly [T, string])[];
  value: T;
  onChoose: (value: T) => void;
}) {
  return (
    <fieldset className="choice" aria-label={label}>
      {options.map(([name, text]) => (
        <button
          key={name}
          type="button"
          className="choice-button"
          aria-pressed={name === value}
          onClick={() => onChoose(name)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}

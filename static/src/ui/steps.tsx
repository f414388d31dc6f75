import { useId } from "react";

interface Props<T extends number | string> {
  id?: string;
  legend: string;
  /** The legend is for those who hear: the same stands beside it. */
  isNamed?: boolean;
  values: readonly T[];
  value: T;
  text: (value: T) => string;
  onChange: (value: T) => void;
}

/** One of a few, side by side. */
export function Steps<T extends number | string>({
  id,
  legend,
  isNamed = false,
  values,
  value,
  text,
  onChange,
}: Props<T>) {
  const name = useId();
  return (
    <fieldset id={id} className="steps">
      <legend className={isNamed ? "visually-hidden" : undefined}>{legend}</legend>
      {values.map((one) => (
        <label key={one} className="step">
          <input
            type="radio"
            className="visually-hidden"
            name={name}
            checked={one === value}
            onChange={() => onChange(one)}
          />
          <span>{text(one)}</span>
        </label>
      ))}
    </fieldset>
  );
}

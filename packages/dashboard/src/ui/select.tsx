import type { SelectHTMLAttributes } from "react";
import { buttonClass } from "./button.tsx";

const looks = { field: "control", button: buttonClass() } as const;

/**
 * A choice of one: the browser's own element, so phones, keyboards and screen readers treat it as they do everywhere, with the look
 * of the app's menus where the browser allows it (docs/decisions/0022-choices.md). As a button it is for rows of buttons.
 */
export function Select<Value extends string>({
  look = "field",
  className = "",
  options,
  value,
  onChange,
  ...rest
}: Omit<SelectHTMLAttributes<HTMLSelectElement>, "onChange"> & {
  readonly look?: keyof typeof looks;
  readonly options: ReadonlyArray<readonly [value: Value, name: string]>;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}) {
  return (
    <select
      {...rest}
      className={`choice ${looks[look]} ${className}`}
      onChange={(event) => onChange(event.target.value as Value)} // the values below
      value={value}
    >
      {options.map(([optionValue, name]) => (
        <option key={optionValue} value={optionValue}>
          {name}
        </option>
      ))}
    </select>
  );
}

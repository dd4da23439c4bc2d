import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import { Field } from "../../../components/layout.tsx";

type ChoiceProps<Value extends string> = Readonly<{
  id: string;
  label: string;
  hint?: string;
  value: Value;
  options: readonly (readonly [value: Value, label: string])[];
  onChange: (value: Value) => void;
}>;

/** A field that takes one of a few values. */
export function Choice<Value extends string>({ id, label, hint, value, options, onChange }: ChoiceProps<Value>) {
  return (
    <Field label={label} htmlFor={id} {...(hint !== undefined && { hint })}>
      <Select
        fullWidth
        displayEmpty
        value={value}
        onChange={(event) => {
          const chosen = options.find(([option]) => option === event.target.value);
          if (chosen) onChange(chosen[0]);
        }}
        inputProps={{ id, "aria-label": label }}
      >
        {options.map(([option, text]) => (
          <MenuItem key={option} value={option}>
            {text}
          </MenuItem>
        ))}
      </Select>
    </Field>
  );
}

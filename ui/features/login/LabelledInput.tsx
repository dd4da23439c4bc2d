import OutlinedInput, { type OutlinedInputProps } from "@mui/material/OutlinedInput";
import { type ReactNode, useId } from "react";
import { Field } from "../../components/layout.tsx";

type Props = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  hint?: ReactNode;
  error?: string | undefined;
  optional?: string | undefined;
  /** Cut off beyond this many characters, as people count them, but not within a word that is being composed. */
  maxCharacters?: number;
} & Pick<
  OutlinedInputProps,
  "name" | "type" | "autoComplete" | "autoFocus" | "endAdornment" | "placeholder" | "inputProps"
>;

/** A line of text with its label, and what is wrong with it. */
export const LabelledInput = ({ label, value, onChange, hint, error, optional, maxCharacters, ...input }: Props) => {
  const id = useId();
  const cut = (text: string) => (maxCharacters === undefined ? text : [...text].slice(0, maxCharacters).join(""));
  return (
    <Field label={label} htmlFor={id} hint={hint} error={error} optional={optional}>
      <OutlinedInput
        {...input}
        id={id}
        fullWidth
        error={error !== undefined}
        value={value}
        onChange={({ target, nativeEvent }) => {
          const isComposing = "isComposing" in nativeEvent && nativeEvent.isComposing === true;
          onChange(isComposing ? target.value : cut(target.value));
        }}
        onCompositionEnd={(event) => onChange(cut((event.target as HTMLInputElement).value))}
      />
    </Field>
  );
};

import { useId } from "react";
import { Field } from "../../components/layout.tsx";
import { PasswordInput } from "../../components/PasswordInput.tsx";

type Props = {
  name: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
  autoComplete: "current-password" | "new-password";
  hint?: string;
  error?: string | undefined;
};

/** A password with its label, and what is wrong with it. */
export const PasswordField = ({ name, label, value, onChange, autoComplete, hint, error }: Props) => {
  const id = useId();
  return (
    <Field label={label} htmlFor={id} hint={hint} error={error}>
      <PasswordInput
        id={id}
        name={name}
        value={value}
        onChange={onChange}
        autoComplete={autoComplete}
        hasError={error !== undefined}
      />
    </Field>
  );
};

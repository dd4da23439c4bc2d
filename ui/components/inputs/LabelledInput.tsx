import VisibilityOffOutlined from "@mui/icons-material/VisibilityOffOutlined";
import VisibilityOutlined from "@mui/icons-material/VisibilityOutlined";
import IconButton from "@mui/material/IconButton";
import InputAdornment from "@mui/material/InputAdornment";
import OutlinedInput, { type OutlinedInputProps } from "@mui/material/OutlinedInput";
import { type ReactNode, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Field } from "../layout.tsx";

type TextInputProps = Omit<OutlinedInputProps, "value" | "onChange" | "onCompositionEnd"> & {
  value: string;
  onChange: (value: string) => void;
  /** Maximum length in characters (not code units); not enforced during IME composition. */
  maxCharacters?: number | undefined;
};

/** An input of text, as long as it may be. */
export const TextInput = ({ onChange, maxCharacters, ...input }: TextInputProps) => {
  const cut = (text: string) => (maxCharacters === undefined ? text : [...text].slice(0, maxCharacters).join(""));
  return (
    <OutlinedInput
      fullWidth
      {...input}
      onChange={({ target, nativeEvent }) => {
        const isComposing = "isComposing" in nativeEvent && nativeEvent.isComposing === true;
        onChange(isComposing ? target.value : cut(target.value));
      }}
      onCompositionEnd={({ target }) => {
        if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) onChange(cut(target.value));
      }}
    />
  );
};

type LabelledInputProps = {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  optional?: string | undefined;
} & Omit<TextInputProps, "id" | "error">;

/** A text field with its label and error. */
export const LabelledInput = ({ label, hint, error, optional, ...input }: LabelledInputProps) => {
  const id = useId();
  return (
    <Field label={label} htmlFor={id} hint={hint} error={error} optional={optional}>
      <TextInput {...input} id={id} error={error !== undefined} />
    </Field>
  );
};

type PasswordFieldProps = {
  name: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
  autoComplete: "current-password" | "new-password";
  hint?: string;
  error?: string | undefined;
};

/** A password field with its label and error. */
export const PasswordField = ({ name, label, value, onChange, autoComplete, hint, error }: PasswordFieldProps) => {
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

type PasswordInputProps = {
  id: string;
  name: string;
  value: string;
  onChange: (value: string) => void;
  autoComplete: "current-password" | "new-password";
  autoFocus?: boolean;
  hasError?: boolean;
};

/** A password input with a button that reveals the text. */
export const PasswordInput = ({
  id,
  name,
  value,
  onChange,
  autoComplete,
  autoFocus = false,
  hasError,
}: PasswordInputProps) => {
  const { t } = useTranslation();
  const [isShown, setShown] = useState(false);
  return (
    <OutlinedInput
      id={id}
      name={name}
      fullWidth
      required
      type={isShown ? "text" : "password"}
      autoComplete={autoComplete}
      autoFocus={autoFocus}
      error={hasError ?? false}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      endAdornment={
        <InputAdornment position="end">
          <IconButton
            size="small"
            aria-label={isShown ? t("signIn.hidePassword") : t("signIn.showPassword")}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? <VisibilityOutlined /> : <VisibilityOffOutlined />}
          </IconButton>
        </InputAdornment>
      }
    />
  );
};

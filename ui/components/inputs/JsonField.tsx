import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Field, Row } from "../layout.tsx";
import { checkJsonObject, formatJson } from "./json-text.ts";

type Props = {
  id: string;
  label: string;
  hint?: ReactNode;
  value: string;
  onChange: (value: string) => void;
  /** JSON text that the example button inserts. */
  example?: string | undefined;
  /** Error from the validation of the whole form. */
  error?: string | undefined;
};

/** A JSON object as text: validated on blur, with the position of the error; can be formatted. */
export const JsonField = ({ id, label, hint, value, onChange, example, error }: Props) => {
  const { t } = useTranslation();
  const { isLeft, leave, enter } = useLeft();
  const problem = isLeft ? checkJsonObject(value) : null;
  const message =
    typeof problem === "string"
      ? t("components.json.notObject")
      : problem
        ? t("components.json.invalid", problem)
        : error;
  return (
    <Field label={label} htmlFor={id} error={message} hint={hint}>
      <OutlinedInput
        id={id}
        fullWidth
        multiline
        minRows={3}
        maxRows={14}
        value={value}
        error={message !== undefined}
        onChange={(event) => onChange(event.target.value)}
        onFocus={enter}
        onBlur={leave}
        inputProps={{ className: "mono", spellCheck: false }}
      />
      <Row gap={1} sx={{ mt: 1 }}>
        <Button size="small" variant="text" disabled={value.trim() === ""} onClick={() => onChange(formatJson(value))}>
          {t("components.json.format")}
        </Button>
        {example !== undefined && value.trim() === "" && (
          <Button size="small" variant="text" onClick={() => onChange(formatJson(example))}>
            {t("components.json.example")}
          </Button>
        )}
      </Row>
    </Field>
  );
};

/** Whether the field was blurred, and the handlers for blur and edits. */
type Left = Readonly<{ isLeft: boolean; leave: () => void; enter: () => void }>;

/**
 * Reports that a field was blurred, so that its error can be shown. Waits for the end of the mouse press that caused
 * the blur: a message that appeared before would move the button away from the pointer, and the click would be lost.
 */
export function useLeft(): Left {
  const [isLeft, setLeft] = useState(false);
  const leave = () => {
    const isPressing = document.querySelector(":active") !== null;
    if (!isPressing) setLeft(true);
    // The click event follows pointerup immediately.
    else window.addEventListener("pointerup", () => setTimeout(() => setLeft(true)), { once: true });
  };
  return { isLeft, leave, enter: () => setLeft(false) };
}

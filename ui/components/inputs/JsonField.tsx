import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Field, Row } from "../layout.tsx";
import { checkJsonObject, formatJson } from "./json-text.ts";

type Props = {
  id: string;
  label: string;
  hint?: string;
  value: string;
  onChange: (value: string) => void;
  /** Put in by the example button; as JSON text. */
  example?: string;
  /** From a check of the whole form. */
  error?: string | undefined;
};

/** A JSON object as text: checked when the focus leaves, with the place of the error; can be formatted. */
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

/** Whether a field was left, what to do when it is left, and when it is edited again. */
type Left = Readonly<{ isLeft: boolean; leave: () => void; enter: () => void }>;

/**
 * Tells when a field was left, to say then what is wrong with it. A press that leaves it comes to its end first: a message
 * that appears in between would move the button away from under the pointer, and the press would be lost.
 */
export function useLeft(): Left {
  const [isLeft, setLeft] = useState(false);
  const leave = () => {
    const isPressing = document.querySelector(":active") !== null;
    if (!isPressing) setLeft(true);
    // The click follows the pointer's rise at once.
    else window.addEventListener("pointerup", () => setTimeout(() => setLeft(true)), { once: true });
  };
  return { isLeft, leave, enter: () => setLeft(false) };
}

import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { checkJson, formatJson } from "../../components/json-text.ts";
import { Field, Row } from "../../components/layout.tsx";
import { useLeft } from "../../components/use-left.ts";

/** The editor is big: it is loaded where JSON is shown. */
const JsonEditor = lazy(() => import("./JsonEditor.tsx"));

const HEIGHT = 260;

type JsonInputProps = Readonly<{
  id: string;
  label: string;
  hint?: string;
  shape: "object" | "list";
  value: string;
  onChange: (text: string) => void;
  /** What "Use default" puts in. */
  initial?: string | undefined;
  maxHeight?: number;
}>;

/** JSON of an option: coloured, checked when the focus leaves with the place of the error, can be formatted. */
export const JsonInput = ({ id, label, hint, shape, value, onChange, initial, maxHeight = HEIGHT }: JsonInputProps) => {
  const { t } = useTranslation();
  const { isLeft, leave, enter } = useLeft();
  const problem = isLeft ? checkJson(value.trim() === "" ? "?" : value, shape) : null;
  const isShape = problem === "not-object" || problem === "not-list";
  const message = problem
    ? isShape
      ? t(`settings.json.${shape}`)
      : t("settings.json.invalid", { line: problem.line, column: problem.column })
    : undefined;
  return (
    <Field label={label} htmlFor={id} hint={hint} error={message} sx={{ gridColumn: "1 / -1" }}>
      <Suspense fallback={<Skeleton variant="rounded" height={120} />}>
        <JsonEditor
          id={id}
          label={label}
          value={value}
          hasError={problem !== null}
          maxHeight={maxHeight}
          onChange={(text) => {
            enter();
            onChange(text);
          }}
          onBlur={leave}
        />
      </Suspense>
      <Row gap={1} sx={{ mt: 1 }}>
        <Button size="small" variant="text" onClick={() => onChange(formatJson(value))}>
          {t("components.json.format")}
        </Button>
        {initial !== undefined && formatJson(initial) !== formatJson(value) && (
          <Button size="small" variant="text" onClick={() => onChange(formatJson(initial))}>
            {t("settings.useDefault")}
          </Button>
        )}
      </Row>
    </Field>
  );
};

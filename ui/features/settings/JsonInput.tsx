import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { checkJson, formatJson } from "../../components/json-text.ts";
import { Field } from "../../components/layout.tsx";
import { useLeft } from "../../components/use-left.ts";
import { DefaultTools } from "./DefaultTools.tsx";

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
  initial: string;
  isDefaultLong: boolean;
}>;

/** JSON of an option: coloured, checked when the focus leaves with the place of the error, can be formatted. */
export const JsonInput = ({ id, label, hint, shape, value, onChange, initial, isDefaultLong }: JsonInputProps) => {
  const { t } = useTranslation();
  const readable = formatJson(initial);
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
          maxHeight={HEIGHT}
          onChange={(text) => {
            enter();
            onChange(text);
          }}
          onBlur={leave}
        />
      </Suspense>
      <DefaultTools
        label={label}
        initial={readable}
        isLong={isDefaultLong}
        isInUse={readable === formatJson(value)}
        onUse={() => onChange(readable)}
      >
        <Button size="small" variant="text" onClick={() => onChange(formatJson(value))}>
          {t("components.json.format")}
        </Button>
      </DefaultTools>
    </Field>
  );
};

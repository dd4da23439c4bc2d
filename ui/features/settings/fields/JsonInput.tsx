import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { CodeBox } from "../../../components/display/CodeBox.tsx";
import { useLeft } from "../../../components/inputs/JsonField.tsx";
import { checkJson, formatJson } from "../../../components/inputs/json-text.ts";
import { Field, Row } from "../../../components/layout.tsx";

/** The editor is large, so it is loaded on demand. */
const JsonEditor = lazy(() => import("../../../components/form/JsonEditor.tsx"));

const HEIGHT = 260;

type JsonInputProps = Readonly<{
  id: string;
  label: string;
  hint?: string;
  shape: "object" | "list";
  value: string;
  onChange: (text: string) => void;
  /** The text that "Use default" inserts. */
  initial: string;
  isDefaultLong: boolean;
}>;

/** JSON of an option: highlighted, validated on blur with the position of the error; can be formatted. */
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

type DefaultToolsProps = Readonly<{
  /** The option's name. */
  label: string;
  /** Formatted. */
  initial: string;
  /** The hint shows only its number of entries. */
  isLong: boolean;
  isInUse: boolean;
  onUse: () => void;
  /** Other tools of the field. */
  children?: ReactNode;
}>;

/** Below a field: inserts the default, and shows one that is too long for the hint. */
export const DefaultTools = ({ label, initial, isLong, isInUse, onUse, children }: DefaultToolsProps) => {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const isShown = isOpen && isLong && !isInUse;
  return (
    <>
      <Row gap={1} wrap sx={{ mt: 1 }}>
        {children}
        {!isInUse && (
          <Button size="small" variant="text" onClick={onUse}>
            {t("settings.useDefault")}
          </Button>
        )}
        {isLong && !isInUse && (
          <Button size="small" variant="text" aria-expanded={isShown} onClick={() => setOpen(!isOpen)}>
            {t(isShown ? "settings.hideDefault" : "settings.showDefault")}
          </Button>
        )}
      </Row>
      {isShown && (
        <Box sx={{ mt: 2, maxHeight: 260, overflow: "auto" }}>
          <CodeBox code={initial} label={t("settings.defaultOf", { name: label })} />
        </Box>
      )}
    </>
  );
};

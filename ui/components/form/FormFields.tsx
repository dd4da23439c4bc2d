import Chip from "@mui/material/Chip";
import InputAdornment from "@mui/material/InputAdornment";
import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import { isValidElement, type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import { DateTimeInput } from "../inputs/date-time/DateTimeInput.tsx";
import { OptionalDateTime } from "../inputs/date-time/OptionalDateTime.tsx";
import { JsonField } from "../inputs/JsonField.tsx";
import { PasswordInput, TextInput } from "../inputs/LabelledInput.tsx";
import { MoneyInput } from "../inputs/MoneyInput.tsx";
import { NameListInput, SuggestedInput } from "../inputs/NameListInput.tsx";
import { SwitchRow } from "../inputs/SwitchRow.tsx";
import { Field, Row } from "../layout.tsx";
import type { AnyEntry, AnyField, TextField } from "./form-fields.ts";

/** What a field needs to know of its form. */
export type FormContext = Readonly<{
  /** What it holds, by field. */
  values: Readonly<Record<string, unknown>>;
  set: (field: string, value: unknown) => void;
  /** The key of the text of a name. */
  text: (name: string) => string;
  /** What is wrong with a field. */
  errorOf: (field: string) => string | undefined;
  isReadOnly: boolean;
}>;

type FormFieldsProps = Readonly<{ fields: readonly AnyEntry[]; context: FormContext }>;

/** Draws fields below each other. */
export const FormFields = ({ fields, context }: FormFieldsProps): ReactNode =>
  fields.map((entry) => {
    if (!entry || isValidElement(entry)) return entry;
    if (!isRow(entry)) return <FieldView key={entry.field} field={entry} context={context} />;
    const inRow = entry.filter((field) => field !== false);
    return (
      <Row key={inRow.map(({ field }) => field).join(" ")} gap={3} sx={{ alignItems: "flex-start" }}>
        <FormFields fields={inRow} context={context} />
      </Row>
    );
  });

const isRow = (entry: AnyField | readonly (AnyField | false)[]): entry is readonly (AnyField | false)[] =>
  Array.isArray(entry);

const FieldView = ({ field, context }: Readonly<{ field: AnyField; context: FormContext }>) => {
  const { t } = useTranslation();
  const id = useId();
  const { values, text, errorOf } = context;
  const { field: name } = field;
  const label = field.label ?? t(text(name));
  const hint = field.hint === true ? t(text(`${name}Hint`)) : field.hint;
  const error = field.error || errorOf(name);
  const value = values[name];
  const set = (next: unknown) => context.set(name, next);
  const isDisabled = context.isReadOnly || field.isDisabled === true;
  if (field.kind === "switch")
    return <SwitchRow {...{ label, hint, isDisabled }} isOn={value === true} onChange={set} />;
  if (field.kind === "json")
    return <JsonField {...{ id, label, hint, error }} example={field.example} value={String(value)} onChange={set} />;
  const control = { id, label, value, set, hasError: error !== undefined, disabled: isDisabled };
  return (
    <Field label={label} htmlFor={id} hint={hint} error={error} optional={field.optional}>
      <Control field={field} {...control} />
    </Field>
  );
};

type ControlProps = Readonly<{
  field: Exclude<AnyField, { kind: "switch" | "json" }>;
  id: string;
  label: string;
  value: unknown;
  set: (value: unknown) => void;
  hasError: boolean;
  disabled: boolean;
}>;

const Control = ({ field, id, label, value, set, hasError, disabled }: ControlProps) => {
  switch (field.kind) {
    case "quota":
      return (
        <MoneyInput {...{ id, hasError, disabled }} value={String(value)} onChange={set} picks={field.picks ?? []} />
      );
    case "select":
      return (
        <Select
          fullWidth
          displayEmpty
          disabled={disabled}
          error={hasError}
          value={String(value)}
          SelectDisplayProps={{ id, "aria-label": label }}
          onChange={({ target }) => set(field.options.find(([option]) => String(option) === target.value)?.[0])}
          {...(field.shown && { renderValue: field.shown })}
        >
          {field.options.map(([option, text, isDisabled]) => (
            <MenuItem key={String(option)} value={String(option)} disabled={isDisabled ?? false}>
              {text}
            </MenuItem>
          ))}
        </Select>
      );
    case "choice":
    case "several":
      return (
        <ToggleButtonGroup
          exclusive={field.kind === "choice"}
          size="small"
          disabled={disabled}
          value={value}
          aria-label={label}
          onChange={(_, next) => next !== null && set(next)}
          sx={{ flexWrap: "wrap" }}
        >
          {field.options.map(([option, text]) => (
            <ToggleButton key={String(option)} value={option}>
              {text}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
      );
    case "time": {
      const { none, picks } = field;
      const seconds = typeof value === "number" ? value : undefined;
      if (!none) return <DateTimeInput {...{ label, hasError }} value={seconds ?? null} onChange={set} />;
      return (
        <>
          <OptionalDateTime
            {...{ label, hasError }}
            none={none.text}
            value={seconds === none.value ? null : seconds}
            onChange={(next) => set(next === null ? none.value : (next ?? null))}
            isDisabled={disabled}
          />
          {picks}
        </>
      );
    }
    case "names":
      return (
        <NameListInput
          id={id}
          value={Array.isArray(value) ? value : []}
          onChange={set}
          options={field.options ?? []}
          strict={field.isStrict ?? false}
          placeholder={field.placeholder}
          invalid={hasError}
        />
      );
    case "password":
      return (
        <PasswordInput
          {...{ id, hasError }}
          name={field.field}
          autoComplete="new-password"
          value={String(value)}
          onChange={set}
        />
      );
    default:
      return <TextControl {...{ field, id, set, hasError, disabled }} value={String(value ?? "")} />;
  }
};

type TextControlProps = Readonly<{
  field: TextField<string>;
  id: string;
  value: string;
  set: (text: string) => void;
  hasError: boolean;
  disabled: boolean;
}>;

const TextControl = ({ field, id, value, set, hasError, disabled }: TextControlProps) => {
  const { kind, placeholder, autoFocus, maxCharacters, rows, maxRows, isCode, type, width, end, picks } = field;
  if (field.suggestions)
    return (
      <SuggestedInput
        {...{ id, value, hasError, placeholder, autoFocus }}
        options={field.suggestions}
        onChange={set}
        isDisabled={disabled}
      />
    );
  const mode = kind === "number" ? "decimal" : kind === "integer" ? "numeric" : undefined;
  const input = (
    <TextInput
      {...{ id, value, disabled, placeholder, autoFocus, maxCharacters }}
      onChange={set}
      error={hasError}
      name={field.field}
      autoComplete={kind === "secret" ? "new-password" : "off"}
      type={kind === "secret" ? "password" : type}
      endAdornment={end && <InputAdornment position="end">{end}</InputAdornment>}
      fullWidth={width === undefined}
      {...(width !== undefined && { sx: { width } })}
      {...(rows !== undefined && { multiline: true, minRows: rows, maxRows })}
      {...(mode && { inputProps: { inputMode: mode, className: "num" } })}
      {...(isCode && { inputProps: { spellCheck: false, className: "mono" } })}
    />
  );
  if (!picks) return input;
  return (
    <Row gap={2} wrap>
      {input}
      {picks.map((pick) => (
        <Chip key={pick} variant="outlined" label={pick} onClick={() => set(String(pick))} />
      ))}
    </Row>
  );
};

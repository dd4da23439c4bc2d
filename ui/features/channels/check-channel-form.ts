import { type ChannelForm, VERTEX_TYPE } from "./channel-form.ts";

/** Validation error of a field: the last part of its message key. */
type ChannelFault =
  | "nameAndKey"
  | "models"
  | "modelMapping"
  | "paramOverride"
  | "setting"
  | "statusCodeMapping"
  | "other"
  | "baseUrl"
  | "baseUrlRequired"
  | "integer"
  | "amount"
  | "priorityRange";

type ChannelFaults = Partial<Record<keyof ChannelForm, ChannelFault>>;

const MIN_PRIORITY = -999;

/** Validation errors by field; empty if the form is valid. `creating` makes the key required. */
export function checkChannelForm(form: ChannelForm, creating: boolean, baseUrlRequired: boolean): ChannelFaults {
  const faults: ChannelFaults = {};
  if (form.name.trim() === "") faults.name = "nameAndKey";
  if (creating && form.key.trim() === "") faults.key = "nameAndKey";
  if (form.baseUrl.trim() === "") {
    if (baseUrlRequired) faults.baseUrl = "baseUrlRequired";
  } else if (!/^https?:\/\/[^\s/]/i.test(form.baseUrl.trim())) faults.baseUrl = "baseUrl";
  if (form.type === VERTEX_TYPE && form.other.trim().startsWith("{") && !isJsonObject(form.other))
    faults.other = "other";
  if (form.models.length === 0) faults.models = "models";
  for (const field of ["modelMapping", "paramOverride", "setting", "statusCodeMapping"] as const) {
    if (form[field].trim() !== "" && !isJsonObject(form[field])) faults[field] = field;
  }
  if (!isInteger(form.priority)) faults.priority = "integer";
  else if (Number(form.priority) < MIN_PRIORITY) faults.priority = "priorityRange";
  if (!isInteger(form.weight)) faults.weight = "integer";
  if (form.maxInputTokens.trim() !== "" && !isInteger(form.maxInputTokens)) faults.maxInputTokens = "integer";
  if (form.warnBelow.trim() !== "" && !(Number(form.warnBelow) >= 0)) faults.warnBelow = "amount";
  return faults;
}

const isInteger = (text: string): boolean => /^\s*-?\d+\s*$/.test(text);

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Props of each section of the drawer. */
export type SectionProps = Readonly<{
  form: ChannelForm;
  faults: ChannelFaults;
  change: (fields: Partial<ChannelForm>) => void;
}>;

import {
  baseUrlError,
  channelAmountError,
  channelSettingError,
  headerOverrideError,
  modelMappingError,
  paramOverrideError,
  priorityError,
  regionError,
  statusMappingError,
} from "../../../../../src/domain/channels/routing/channel-rules.ts";
import { namesOf } from "../../../../lib/json.ts";
import { type Channel, splitList } from "../../channel.ts";

/** The drawer's fields; numbers are text while being edited. */
export type ChannelForm = {
  type: number;
  name: string;
  key: string;
  /** `key` is edited as a list of several. */
  severalKeys: boolean;
  baseUrl: string;
  other: string;
  models: string[];
  groups: string[];
  tag: string;
  priority: string;
  weight: string;
  autoBan: boolean;
  modelPrefix: string;
  testModel: string;
  organization: string;
  maxInputTokens: string;
  /** Empty: the setting's default. */
  warnBelow: string;
  modelMapping: string;
  paramOverride: string;
  headerOverride: string;
  setting: string;
  statusCodeMapping: string;
};

const SPARK_TYPE = 18;
const SPARK_DEFAULT_VERSION = "v2.1";

export const NEW_CHANNEL: ChannelForm = {
  type: 1,
  name: "",
  key: "",
  severalKeys: false,
  baseUrl: "",
  other: "",
  models: [],
  groups: ["default"],
  tag: "",
  priority: "0",
  weight: "0",
  autoBan: true,
  modelPrefix: "",
  testModel: "",
  organization: "",
  maxInputTokens: "",
  warnBelow: "",
  modelMapping: "",
  paramOverride: "",
  headerOverride: "",
  setting: "",
  statusCodeMapping: "",
};

/** Initial values for a stored channel; the key is empty, which keeps the stored one. */
export function formOf(channel: Channel): ChannelForm {
  return {
    type: channel.type,
    name: channel.name,
    key: "",
    severalKeys: false,
    baseUrl: channel.base_url,
    other: channel.other,
    models: splitList(channel.models),
    groups: splitList(channel.group),
    tag: channel.tag,
    priority: String(channel.priority),
    weight: String(channel.weight),
    autoBan: channel.auto_ban === 1,
    modelPrefix: channel.model_prefix,
    testModel: channel.test_model,
    organization: channel.openai_organization,
    maxInputTokens: channel.max_input_tokens ? String(channel.max_input_tokens) : "",
    warnBelow: channel.balance_warn_below === null ? "" : String(channel.balance_warn_below),
    modelMapping: channel.model_mapping,
    paramOverride: channel.param_override,
    headerOverride: channel.header_override,
    setting: channel.setting,
    statusCodeMapping: channel.status_code_mapping,
  };
}

/** Body of POST and PUT /api/channel/ (PUT adds the id); an empty key is omitted, which keeps the stored one. */
export function bodyOf(form: ChannelForm) {
  const key = form.severalKeys && form.type !== VERTEX_TYPE ? splitKeys(form.key).join(",") : form.key.trim();
  return {
    type: form.type,
    name: form.name.trim(),
    ...(key === "" ? {} : { key }),
    base_url: cleanBaseUrl(form.baseUrl),
    other: form.other.trim() === "" && form.type === SPARK_TYPE ? SPARK_DEFAULT_VERSION : form.other.trim(),
    models: form.models.join(","),
    group: form.groups.join(","),
    tag: form.tag.trim(),
    priority: Number.parseInt(form.priority, 10) || 0,
    weight: Math.max(0, Number.parseInt(form.weight, 10) || 0),
    auto_ban: form.autoBan ? 1 : 0,
    model_prefix: form.modelPrefix.trim(),
    test_model: form.testModel.trim(),
    openai_organization: form.organization.trim(),
    max_input_tokens: Math.max(0, Number.parseInt(form.maxInputTokens, 10) || 0),
    balance_warn_below: form.warnBelow.trim() === "" ? null : Number(form.warnBelow),
    model_mapping: form.modelMapping.trim(),
    param_override: form.paramOverride.trim(),
    header_override: form.headerOverride.trim(),
    setting: form.setting.trim(),
    status_code_mapping: form.statusCodeMapping.trim(),
  };
}

/** The request body of a channel. */
type ChannelBody = ReturnType<typeof bodyOf>;

/** Only the edited fields of a stored channel: the others may have changed since the form was opened. */
export function changedBodyOf(before: ChannelForm, now: ChannelForm): Partial<ChannelBody> {
  const was: Readonly<Record<string, unknown>> = bodyOf(before);
  return Object.fromEntries(Object.entries(bodyOf(now)).filter(([field, value]) => was[field] !== value));
}

/** Number of changed fields; revealing the keys doesn't count. */
export function changesOf(before: ChannelForm, now: ChannelForm): number {
  return namesOf(before).filter((field) => field !== "severalKeys" && String(before[field]) !== String(now[field]))
    .length;
}

/** A base URL as it is stored: trimmed, without trailing slashes. */
export const cleanBaseUrl = (text: string): string => text.trim().replace(/\/+$/, "");

/** Channel type whose key is one JSON document, so commas don't separate keys. */
export const VERTEX_TYPE = 41;

/** Whether a pasted text contains several keys, separated by commas or line breaks. */
export const holdsSeveralKeys = (text: string, type: number): boolean =>
  type !== VERTEX_TYPE && /[,\r\n]/.test(text.trim());

/** The keys in a text, in order, without blanks and duplicates. */
export const splitKeys = (text: string): string[] => [
  ...new Set(
    text
      .split(/[,\r\n]+/)
      .map((key) => key.trim())
      .filter((key) => key !== ""),
  ),
];

/** The keys of a channel's key text; a JSON document is one key. */
export const keysOf = (text: string, type: number): string[] =>
  type === VERTEX_TYPE ? [text.trim()] : splitKeys(text);

/** A masked key: its first and last characters. */
export const maskKey = (key: string): string =>
  key.length <= 12 ? `${key.slice(0, 3)}…` : `${key.slice(0, 5)}…${key.slice(-4)}`;

/**
 * What is wrong with the form, by field: under `channels.form.errors` in the words. `initial` is null for a new channel, which
 * needs a key. Texts that stay have no errors: those of an imported channel may break the rules of new ones.
 */
export function checkChannelForm(form: ChannelForm, initial: ChannelForm | null, isBaseUrlRequired: boolean) {
  const ifChanged = <Error>(field: keyof ChannelForm, error: Error) =>
    form[field] === initial?.[field] ? undefined : error;
  const isMissing = (text: string) => (text.trim() === "" ? ("nameAndKey" as const) : undefined);
  return {
    name: isMissing(form.name),
    key: initial === null ? isMissing(form.key) : undefined,
    baseUrl:
      isBaseUrlRequired && form.baseUrl.trim() === ""
        ? ("baseUrlRequired" as const)
        : ifChanged("baseUrl", baseUrlError(form.baseUrl)),
    other: form.other.trim() === "" ? undefined : ifChanged("other", regionError(form.other, form.type)),
    models: form.models.length === 0 ? ("models" as const) : undefined,
    modelMapping: ifChanged("modelMapping", modelMappingError(form.modelMapping)),
    paramOverride: ifChanged("paramOverride", paramOverrideError(form.paramOverride)),
    headerOverride: ifChanged("headerOverride", headerOverrideError(form.headerOverride)),
    setting: ifChanged("setting", channelSettingError(form.setting)),
    statusCodeMapping: ifChanged("statusCodeMapping", statusMappingError(form.statusCodeMapping)),
    priority: integerError(form.priority) ?? ifChanged("priority", priorityError(Number(form.priority))),
    weight: integerError(form.weight),
    maxInputTokens: form.maxInputTokens.trim() === "" ? undefined : integerError(form.maxInputTokens),
    warnBelow: channelAmountError(Number(form.warnBelow)),
  };
}

const integerError = (text: string) => (/^\s*-?\d+\s*$/.test(text) ? undefined : ("integer" as const));

type Errors = ReturnType<typeof checkChannelForm>;
type ChannelFaults = Partial<Record<keyof ChannelForm, NonNullable<Errors[keyof Errors]>>>;

/** Props of each section of the drawer. */
export type SectionProps = Readonly<{
  form: ChannelForm;
  faults: ChannelFaults;
  change: (fields: Partial<ChannelForm>) => void;
}>;

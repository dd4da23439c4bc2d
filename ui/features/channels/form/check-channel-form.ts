import {
  baseUrlError,
  channelAmountError,
  channelSettingError,
  modelMappingError,
  paramOverrideError,
  priorityError,
  regionError,
  statusMappingError,
} from "../../../../src/domain/channels/channel-rules.ts";
import type { ChannelForm } from "./channel-form.ts";

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
export type ChannelFaults = Partial<Record<keyof ChannelForm, NonNullable<Errors[keyof Errors]>>>;

/** Props of each section of the drawer. */
export type SectionProps = Readonly<{
  form: ChannelForm;
  faults: ChannelFaults;
  change: (fields: Partial<ChannelForm>) => void;
}>;

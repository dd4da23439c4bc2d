import { anthropicRules } from "../../../formats/anthropic/request/request-rules.ts";
import { geminiRules } from "../../../formats/gemini/request/request-rules.ts";
import { openaiRules } from "../../../formats/openai-chat/request/request-rules.ts";
import { responsesRules } from "../../../formats/openai-responses/request/request-rules.ts";
import { findLikeName } from "../../../formats/request-rules.ts";
import type { MessageCode } from "../../../lib/messages.ts";
import { OperationError, throwRuleError } from "../../../lib/operation-error.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import {
  isSecretReference,
  parseReference,
  SecretReferenceError,
} from "../../../lib/security/secret-references/reference.ts";
import { refuseBrokenPatterns } from "../../../lib/values/patterns/name-patterns.ts";
import { ROLE } from "../../accounts/access/roles.ts";
import type { ChannelRow } from "../entry.ts";
import { isMasked, splitKeys } from "../keys/keys.ts";
import type { Actor } from "../operation.ts";
import {
  baseUrlError,
  CHANNEL_LIMITS,
  channelAmountError,
  channelSettingError,
  headerOverrideError,
  mappedNames,
  modelMappingError,
  paramOverrideError,
  plainAddress,
  regionError,
  statusMappingError,
} from "../routing/channel-rules.ts";
import { readOwnHeaders } from "../routing/overrides/own-headers.ts";
import { readOverrideRules, writtenMembers } from "../routing/overrides/read-overrides.ts";
import { checkChannelSetting } from "./channel-settings.ts";

/** A channel as the console and the ecosystem's tools send it; what is absent stays as it is. */
export type ChannelInput = {
  type?: number;
  name?: string;
  key?: string;
  status?: number;
  priority?: number | null;
  weight?: number | null;
  base_url?: string | null;
  other?: string;
  openai_organization?: string | null;
  max_input_tokens?: number | null;
  models?: string | readonly string[];
  group?: string | readonly string[];
  groups?: readonly string[];
  model_mapping?: string | null;
  status_code_mapping?: string | null;
  setting?: string | null;
  param_override?: string | null;
  header_override?: string | null;
  model_prefix?: string | null;
  tag?: string | null;
  test_model?: string | null;
  auto_ban?: number | boolean | null;
  /** In the balance's own currency; null: as the settings have it. */
  balance_warn_below?: number | null;
};

export type ChannelValues = Partial<Omit<ChannelRow, "id">>;

const SPARK = 18;
const SPARK_DEFAULT_VERSION = "v2.1";
const LONGEST_MODEL_BYTES = 255;

/**
 * Checks the fields that are present and turns them into column values. Empty name, key, models and type 0 mean "leave it",
 * as the ecosystem's tools send them; nullable fields can be emptied. Throws OperationError.
 */
export function readChannelInput(input: ChannelInput, type: number, vault: Vault): ChannelValues {
  const models = input.models === undefined ? undefined : list(input.models);
  const groups = input.groups ?? input.group;
  const values: ChannelValues = {
    ...present("type", input.type || undefined),
    ...present("name", input.name?.trim() || undefined),
    ...present("keyCipher", readKey(input.key, type, vault)),
    ...present("priority", integer(input.priority, "priority")),
    ...present("weight", atLeastZero(input.weight, "weight")),
    ...present("baseUrl", readBaseUrl(input.base_url)),
    ...present("other", readOther(input.other, type)),
    ...present("openaiOrganization", text(input.openai_organization)),
    ...present("maxInputTokens", atLeastZero(input.max_input_tokens, "max_input_tokens")),
    ...present("models", models?.length ? checkModels(models) : undefined),
    ...present("groups", groups === undefined ? undefined : checkGroups(list(groups))),
    ...present("modelMapping", readMapping(input.model_mapping)),
    ...present("statusCodeMapping", jsonText(input.status_code_mapping, statusMappingError)),
    ...present("setting", readSetting(input.setting)),
    ...present("paramOverride", readOverrides(input.param_override)),
    ...present("headerOverride", readHeaders(input.header_override)),
    ...present("modelPrefix", readPrefix(input.model_prefix)),
    ...present("tag", readTag(input.tag)),
    ...present("testModel", text(input.test_model)),
    ...present("balanceWarnBelow", readAmount(input.balance_warn_below)),
    ...present("autoBan", input.auto_ban === undefined ? undefined : Boolean(input.auto_ban)),
  };
  return values;
}

function readMapping(json: string | null | undefined): string | undefined {
  const mapping = jsonText(json, modelMappingError);
  if (mapping) refuseBrokenPatterns(mappedNames(mapping));
  return mapping;
}

function readSetting(json: string | null | undefined): string | undefined {
  const setting = jsonText(json, channelSettingError);
  if (setting) checkChannelSetting(JSON.parse(setting));
  return setting;
}

/** Members that the gateway decides by, in every client format. */
const KNOWN_MEMBERS = [openaiRules, responsesRules, anthropicRules, geminiRules].map(({ members }) => members);

/** Refuses names that merely resemble members by which calls are admitted and priced: a provider may read them as those. */
function readOverrides(json: string | null | undefined): string | undefined {
  const overrides = jsonText(json, paramOverrideError);
  for (const name of overrides ? writtenMembers(readOverrideRules(JSON.parse(overrides))) : []) {
    if (KNOWN_MEMBERS.some(({ isFreeByName }) => isFreeByName.has(name))) continue;
    for (const members of KNOWN_MEMBERS) {
      const like = findLikeName(name, members);
      if (like !== null) throw new OperationError("channel_param_override_like", { name, like });
    }
  }
  return overrides;
}

function readHeaders(json: string | null | undefined): string | undefined {
  const headers = jsonText(json, headerOverrideError);
  if (headers) readOwnHeaders(JSON.parse(headers));
  return headers;
}

const present = <K extends keyof ChannelValues>(key: K, value: ChannelValues[K] | undefined): ChannelValues =>
  value === undefined ? {} : { [key]: value };

const text = (value: string | null | undefined): string | undefined => (value === null ? "" : value?.trim());

const list = (value: string | readonly string[]): string[] => [
  ...new Set((typeof value === "string" ? value.split(",") : value).map((item) => item.trim()).filter(Boolean)),
];

function readKey(key: string | undefined, type: number, vault: Vault): string | undefined {
  const keys = splitKeys(type, key ?? "");
  if (keys.every(isMasked)) return undefined;
  if (keys.some(isMasked)) throw new OperationError("channel_key_masked");
  return vault.encrypt(keys.join(","));
}

/**
 * Checks the references among keys that somebody saves. Anybody who sets both a reference and an address can read every secret
 * that the gateway may read, so only the super administrator may. Throws OperationError.
 */
export function checkReferences({ role = ROLE.user }: Actor, keyText: string | undefined, type: number): void {
  for (const key of splitKeys(type, keyText ?? "").filter((each) => isSecretReference(each) && !isMasked(each))) {
    if (role < ROLE.root) throw new OperationError("channel_key_reference_denied");
    try {
      parseReference(key);
    } catch (error) {
      if (!(error instanceof SecretReferenceError)) throw error;
      const { reference, reason } = error;
      throw new OperationError("channel_key_reference_invalid", { reference, reason });
    }
  }
}

function integer(value: number | null | undefined, field: string): number | undefined {
  if (value === null) return 0;
  if (value === undefined) return undefined;
  if (!Number.isSafeInteger(value)) throw new OperationError("channel_number_invalid", { field });
  return value;
}

function readAmount(value: number | null | undefined): string | null | undefined {
  if (value === null || value === undefined) return value;
  throwRuleError(channelAmountError(value));
  return String(value);
}

function atLeastZero(value: number | null | undefined, field: string): number | undefined {
  const number = integer(value, field);
  return number === undefined ? undefined : Math.min(Math.max(number, 0), 2_147_483_647);
}

function readBaseUrl(value: string | null | undefined): string | undefined {
  const written = text(value);
  if (!written) return written;
  const address = plainAddress(written);
  throwRuleError(baseUrlError(address));
  return address;
}

function readOther(value: string | undefined, type: number): string | undefined {
  const other = value?.trim();
  if (type === SPARK && other === "") return SPARK_DEFAULT_VERSION;
  if (other !== undefined) throwRuleError(regionError(other, type));
  return other;
}

function checkModels(models: string[]): string[] {
  const long = models.find((model) => Buffer.byteLength(model) > LONGEST_MODEL_BYTES);
  if (long) throw new OperationError("channel_model_too_long", { model: long.slice(0, 40) });
  refuseBrokenPatterns(models);
  return models;
}

function checkGroups(groups: string[]): string[] {
  if (groups.length === 0) throw new OperationError("channel_group_required");
  if (groups.some((group) => group.length > CHANNEL_LIMITS.group))
    throw new OperationError("channel_group_too_long", { max: CHANNEL_LIMITS.group });
  return groups;
}

function readPrefix(value: string | null | undefined): string | undefined {
  const prefix = text(value);
  if (prefix && prefix.length > CHANNEL_LIMITS.prefix) throw new OperationError("channel_prefix_too_long");
  return prefix;
}

function readTag(value: string | null | undefined): string | undefined {
  const tag = text(value);
  if (tag && tag.length > CHANNEL_LIMITS.tag)
    throw new OperationError("channel_tag_too_long", { max: CHANNEL_LIMITS.tag });
  return tag;
}

function jsonText(
  value: string | null | undefined,
  errorOf: (json: string) => MessageCode | undefined,
): string | undefined {
  const input = text(value);
  if (input) throwRuleError(errorOf(input));
  return input;
}

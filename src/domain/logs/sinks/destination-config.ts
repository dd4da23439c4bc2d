import { OperationError } from "../../../lib/operation-error.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { isWebhookSecret } from "../../../lib/security/webhook-signature.ts";
import { parseRecord } from "../../notifications/post.ts";

/** A field of a destination's configuration. */
export type DestinationField = Readonly<{
  name: string;
  /** `url`: an https address; `webhook_secret`: a key of Standard Webhooks; else what its text must look like. */
  format: "url" | "webhook_secret" | RegExp;
  /** Never shown again once it is stored. */
  isSecret?: boolean;
  isOptional?: boolean;
}>;

/** The values of the fields by name; those that are optional may be missing. */
export type DestinationConfig = Readonly<Record<string, string>>;

/** What a destination of alerts or of exports has fields for. */
type Destination = Readonly<{ fields: readonly DestinationField[] }>;

/** Fields as they are sent; one that is missing, and a secret that is empty, keeps its stored value. */
export type ConfigInput = Readonly<Record<string, string>>;

/** A configuration as its owner sees it: secrets only by whether they are set. */
export type ConfigView = Readonly<{ config: DestinationConfig; secrets_set: readonly string[]; target: string }>;

/** The stored configuration with the changes. Throws OperationError for a field that is refused or missing. */
export function mergeConfig({ fields }: Destination, stored: DestinationConfig, input: ConfigInput): DestinationConfig {
  const merged: Record<string, string> = {};
  for (const field of fields) {
    const text = input[field.name]?.trim();
    const value = text === undefined || (text === "" && field.isSecret) ? (stored[field.name] ?? "") : text;
    if (value !== "") merged[field.name] = checkField(field, value);
    else if (!field.isOptional) throw new OperationError("alert_field_required", { field: field.name });
  }
  return merged;
}

function checkField({ name, format }: DestinationField, value: string): string {
  if (format === "url") {
    if (URL.parse(value)?.protocol !== "https:") throw new OperationError("webhook_url_invalid");
  } else if (format === "webhook_secret") {
    if (!isWebhookSecret(value)) throw new OperationError("alert_secret_invalid");
  } else if (!format.test(value)) throw new OperationError("alert_field_invalid", { field: name });
  return value;
}

/** What may be shown of a configuration; `target` names where it leads, without secrets. */
export function viewConfig({ fields }: Destination, config: DestinationConfig): ConfigView {
  const shown = fields.filter(({ name, isSecret }) => !isSecret && config[name] !== undefined);
  const secrets = fields.filter(({ name, isSecret }) => isSecret && config[name] !== undefined);
  return {
    config: Object.fromEntries(shown.map(({ name }) => [name, config[name] ?? ""])),
    secrets_set: secrets.map(({ name }) => name),
    target: URL.parse(config.url ?? "")?.host ?? config.chat_id ?? config.region ?? "",
  };
}

/** Encrypts a configuration for its column. */
export const encryptConfig = (vault: Vault, config: DestinationConfig): string => vault.encrypt(JSON.stringify(config));

/** Reads what `encryptConfig` made. Throws DecryptionError. */
export function decryptConfig(vault: Vault, cipher: string): DestinationConfig {
  const entries = Object.entries(parseRecord(vault.decrypt(cipher)));
  return Object.fromEntries(entries.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])));
}

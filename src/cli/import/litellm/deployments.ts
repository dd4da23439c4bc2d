import { createDecipheriv, createHash, hkdfSync } from "node:crypto";
import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import { recordOf } from "../../../formats/json.ts";
import type { Report } from "../report.ts";
import type { SourceRow } from "../source.ts";
import { flagOf, textOf } from "../values.ts";
import { type LiteLlmTables, secondsIn } from "./tables.ts";

type Params = Readonly<Record<string, string>>;
type Options = Readonly<{
  /** What LiteLLM encrypts with: LITELLM_SALT_KEY, or its master key. */
  saltKey: string;
  /** For values that name a variable (`os.environ/NAME`). */
  env: Readonly<Record<string, string | undefined>>;
  report: Report;
}>;

type Account = {
  provider: ProviderOf;
  key: string;
  baseUrl: string;
  other: string;
  createdAt: number;
  models: Map<string, string>;
  ids: string[];
};

const KIND = "channels";
const OPENAI = 1;
/** A channel whose base URL is the address of the chat. */
const CUSTOM = 8;

/** Rows of channels, and which of them (by number) a deployment's id belongs to. */
type Deployments = Readonly<{ channels: SourceRow[]; channelOf: ReadonlyMap<string, number> }>;

/** Deployments of LiteLLM as channels: one for each account at a provider, with all models that it serves. */
export function readDeployments({ models, credentials }: LiteLlmTables, options: Options): Deployments {
  const byName = new Map(credentials.map((row) => [textOf(row, "credential_name"), row.credential_values]));
  const accounts: Account[] = [];
  for (const row of models) {
    const label = textOf(row, "model_name");
    const read = flagOf(row, "blocked") ? "blocked at the source" : readAccount(row, byName, options);
    if (typeof read === "string") {
      options.report.skip(KIND, `${label}: ${read}`);
      continue;
    }
    const { account, model } = read;
    const isSame = ({ provider, key, baseUrl, other, models: served }: Account) =>
      `${provider.type} ${key} ${baseUrl} ${other}` ===
        `${account.provider.type} ${account.key} ${account.baseUrl} ${account.other}` &&
      (served.get(label) ?? model) === model;
    const known = accounts.find(isSame);
    const target = known ?? account;
    if (!known) accounts.push(account);
    target.models.set(label, model);
    target.ids.push(textOf(row, "model_id"));
  }
  const channels = accounts.map((account, index) => channelOf(account, index + 1));
  return {
    channels,
    channelOf: new Map(accounts.flatMap(({ ids }, index) => ids.map((id) => [id, index + 1] as const))),
  };
}

/** The parameters of a deployment or credential in clear; null: they are encrypted under another key. */
function openParams(values: unknown, { saltKey, env }: Options): Params | null {
  const texts = Object.entries(recordOf(values) ?? {}).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  );
  const opened = texts.map(([name, text]) => [name, decryptValue(text, saltKey)] as const);
  // A deployment is encrypted as a unit; an API key in clear may look like a cipher, the name of a model cannot.
  const isEncrypted = texts.some(([name, text]) => name === "model" && looksEncrypted(text));
  if (isEncrypted && opened.some(([name, text]) => name === "model" && text === null)) return null;
  const resolve = (text: string) => (text.startsWith("os.environ/") ? (env[text.slice(11)] ?? "") : text);
  return Object.fromEntries(texts.map(([name, text], index) => [name, resolve(opened[index]?.[1] ?? text)]));
}

function readAccount(
  row: SourceRow,
  credentials: ReadonlyMap<string, unknown>,
  options: Options,
): Readonly<{ account: Account; model: string }> | string {
  const own = openParams(row.litellm_params, options);
  if (!own)
    return "its values cannot be decrypted: set LITELLM_SALT_KEY, or LITELLM_MASTER_KEY where there is no salt key";
  const named = own.litellm_credential_name ?? "";
  const shared = named === "" ? {} : openParams(credentials.get(named), options);
  const params: Params = { ...shared, ...own };
  const { provider: name, model } = splitModel(params.model ?? "", params.custom_llm_provider ?? "");
  const found = findProvider(name);
  if (!found) return `the provider ${name} has no counterpart here`;
  const [provider, baseUrl] = placeOf(found, params.api_base ?? "");
  const key = keyOf(provider, params);
  if (key === "") return "without a key (a variable that os.environ names must be set while you import)";
  const info = recordOf(row.model_info) ?? {};
  if ([params, recordOf(row.litellm_params) ?? {}, info].some((from) => "input_cost_per_token" in from)) {
    options.report.remark(KIND, `${textOf(row, "model_name")}: its own price does not come over`);
  }
  return {
    model,
    account: {
      ...{ provider, key, baseUrl, models: new Map(), ids: [] },
      other: provider.other === undefined ? "" : (params[provider.other] ?? ""),
      createdAt: secondsIn(row, "created_at") || 1,
    },
  };
}

function keyOf(provider: ProviderOf, params: Params): string {
  if (provider.key === "aws") {
    const { aws_access_key_id: id = "", aws_secret_access_key: secret = "", aws_region_name: region = "" } = params;
    return id && secret && region ? [id, secret, region].join("|") : "";
  }
  if (provider.key === "vertex") return params.vertex_credentials ?? "";
  return params.api_key || (provider.key === "optional" || params.api_base ? "none" : "");
}

/** The channel's base URL. LiteLLM adds only `/chat/completions` to that of an OpenAI-compatible service. */
function placeOf(provider: ProviderOf, apiBase: string): readonly [ProviderOf, string] {
  const base = (apiBase || provider.baseUrl || "").replace(/\/+$/, "");
  if (provider.paths === "own") return [provider, base];
  const isOdd =
    provider.type === OPENAI && apiBase !== "" && !base.endsWith("/v1") && base !== "https://api.openai.com";
  return isOdd ? [{ ...provider, type: CUSTOM }, `${base}/chat/completions`] : [provider, base.replace(/\/v1$/, "")];
}

function channelOf({ provider, key, baseUrl, other, createdAt, models }: Account, id: number): SourceRow {
  const renamed = [...models].filter(([label, model]) => label !== model);
  const host = URL.canParse(baseUrl) ? ` ${new URL(baseUrl).host}` : "";
  const mark = createHash("sha256").update(key).digest("hex").slice(0, 4);
  return {
    ...{ id, type: provider.type, key, base_url: baseUrl, other, created_time: createdAt, status: 1 },
    ...{ name: `${provider.name}${host} ${mark}`, models: [...models.keys()].join(","), group: "default" },
    model_mapping: renamed.length === 0 ? "" : JSON.stringify(Object.fromEntries(renamed)),
  };
}

/** How a provider of LiteLLM is reached from here. */
type ProviderOf = Readonly<{
  /** LiteLLM's name of it. */
  name: string;
  /** Type of the channel. */
  type: number;
  /** `optional`: it may have none; `aws`, `vertex`: made of several parameters. */
  key?: "optional" | "aws" | "vertex";
  /** Where it is unless the deployment says so. */
  baseUrl?: string;
  /** `own`: the channel's base URL is LiteLLM's; else one that ends in `/v1` loses it. */
  paths?: "own";
  /** The parameter that is the channel's further field. */
  other?: string;
}>;

const compatible = (baseUrl: string) => ({ type: OPENAI, baseUrl });

const PROVIDERS: Readonly<Record<string, Omit<ProviderOf, "name">>> = {
  openai: { type: OPENAI },
  "text-completion-openai": { type: OPENAI },
  custom_openai: { type: OPENAI, key: "optional" },
  openai_like: { type: OPENAI, key: "optional" },
  litellm_proxy: { type: OPENAI },
  llamafile: { type: OPENAI, key: "optional" },
  baseten: compatible("https://inference.baseten.co"),
  cerebras: compatible("https://api.cerebras.ai"),
  sambanova: compatible("https://api.sambanova.ai"),
  azure: { type: 3, paths: "own", other: "api_version" },
  ollama: { type: 4, key: "optional", paths: "own" },
  ollama_chat: { type: 4, key: "optional", paths: "own" },
  anthropic: { type: 14 },
  dashscope: compatible("https://dashscope.aliyuncs.com/compatible-mode"),
  openrouter: { type: 20 },
  gemini: { type: 24 },
  moonshot: { type: 25 },
  bedrock: { type: 1007, key: "aws" },
  bedrock_converse: { type: 1007, key: "aws" },
  cohere: { type: 34 },
  cohere_chat: { type: 34 },
  jina_ai: { type: 38 },
  vertex_ai: { type: 41, key: "vertex", other: "vertex_location" },
  mistral: { type: 42 },
  deepseek: { type: 43 },
  volcengine: { type: 45 },
  xinference: { type: 47, key: "optional" },
  xai: { type: 48 },
  groq: { type: 1000 },
  together_ai: { type: 1001 },
  fireworks_ai: { type: 1002 },
  perplexity: { type: 1003 },
  nvidia_nim: { type: 1004 },
  hosted_vllm: { type: 1006, key: "optional" },
  vllm: { type: 1006, key: "optional" },
  lm_studio: { type: 1006, key: "optional" },
};

const table: ReadonlyMap<string, ProviderOf> = new Map(
  Object.entries(PROVIDERS).map(([name, provider]) => [name, { name, ...provider }]),
);

/** The provider that LiteLLM calls so; undefined: there is nothing like it here. */
const findProvider = (name: string): ProviderOf | undefined => table.get(name);

/** Names of providers that LiteLLM reads before the slash; others are part of a model's name. */
const WITHOUT_COUNTERPART = ["azure_ai", "sagemaker", "replicate", "watsonx", "databricks", "predibase", "oci"];

/** A model of LiteLLM, "azure/my-gpt", in its provider and the name that the provider knows it by. */
function splitModel(text: string, named: string): Readonly<{ provider: string; model: string }> {
  const [prefix = "", ...rest] = text.split("/");
  if (rest.length > 0 && (table.has(prefix) || WITHOUT_COUNTERPART.includes(prefix))) {
    return { provider: named || prefix, model: named && named !== prefix ? text : rest.join("/") };
  }
  return { provider: named || (/^claude/.test(text) ? "anthropic" : "openai"), model: text };
}

const GCM = /^(v[23]):gcm:(.+)$/;
const GCM_NONCE_BYTES = 12;
const TAG_BYTES = 16;
const BOX_NONCE_BYTES = 24;
const SHORTEST_BOX_BYTES = BOX_NONCE_BYTES + TAG_BYTES;

/** What LiteLLM encrypted under `saltKey`, as NaCl secretbox or AES-256-GCM; null: it is no such text, or another key's. */
function decryptValue(text: string, saltKey: string): string | null {
  const [, version, body] = GCM.exec(text) ?? [];
  try {
    return version && body ? openGcm(body, secretKeyOf(version, saltKey)) : openBox(text, secretKeyOf("box", saltKey));
  } catch {
    return null;
  }
}

/** Whether a text has the form of one that LiteLLM encrypted. */
const looksEncrypted = (text: string): boolean =>
  GCM.test(text) || (/^[\w+/-]{54,}={0,2}$/.test(text) && Buffer.from(text, "base64").length >= SHORTEST_BOX_BYTES);

function secretKeyOf(version: string, saltKey: string): Buffer {
  if (version === "v3") return Buffer.from(hkdfSync("sha256", saltKey, "", "litellm-at-rest-v3", 32));
  return createHash("sha256").update(saltKey).digest();
}

function openBox(text: string, key: Buffer): string | null {
  // Node reads both alphabets of base64.
  const bytes = Buffer.from(text, "base64");
  if (bytes.length < SHORTEST_BOX_BYTES) return null;
  const opened = xsalsa20poly1305(key, bytes.subarray(0, BOX_NONCE_BYTES)).decrypt(bytes.subarray(BOX_NONCE_BYTES));
  return Buffer.from(opened).toString("utf8");
}

function openGcm(body: string, key: Buffer): string {
  const bytes = Buffer.from(body, "base64");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, GCM_NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const opened = [decipher.update(bytes.subarray(GCM_NONCE_BYTES, -TAG_BYTES)), decipher.final()];
  return Buffer.concat(opened).toString("utf8");
}

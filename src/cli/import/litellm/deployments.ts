import { createHash } from "node:crypto";
import { recordOf } from "../../../formats/json.ts";
import type { Report } from "../report.ts";
import type { SourceRow } from "../source.ts";
import { textOf } from "../values.ts";
import { findProvider, type ProviderOf, splitModel } from "./providers.ts";
import { decryptValue, looksEncrypted } from "./secrets.ts";
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
export type Deployments = Readonly<{ channels: SourceRow[]; channelOf: ReadonlyMap<string, number> }>;

/** Deployments of LiteLLM as channels: one for each account at a provider, with all models that it serves. */
export function readDeployments({ models, credentials }: LiteLlmTables, options: Options): Deployments {
  const byName = new Map(credentials.map((row) => [textOf(row, "credential_name"), row.credential_values]));
  const accounts: Account[] = [];
  for (const row of models) {
    const label = textOf(row, "model_name");
    const read = readAccount(row, byName, options);
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
  if (textOf(row, "model_name").includes("*") || model.includes("*")) {
    return "it stands for many models: make a channel that lists them";
  }
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

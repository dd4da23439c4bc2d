import type { ServiceFee } from "../../billing/types.ts";
import { findKeyProvider, keyProviderOf } from "../../domain/channels/provider-keys/key-providers.ts";
import { isKeyText, OwnKeys, type StoredKey } from "../../domain/channels/provider-keys/own-keys.ts";
import type { Caller } from "../call/caller.ts";
import type { Endpoint, ParsedRequest } from "../call/endpoint.ts";
import { GatewayError } from "../call/errors.ts";
import type { Services } from "../call/services.ts";
import { allowedCandidates } from "./policies.ts";

/** The header with a caller's own key: the provider's name, a blank, the key. */
export const PROVIDER_KEY = "x-provider-key";

type Values = Services["settings"]["values"];

/** What own keys serve: calls that are over with their response. */
const CAPABILITIES: ReadonlySet<string> = new Set([
  ...["chat", "completions", "embeddings", "rerank", "moderations"],
  ...["images", "image-edits", "image-variations", "speech", "transcriptions", "translations"],
]);

/** What these functions read of the process. */
export type OwnKeyServices = Pick<Services, "providerKeys" | "settings">;

type KeyedRequest = Readonly<{
  request: Request;
  endpoint: Endpoint;
  model: string;
  body: ParsedRequest["body"];
}>;

/**
 * The caller with the keys of its own that the call may use: the one that it came with, else those that its account has stored.
 * Throws GatewayError: the site does not allow the key, or such a call cannot be made by it.
 */
export function withOwnKeys(
  services: OwnKeyServices,
  caller: Caller,
  { request, endpoint, model, body }: KeyedRequest,
): Caller {
  const { values } = services.settings;
  if (caller.pinnedChannelId !== null) return caller;
  const header = request.headers.get(PROVIDER_KEY);
  const isServed = CAPABILITIES.has(endpoint.capability) && body.json.background !== true;
  if (header !== null) {
    const key = readHeader(header, caller, services);
    if (!isServed) throw unsupported();
    return { ...caller, ownKeys: new OwnKeys([key], feeOf(values)) };
  }
  if (!isAllowed(values, "stored", caller.group)) return caller;
  const stored = services.providerKeys?.of(caller.user.id);
  if (!stored) return caller;
  const ownKeys = keysOf(stored, values);
  if (isServed) return { ...caller, ownKeys };
  if (ownKeys.isOnlyFor(model)) throw unsupported();
  return caller;
}

/** The models that the stored keys of the caller's account serve, as far as the caller may call them. */
export function ownModels(services: OwnKeyServices, caller: Caller): readonly string[] {
  const { values } = services.settings;
  const stored = services.providerKeys?.of(caller.user.id);
  if (!stored || caller.pinnedChannelId !== null || !isAllowed(values, "stored", caller.group)) return NO_MODELS;
  const ownKeys = keysOf(stored, values);
  const { policies } = caller;
  const models = ownKeys.models((type) => keyProviderOf(type)?.models ?? NO_MODELS);
  if (!policies) return models;
  return models.filter((model) => {
    const candidates = ownKeys.merge({ model, tiers: [] }, model);
    return allowedCandidates(policies, candidates, model).tiers.length > 0;
  });
}

const NO_MODELS: readonly string[] = [];

function readHeader(header: string, caller: Caller, { settings: { values }, providerKeys }: OwnKeyServices): StoredKey {
  if (!isAllowed(values, "call", caller.group)) throw notAllowed({ code: "gateway_own_key_off" });
  const [slug = "", key = "", ...more] = header.trim().split(/\s+/);
  const provider = findKeyProvider(slug);
  if (!provider || more.length > 0 || !isKeyText(key)) {
    const details = { type: "invalid_request_error" } as const;
    throw new GatewayError(400, "invalid_provider_key", { code: "gateway_own_key_header" }, details);
  }
  if (!isOffered(values, slug)) {
    throw notAllowed({
      code: "gateway_own_key_provider",
      params: { provider: provider.name },
    });
  }
  const { type, name } = provider;
  const baseUrl = providerKeys?.addressOf(type) ?? "";
  return { id: 0, userId: caller.user.id, name, type, key, baseUrl, models: ["*"], mode: "only" };
}

/** Whether the site lets callers of a group use keys of their own, of this kind. */
const isAllowed = ({ ProviderKeys, ProviderKeyGroups }: Values, kind: "stored" | "call", group: string): boolean =>
  (ProviderKeys === kind || ProviderKeys === "both") &&
  (ProviderKeyGroups.length === 0 || ProviderKeyGroups.includes(group));

const isOffered = ({ ProviderKeyProviders }: Values, slug: string): boolean =>
  ProviderKeyProviders.length === 0 || ProviderKeyProviders.includes(slug.toLowerCase());

/** Made once for each account until its keys or an option changes. */
const made = new WeakMap<readonly StoredKey[], Readonly<{ values: Values; keys: OwnKeys }>>();

function keysOf(stored: readonly StoredKey[], values: Values): OwnKeys {
  const known = made.get(stored);
  if (known?.values === values) return known.keys;
  const offered = stored.filter(({ type }) => {
    const provider = keyProviderOf(type);
    return provider !== undefined && isOffered(values, provider.slug);
  });
  const keys = new OwnKeys(offered, feeOf(values));
  made.set(stored, { values, keys });
  return keys;
}

const fees = new WeakMap<Values, ServiceFee>();

/** The same object until an option changes: prices are remembered by it. */
function feeOf(values: Values): ServiceFee {
  const known = fees.get(values) ?? {
    percent: values.ProviderKeyFeePercent,
    usdPerCall: values.ProviderKeyFeePerCall,
  };
  fees.set(values, known);
  return known;
}

const notAllowed = (reason: ConstructorParameters<typeof GatewayError>[2]): GatewayError =>
  new GatewayError(403, "provider_key_not_allowed", reason, {
    type: "invalid_request_error",
  });

const unsupported = (): GatewayError =>
  new GatewayError(
    400,
    "provider_key_unsupported",
    { code: "gateway_own_key_unsupported" },
    { type: "invalid_request_error" },
  );

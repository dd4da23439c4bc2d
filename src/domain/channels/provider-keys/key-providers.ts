import { channelTypes, providerOf } from "../../../providers/registry.ts";

/** A provider for which callers may have keys of their own. */
export type KeyProvider = Readonly<{
  /** Channel-type number. */
  type: number;
  name: string;
  /** As `X-Provider-Key` names it. */
  slug: string;
  keyHint: string;
  models: readonly string[];
}>;

/** Zhipu has a newer type for the same service; the address of Cloudflare contains the account. */
const EXCLUDED: ReadonlySet<number> = new Set([16, 39]);

/**
 * Providers with one public address and keys that are one secret. One that needs an address, a region or an account is none:
 * a caller's key goes nowhere but to the provider that it is for.
 */
export const keyProviders: readonly KeyProvider[] = channelTypes
  .filter(
    ({ id, defaultBaseUrl, endedOn, keyHint, listsModels, noListPrice }) =>
      defaultBaseUrl?.startsWith("https://") &&
      listsModels &&
      endedOn === null &&
      noListPrice !== "own_app" &&
      !/[|{]/.test(keyHint) &&
      !EXCLUDED.has(id),
  )
  .map(({ id: type, name, keyHint, models }) => ({
    type,
    name,
    slug: slugOf(type),
    keyHint,
    models,
  }));

/** The owner's name in lower case, with dashes: `openai`, `anthropic`, `01-ai`. */
function slugOf(type: number): string {
  return (providerOf(type)?.owner ?? "").toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}

const byType = new Map(keyProviders.map((provider) => [provider.type, provider]));
const bySlug = new Map(keyProviders.map((provider) => [provider.slug, provider]));

/** The provider of a channel-type number; undefined: callers can have no key for it. */
export const keyProviderOf = (type: number): KeyProvider | undefined => byType.get(type);

/** The provider of a name such as `openai`; undefined: callers can have no key for it. */
export const findKeyProvider = (slug: string): KeyProvider | undefined => bySlug.get(slug.toLowerCase());

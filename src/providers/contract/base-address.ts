import { type CallParams, OPENAI_PATHS } from "./provider.ts";

/**
 * How a service's base addresses are written. Operators paste what its pages print: with or without the version, the address
 * of a sibling API (`/anthropic`), of a subscription (`/api/coding/v3`), or the URL of a call.
 */
export type AddressForms = Readonly<{
  /** Used where the channel has no address; null: it must have one. */
  fallback: string | null;
  /** What stands between the service's address and the path of a call: the version, and what precedes it. */
  root: string;
  /** Endings of printed addresses, and what takes their place: the calls' paths follow at once. The first that fits counts. */
  printed?: readonly (readonly [ending: RegExp, path: string])[];
}>;

/** Where a channel's calls go. */
export type ResolvedBase = Readonly<{
  /** What the path of a call in the service's main API follows, with the version. */
  api: string;
  /** The same without the root, for the service's other APIs. */
  service: string;
}>;

/** Paths of calls that an operator may paste along with the address. */
const CALL =
  /\/(chat\/completions|completions|responses|embeddings|messages(\/count_tokens)?|images\/generations|rerank|models(?<=\/v\d\w*\/models))$/i;
/** A path that ends with a version is complete, also where the version is that of another API: a compatible one stands behind it. */
const VERSIONED =
  /^https?:\/\/[^/]+\/(?:.*\/)?(v\d+(\.\d+)*((alpha|beta|preview)\d*)?(\/openai)?|endpoints\/openapi)$/i;

/** Each call asks, and channels have few addresses. */
const known = new WeakMap<AddressForms, Map<string, ResolvedBase>>();
const MOST_KNOWN = 10_000;

/**
 * Where the calls of a channel go whose address was typed as `typed`. No part is doubled: an address that has the service's
 * root, a version, or a part of the root keeps it; a query is left out. `forms`: the same object for each call.
 */
export function resolveBase(typed: string, forms: AddressForms): ResolvedBase {
  const bases = known.get(forms) ?? new Map<string, ResolvedBase>();
  const found = bases.get(typed);
  if (found) return found;
  if (bases.size >= MOST_KNOWN) bases.clear();
  const base = readBase(typed, forms);
  known.set(forms, bases.set(typed, base));
  return base;
}

function readBase(typed: string, forms: AddressForms): ResolvedBase {
  const { fallback, root, printed = [] } = forms;
  const [path = ""] = typed.trim().split(/[?#]/);
  const address = trimSlashes(path);
  // A host alone, where the service has a path.
  if (address === "" || fallback?.startsWith(`${address}/`)) return below(trimSlashes(fallback ?? ""), root);
  const bare = trimSlashes(address.replace(CALL, ""));
  const form = printed.find(([ending]) => ending.test(bare));
  if (form) return resolved(bare.replace(form[0], form[1]), root);
  if (bare !== address || VERSIONED.test(bare) || hasRoot(bare, root)) return resolved(bare, root);
  return below(bare, root);
}

/** An address without slashes at its end. */
export const trimSlashes = (address: string): string => address.replace(/\/+$/, "");

const hasRoot = (address: string, root: string): boolean => root !== "" && address.endsWith(root);

const resolved = (api: string, root: string): ResolvedBase => ({
  api,
  service: hasRoot(api, root) ? api.slice(0, -root.length) : api,
});

/** The root, or what the address lacks of it, after the address. */
function below(address: string, root: string): ResolvedBase {
  if (hasRoot(address, root)) return resolved(address, root);
  const parts = root.split("/");
  for (let count = parts.length - 1; count > 1; count -= 1) {
    const begin = parts.slice(0, count).join("/");
    if (address.endsWith(begin)) return resolved(address.slice(0, -begin.length) + root, root);
  }
  return { api: address + root, service: address };
}

/** The path of a call after the version; realtime sessions name their model in the query. */
export const openaiPath = ({ capability, dialect, model, compacts }: CallParams): string => {
  if (dialect === "openai-responses") return compacts ? "/responses/compact" : "/responses";
  return OPENAI_PATHS[capability] + (capability === "realtime" ? `?model=${encodeURIComponent(model)}` : "");
};

import type { JsonObject } from "../dialects/json.ts";
import type { TopLevelChanges } from "../lib/json-splice.ts";

/** What a client can ask of a provider. */
export type Capability = "chat" | "completions" | "embeddings";

/** The wire format a provider speaks. */
export type Dialect = "openai-chat";

/** What a provider's table may look at of a channel. */
export type ProviderChannel = Readonly<{ baseUrl: string; other: string; openaiOrganization: string }>;

/**
 * One kind of upstream, registered by its channel-type number: where it is, how it is addressed and signed, what it can do
 * and where it differs from its dialect. Adding a provider is adding such a table and its samples.
 */
export type Provider = Readonly<{
  /** Channel-type number, as the ecosystem has it. */
  type: number;
  name: string;
  /** Shown as `owned_by` of its models. */
  owner: string;
  dialect: Dialect;
  /** Used when the channel has no address of its own; null: the channel must have one. */
  defaultBaseUrl: string | null;
  capabilities: readonly Capability[];
  /** What a key looks like, for the console's form. */
  keyHint: string;
  /** Models offered in the console when the upstream is not asked. */
  models: readonly string[];
  /** Address of a call. Throws nothing: an address that is none is found out when it is dialled. */
  url(channel: ProviderChannel, capability: Capability, model: string): string;
  /** Address of the list of models; null: it has none. */
  modelListUrl(channel: ProviderChannel): string | null;
  /** Headers that carry the key. */
  authHeaders(channel: ProviderChannel, key: string): Record<string, string>;
  /** What must change in a body of its dialect for this upstream; null: nothing. `model` is the upstream name. */
  adapt?(body: JsonObject, model: string, capability: Capability): Adaptation | null;
  /** Understands `stream_options.include_usage`. */
  streamUsage: boolean;
}>;

/** Changes to a request's top level, and the names of fields that could not be kept. */
export type Adaptation = { model: string; changes: TopLevelChanges; dropped: readonly string[] };

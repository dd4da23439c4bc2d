import { type JsonObject, numberOf, recordOf, recordsOf } from "../../formats/json.ts";
import type { OwnFormat } from "../contract/native-format.ts";
import {
  type Adaptation,
  type Ask,
  type Capability,
  isTask,
  type NoListPrice,
  openaiPath,
  type Provider,
  type ProviderChannel,
} from "../contract/provider.ts";
import { withoutDeveloper } from "./developer-role.ts";

type Range = readonly [number, number];

/** Where a service differs from OpenAI's chat format; each wish is met without an avoidable 400. */
export type Quirks = Readonly<{
  /** Fields it refuses. */
  refused?: readonly string[];
  /** What it takes of a sampling value; others are moved to the nearest end. */
  temperature?: Range;
  topP?: Range;
  /** The field that limits the answer. */
  limitField?: "max_tokens" | "max_completion_tokens";
  /** All that it takes: everything else it refuses. */
  taken?: ReadonlySet<string>;
  /** Fields that it knows by another name. */
  renamed?: Readonly<Record<string, string>>;
  /** Everything else. Gets the body with the changes so far, returns further ones. */
  further?(body: JsonObject, ask: Ask): JsonObject;
  /** What its Responses differ in. */
  responses?(body: JsonObject, ask: Ask): Adaptation | null;
  /** The members by which it searches the web where `web_search_options` ask for that, and that of them which it takes. */
  search?: Readonly<{
    members(body: JsonObject, ask: Ask): JsonObject;
    takes: readonly string[];
    tool?: Provider["searchTool"];
  }>;
  /** Fields that `further` takes away because what they say is said otherwise. */
  met?(body: JsonObject): readonly string[];
  /** Changes to a request for vectors; what it takes away without saying it otherwise is in `unsaid`. */
  vectors?(body: JsonObject): Readonly<{ changes: JsonObject; unsaid?: readonly string[] }>;
}>;

/** A service that speaks OpenAI's chat format under its own address. */
export type Compatible = Readonly<{
  type: number;
  name: string;
  owner: string;
  /** Null: the channel must have an address. */
  base: string | null;
  /** Between base and `/chat/completions`; an address that already ends so is left alone. */
  root?: string;
  capabilities?: readonly Capability[];
  keyHint?: string;
  models: readonly string[];
  noListPrice?: NoListPrice;
  /** It cannot be asked for its models. */
  listsNoModels?: boolean;
  streamUsage?: boolean;
  quirks?: Quirks;
  /** Calls in words of its own, and where they go behind the version; absent: where OpenAI has them. */
  own?: Readonly<Partial<Record<Capability, Readonly<{ path?: string; format: OwnFormat }>>>>;
  /** Also keeps files and batches as OpenAI does. */
  objects?: boolean;
  /** Knows Anthropic's marks of what is to be cached. */
  marksCache?: boolean;
  /** Also understands OpenAI's Responses. */
  responses?: boolean;
  dialectOf?: Provider["dialectOf"];
  /** Paths behind the address without its version, and where in the answer the balance stands. */
  balance?: Readonly<{ path: string; elsePath?: string; read(answer: unknown): unknown }> &
    Pick<NonNullable<Provider["balance"]>, "currency">;
  /** Headers besides the key. */
  headers?: Readonly<Record<string, string>>;
}>;

/** The table of a compatible service as a provider. */
export function compatible(table: Compatible): Provider {
  const { base, root = "/v1", quirks = {} } = table;
  const address = (channel: ProviderChannel) => {
    const own = (channel.baseUrl || base || "").replace(/\/+$/, "");
    return root === "" || own.endsWith(root) ? own : own + root;
  };
  return {
    type: table.type,
    name: table.name,
    owner: table.owner,
    dialects: table.responses ? ["openai-chat", "openai-responses"] : ["openai-chat"],
    defaultBaseUrl: base,
    capabilities: table.capabilities ?? ["chat"],
    keyHint: table.keyHint ?? "sk-…",
    models: table.models,
    ...(table.noListPrice && { noListPrice: table.noListPrice }),
    url: (channel, ask) =>
      address(channel) + ((!isTask(ask.capability) && table.own?.[ask.capability]?.path) || openaiPath(ask)),
    modelListUrl: (channel) => (table.listsNoModels ? null : `${address(channel)}/models`),
    ...(table.own && {
      ownFormat: ({ capability }) => (!isTask(capability) && table.own?.[capability]?.format) || null,
    }),
    ...(table.objects && { objects: { url: (channel: ProviderChannel, path: string) => address(channel) + path } }),
    ...(table.balance && { balance: balanceOf(table.balance, (channel) => address(channel), root) }),
    authHeaders: (_channel, key) => ({ ...(key && { authorization: `Bearer ${key}` }), ...table.headers }),
    ...(table.dialectOf && { dialectOf: table.dialectOf }),
    ...(quirks.search && { searchesChats: true }),
    ...(table.marksCache && { marksCache: true }),
    ...(quirks.search?.tool && { searchTool: quirks.search.tool }),
    adapt(body, ask) {
      if (ask.dialect === "openai-chat") return meetQuirks(body, ask, quirks);
      return ask.dialect === "openai-responses" ? (quirks.responses?.(body, ask) ?? null) : null;
    },
    streamUsage: table.streamUsage ?? true,
  };
}

function balanceOf(
  { path, elsePath, read, currency }: NonNullable<Compatible["balance"]>,
  address: (channel: ProviderChannel) => string,
  root: string,
): NonNullable<Provider["balance"]> {
  const under = (behind: string) => (channel: ProviderChannel) =>
    address(channel).slice(0, root === "" ? undefined : -root.length) + behind;
  return {
    url: under(path),
    ...(elsePath && { elseUrl: under(elsePath) }),
    read(answer) {
      const amount = Number(read(answer) ?? Number.NaN);
      return Number.isFinite(amount) ? amount : null;
    },
    ...(currency && { currency }),
  };
}

/** The changes by which a chat request meets a service's quirks; null: none are needed. What goes away is named. */
function meetQuirks(body: JsonObject, ask: Ask, quirks: Quirks): Adaptation | null {
  if (ask.capability === "embeddings" && quirks.vectors) {
    const { changes, unsaid = [] } = quirks.vectors(body);
    const dropped = unsaid.filter((field) => body[field] != null);
    if (Object.keys(changes).length + dropped.length === 0) return null;
    return { model: ask.model, changes: { ...changes, ...without(dropped) }, dropped };
  }
  if (ask.capability !== "chat") return null;
  const changes: JsonObject = {};
  const { limitField, renamed = {}, taken } = quirks;
  for (const field of quirks.refused ?? []) if (body[field] != null) changes[field] = undefined;
  clamp(body, changes, "temperature", quirks.temperature);
  clamp(body, changes, "top_p", quirks.topP);
  if (limitField) rename(body, changes, otherLimit(limitField), limitField);
  for (const [field, name] of Object.entries(renamed)) rename(body, changes, field, name);
  const messages = withoutDeveloper(body.messages);
  if (messages) changes.messages = messages;
  if (taken) for (const field of Object.keys(body)) if (!taken.has(field)) changes[field] = undefined;
  const wishes = quirks.search ? recordOf(body.web_search_options) : null;
  if (wishes) Object.assign(changes, quirks.search?.members(body, ask));
  Object.assign(changes, quirks.further?.({ ...body, ...changes }, ask));
  if (Object.keys(changes).length === 0) return null;
  const met = new Set([
    "stream_options",
    ...(wishes ? ["web_search_options"] : []),
    ...Object.keys(renamed),
    ...(quirks.met?.(body) ?? []),
  ]);
  if (limitField) met.add(otherLimit(limitField));
  const gone = (field: string) => Object.hasOwn(changes, field) && changes[field] === undefined;
  const dropped = Object.keys(body).filter((field) => body[field] != null && gone(field) && !met.has(field));
  const unmet = Object.keys(wishes ?? {}).filter((name) => !quirks.search?.takes.includes(name));
  return { model: ask.model, changes, dropped: [...dropped, ...unmet.map((name) => `web_search_options: ${name}`)] };
}

const without = (fields: readonly string[]): JsonObject =>
  Object.fromEntries(fields.map((field) => [field, undefined]));

function clamp(body: JsonObject, changes: JsonObject, field: string, range: Range | undefined): void {
  const value = numberOf(body[field]);
  if (!range || value === null) return;
  const near = Math.min(range[1], Math.max(range[0], value));
  if (near !== value) changes[field] = near;
}

const otherLimit = (field: "max_tokens" | "max_completion_tokens") =>
  field === "max_tokens" ? "max_completion_tokens" : "max_tokens";

function rename(body: JsonObject, changes: JsonObject, field: string, name: string): void {
  if (body[field] == null) return;
  changes[field] = undefined;
  changes[name] ??= body[name] ?? body[field];
}

/** Content of a message's parts with images as plain addresses: for services that take no objects. */
export const imageAddresses = (messages: unknown): JsonObject[] =>
  recordsOf(messages).map((message) => ({
    ...message,
    ...(Array.isArray(message.content) && {
      content: recordsOf(message.content).map((part) =>
        part.type === "image_url" ? { ...part, image_url: recordOf(part.image_url)?.url ?? part.image_url } : part,
      ),
    }),
  }));

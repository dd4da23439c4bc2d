import { type JsonObject, numberOf, recordOf, recordsOf } from "../../formats/json.ts";
import { isUnknownEndpoint } from "../../formats/openai-chat/errors.ts";
import { withoutDeveloper } from "../../formats/openai-chat/request/developer-role.ts";
import type { CallParams, Limitation, Preparation, Rejection } from "../contract/provider.ts";

type Range = readonly [number, number];
type LimitField = "max_tokens" | "max_completion_tokens";

/** Where a service differs from OpenAI's chat completions, so that it is not sent what it would reject. */
export type Quirks = Readonly<{
  /** Fields it rejects. */
  rejected?: readonly string[];
  /** All fields it accepts: everything else it rejects. */
  accepted?: ReadonlySet<string>;
  /** Allowed range; values outside are clamped. */
  temperature?: Range;
  topP?: Range;
  /** The field that limits the length of the response. */
  limitField?: LimitField;
  /** The service's name for each renamed OpenAI field. */
  renamed?: Readonly<Record<string, string>>;
  /** Anything else: gets the body with the changes so far, returns further changes. */
  rewrite?(body: JsonObject, params: CallParams): JsonObject;
  /** Fields that `rewrite` removes because it expresses them otherwise: they don't count as dropped. */
  expressed?(body: JsonObject, params: CallParams): readonly string[];
  /** How it searches the web when `web_search_options` request that. */
  search?: Readonly<{
    fields(body: JsonObject, params: CallParams): JsonObject;
    /** Members of `web_search_options` that it understands. */
    supports: readonly string[];
    /** Further ways to request a search. */
    isRequestedBy?(body: JsonObject, model: string): boolean;
    /** The price list's name of the search, where responses don't report the number of searches. */
    pricedAs?(body: JsonObject): string;
  }>;
  /** Changes to a request for embeddings; `dropped` are fields removed without being expressed otherwise. */
  embeddings?(body: JsonObject): Readonly<{ changes: JsonObject; dropped?: readonly string[] }>;
  /** Changes to a request of OpenAI's Responses API. */
  responses?(body: JsonObject, params: CallParams): Preparation | null;
}>;

/** The changes that a request needs for a service's quirks, and what is lost by them; null: none. */
export function applyQuirks(body: JsonObject, params: CallParams, quirks: Quirks): Preparation | null {
  if (params.dialect === "openai-responses") return quirks.responses?.(body, params) ?? null;
  if (params.dialect !== "openai-chat") return null;
  if (params.capability === "chat") return prepareChat(body, params, quirks);
  return params.capability === "embeddings" && quirks.embeddings
    ? prepareEmbeddings(body, params.model, quirks.embeddings(body))
    : null;
}

function prepareEmbeddings(
  body: JsonObject,
  model: string,
  { changes, dropped: removed = [] }: Readonly<{ changes: JsonObject; dropped?: readonly string[] }>,
): Preparation | null {
  const dropped = removed.filter((field) => body[field] != null);
  if (Object.keys(changes).length + dropped.length === 0) return null;
  return { model, changes: { ...changes, ...Object.fromEntries(dropped.map((field) => [field, undefined])) }, dropped };
}

function prepareChat(body: JsonObject, params: CallParams, quirks: Quirks): Preparation | null {
  const changes: JsonObject = {};
  const { limitField, renamed = {}, accepted, search } = quirks;
  for (const field of quirks.rejected ?? []) if (body[field] != null) changes[field] = undefined;
  clamp(body, changes, "temperature", quirks.temperature);
  clamp(body, changes, "top_p", quirks.topP);
  if (limitField) rename(body, changes, otherLimit(limitField), limitField);
  for (const [field, name] of Object.entries(renamed)) rename(body, changes, field, name);
  const messages = withoutDeveloper(body.messages);
  if (messages) changes.messages = messages;
  if (accepted) for (const field of Object.keys(body)) if (!accepted.has(field)) changes[field] = undefined;
  const searchOptions = search ? recordOf(body.web_search_options) : null;
  if (searchOptions) Object.assign(changes, search?.fields(body, params));
  Object.assign(changes, quirks.rewrite?.({ ...body, ...changes }, params));
  if (Object.keys(changes).length === 0) return null;
  const expressed = new Set([
    "stream_options",
    ...(searchOptions ? ["web_search_options"] : []),
    ...(limitField ? [otherLimit(limitField)] : []),
    ...Object.keys(renamed),
    ...(quirks.expressed?.(body, params) ?? []),
  ]);
  const isRemoved = (field: string) => Object.hasOwn(changes, field) && changes[field] === undefined;
  const dropped = Object.keys(body).filter((field) => body[field] != null && isRemoved(field) && !expressed.has(field));
  const unsupported = Object.keys(searchOptions ?? {}).filter((name) => !search?.supports.includes(name));
  return {
    model: params.model,
    changes,
    dropped: [...dropped, ...unsupported.map((name) => `web_search_options: ${name}`)],
  };
}

function clamp(body: JsonObject, changes: JsonObject, field: string, range: Range | undefined): void {
  const value = numberOf(body[field]);
  if (!range || value === null) return;
  const nearest = Math.min(range[1], Math.max(range[0], value));
  if (nearest !== value) changes[field] = nearest;
}

const otherLimit = (field: LimitField): LimitField => (field === "max_tokens" ? "max_completion_tokens" : "max_tokens");

function rename(body: JsonObject, changes: JsonObject, field: string, name: string): void {
  if (body[field] == null) return;
  changes[field] = undefined;
  changes[name] ??= body[name] ?? body[field];
}

/** Messages whose images are plain URLs: for services that take no `image_url` objects. */
export const withPlainImageUrls = (messages: unknown): JsonObject[] =>
  recordsOf(messages).map((message) => ({
    ...message,
    ...(Array.isArray(message.content) && {
      content: recordsOf(message.content).map((part) =>
        part.type === "image_url" ? { ...part, image_url: recordOf(part.image_url)?.url ?? part.image_url } : part,
      ),
    }),
  }));

/**
 * What a rejection by OpenAI, or a compatible server, reveals about its Responses API: many servers lack it, and OpenAI
 * summarizes reasoning only for verified organizations (https://help.openai.com/en/articles/10910291).
 */
export function onResponsesRejected({ status, error, params }: Rejection): Limitation | null {
  if (params.dialect !== "openai-responses") return null;
  if (isUnknownEndpoint(status, error)) return params.compacts ? "compaction" : "responses";
  return status === 400 && /verified.*reasoning summar/i.test(error.message) ? "reasoning-summaries" : null;
}

import { shippedCatalog } from "../../catalog/catalog.ts";
import { type JsonObject, numberOf, recordOf, recordsOf } from "../../formats/json.ts";
import { isUnknownEndpoint } from "../../formats/openai-chat/errors.ts";
import { withoutDeveloper } from "../../formats/openai-chat/request/developer-role.ts";
import {
  fitReasoning,
  reasoningMembers,
  renameReasoning,
} from "../../formats/openai-chat/request/reasoning-setting.ts";
import { chatServiceFor, chatServiceOf, type ServiceFacts } from "../contract/facts.ts";
import type { CallParams, Limitation, Preparation, Rejection } from "../contract/provider.ts";
import type { LimitField, Range } from "../contract/request-differences.ts";

/** The changes that a request needs to fit a service, and what is lost by them; null: none. */
export function fitRequest(body: JsonObject, params: CallParams, facts: ServiceFacts): Preparation | null {
  const differences = facts.requests ?? {};
  if (params.dialect === "openai-responses") {
    const fitted = differences.responses ? differences.responses(body, params) : fitResponse(body, params, facts);
    return withTier(fitted, body, params, facts);
  }
  if (params.dialect !== "openai-chat") return null;
  if (params.capability === "chat") return prepareChat(body, params, facts);
  return params.capability === "embeddings" && differences.embeddings
    ? prepareEmbeddings(body, params.model, differences.embeddings(body))
    : null;
}

/** Reasoning that is switched off has the same switch in both APIs, where the service has one. */
function fitResponse(body: JsonObject, params: CallParams, facts: ServiceFacts): Preparation | null {
  const { effort, ...rest } = recordOf(body.reasoning) ?? {};
  const { model, catalog = shippedCatalog } = params;
  const service = chatServiceFor({ facts }, params);
  if (effort !== "none" || service.reasoning.length === 0) return null;
  const { members, isHonored } = reasoningMembers({ type: "off" }, service, model, catalog.find(model));
  const { reasoning_effort: lowest, ...switches } = members;
  const reasoning = { ...rest, ...(lowest !== undefined && { effort: lowest }) };
  const changes = { reasoning: Object.keys(reasoning).length > 0 ? reasoning : undefined, ...switches };
  return { model, changes, dropped: isHonored ? [] : ["reasoning_effort"] };
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

function prepareChat(body: JsonObject, params: CallParams, facts: ServiceFacts): Preparation | null {
  const { requests: differences = {} } = facts;
  const changes: JsonObject = {};
  const { limitField, renamed = {}, accepted, search } = differences;
  for (const field of differences.rejected ?? []) if (body[field] != null) changes[field] = undefined;
  clamp(body, changes, "temperature", differences.temperature);
  clamp(body, changes, "top_p", differences.topP);
  if (limitField) renameLimit(body, changes, limitField);
  fitTier(body, changes, facts.tiers);
  for (const [field, name] of Object.entries(renamed)) rename(body, changes, field, name);
  const messages = withoutDeveloper(body.messages);
  const renamedMessages = facts.chat ? renameReasoning(messages ?? body.messages, chatServiceOf({ facts })) : null;
  if (messages || renamedMessages) changes.messages = renamedMessages ?? messages;
  const { model, catalog = shippedCatalog } = params;
  const fitted = fitReasoning(body, chatServiceFor({ facts }, params), model, catalog.find(model));
  Object.assign(changes, fitted?.changes);
  if (accepted) for (const field of Object.keys(body)) if (!accepted.has(field)) changes[field] = undefined;
  const searchOptions = search ? recordOf(body.web_search_options) : null;
  if (searchOptions) Object.assign(changes, search?.fields(body, params));
  Object.assign(changes, differences.rewrite?.({ ...body, ...changes }, params));
  if (Object.keys(changes).length === 0) return null;
  const expressed = new Set([
    "stream_options",
    ...Object.keys(fitted?.changes ?? {}),
    ...(searchOptions ? ["web_search_options"] : []),
    ...(limitField ? [otherLimit(limitField)] : []),
    ...Object.keys(renamed),
    ...(differences.expressed?.(body, params) ?? []),
  ]);
  const isRemoved = (field: string) => Object.hasOwn(changes, field) && changes[field] === undefined;
  const dropped = Object.keys(body).filter((field) => body[field] != null && isRemoved(field) && !expressed.has(field));
  const unsupported = Object.keys(searchOptions ?? {}).filter((name) => !search?.supports.includes(name));
  return {
    model: params.model,
    changes,
    dropped: [
      ...dropped,
      ...(fitted?.dropped ?? []),
      ...(differences.weakened?.(body) ?? []),
      ...unsupported.map((name) => `web_search_options: ${name}`),
    ],
  };
}

function clamp(body: JsonObject, changes: JsonObject, field: string, range: Range | undefined): void {
  const value = numberOf(body[field]);
  if (!range || value === null) return;
  const nearest = Math.min(range[1], Math.max(range[0], value));
  if (nearest !== value) changes[field] = nearest;
}

/** A service tier by the service's name for it; one that it does not have is left out. */
function fitTier(body: JsonObject, changes: JsonObject, tiers: ServiceFacts["tiers"]): void {
  const { service_tier: requested } = body;
  if (!tiers || typeof requested !== "string" || Object.values(tiers).includes(requested)) return;
  changes.service_tier = Object.hasOwn(tiers, requested) ? tiers[requested] : undefined;
}

/** The prepared request with the service's name of its tier. */
function withTier(
  prepared: Preparation | null,
  body: JsonObject,
  { model }: CallParams,
  { tiers }: ServiceFacts,
): Preparation | null {
  const changes: JsonObject = {};
  fitTier(body, changes, tiers);
  if (!Object.hasOwn(changes, "service_tier")) return prepared;
  const lost = changes.service_tier === undefined ? ["service_tier"] : [];
  return {
    ...(prepared ?? { model }),
    changes: { ...prepared?.changes, ...changes },
    dropped: [...(prepared?.dropped ?? []), ...lost],
  };
}

const otherLimit = (field: LimitField): LimitField => (field === "max_tokens" ? "max_completion_tokens" : "max_tokens");

/** Of two limits the smaller counts: either may be the one that includes reasoning. */
function renameLimit(body: JsonObject, changes: JsonObject, field: LimitField): void {
  const other = otherLimit(field);
  const [own, others] = [numberOf(body[field]), numberOf(body[other])];
  rename(body, changes, other, field);
  if (own !== null && others !== null && others < own) changes[field] = others;
}

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

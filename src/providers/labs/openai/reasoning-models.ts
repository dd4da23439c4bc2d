import type { Catalog } from "../../../catalog/catalog.ts";
import { shippedCatalog } from "../../../catalog/shipped.ts";
import type { ChatDialect } from "../../../formats/conversation/conversation.ts";
import { type JsonObject, recordOf } from "../../../formats/json.ts";
import { developerAsSystem } from "../../../formats/openai-chat/request/developer-role.ts";
import { searchesAlways } from "../../../formats/openai-chat/response/search-usage.ts";
import type { CallParams, Preparation } from "../../contract/provider.ts";
import { prepareSearchModel, withoutSearch } from "./chat-search.ts";
import { effortFor, neverReasons } from "./efforts.ts";

/** Sampling fields that reasoning models reject. */
const REFUSED = [
  "temperature",
  "top_p",
  "presence_penalty",
  "frequency_penalty",
  "logprobs",
  "top_logprobs",
  "logit_bias",
];

/** Models that also reject stop sequences; GPT-5.5 and later accept them again. */
const WITHOUT_STOP = /^(o3(?!-mini)|o4|gpt-5(\.[0-4])?(-|$))/;
/** Models that call one tool at a time, and reject `parallel_tool_calls`. */
const ONE_BY_ONE = /^o\d/;

/** Always reason. */
const ALWAYS_REASONS = /^(o[1-9]\d*|gpt-5)(-(mini|nano|pro|preview|codex|deep-research))*(-\d{4}-\d{2}-\d{2})?$/;
/** Models that reason only with an effort other than "none". */
const MAY_REASON = /^gpt-5\.\d+(-|$)/;
/** Models that accept developer messages, which rank above system messages. o1-mini and o1-preview accept neither. */
const TAKES_DEVELOPER = /^(o1(?!-(mini|preview))|o[3-9]|gpt-5)/;
const EFFORT_SUFFIX = /^((?:o[1-9]\d*|gpt-5).*)-(high|medium|low)$/;

/** Sampling fields that the Responses API rejects for these models. */
const REFUSED_IN_RESPONSES = ["temperature", "top_p", "top_logprobs"];
const LOGPROBS = "message.output_text.logprobs";
const SEALED = "reasoning.encrypted_content";
/** Models without chat completions; those named by a version still always reason. */
const RESPONSES_ONLY = /^(o\d+|gpt-5(\.\d+)?)-pro\b|^gpt-5.*-codex|-deep-research\b|^computer-use-/;

/** The only format in which OpenAI serves a model; null: any. */
export const onlyFormatOf = (model: string): ChatDialect | null =>
  RESPONSES_ONLY.test(model) ? "openai-responses" : null;

/**
 * What to change in a request to OpenAI, in either of its formats, for models that reason or search; null if nothing.
 */
export function prepareForOpenAi(body: JsonObject, params: CallParams): Preparation | null {
  const { capability, dialect, model, catalog = shippedCatalog } = params;
  if (capability !== "chat") return null;
  if (searchesAlways(model)) return prepareSearchModel(body, model);
  if (dialect === "openai-responses") return prepareResponse(body, model, catalog);
  const unsearched = withoutSearch(body, model);
  const prepared = prepareChat(body, model, catalog);
  if (!unsearched || !prepared) return prepared ?? unsearched;
  return {
    model: prepared.model,
    changes: { ...unsearched.changes, ...prepared.changes },
    dropped: [...unsearched.dropped, ...prepared.dropped],
  };
}

/**
 * A model's name without suffix, the effort that its suffix requests, and whether it can also answer without reasoning;
 * null if it never reasons.
 */
function readName(model: string): Readonly<{ name: string; effort: string | undefined; mayReason: boolean }> | null {
  const suffixed = EFFORT_SUFFIX.exec(model);
  const name = suffixed?.[1] ?? model;
  const mayReason = MAY_REASON.test(name) && !RESPONSES_ONLY.test(name);
  return MAY_REASON.test(name) || ALWAYS_REASONS.test(name) ? { name, effort: suffixed?.[2], mayReason } : null;
}

/**
 * OpenAI's o-series and GPT-5 require max_completion_tokens, reject sampling fields while they reason, and expect the
 * first system message as developer message. The suffixes `-high`, `-medium` and `-low` request that effort.
 */
function prepareChat(body: JsonObject, model: string, catalog: Catalog): Preparation | null {
  const read = readName(model);
  if (!read) return preparePlain(body, model, catalog);
  const { name } = read;
  const changes: Record<string, unknown> = {};
  const effort = effortFor(catalog.find(name), read.effort ?? body.reasoning_effort);
  if (effort !== body.reasoning_effort) changes.reasoning_effort = effort;
  if (body.max_tokens !== undefined) {
    changes.max_tokens = undefined;
    if (body.max_completion_tokens === undefined) changes.max_completion_tokens = body.max_tokens;
  }
  const reasons = !read.mayReason || (effort ?? "none") !== "none";
  const refused = [
    ...(reasons ? REFUSED : []),
    ...(WITHOUT_STOP.test(name) ? ["stop"] : []),
    ...(ONE_BY_ONE.test(name) ? ["parallel_tool_calls"] : []),
  ];
  const dropped = refused.filter((field) => body[field] != null);
  for (const field of dropped) changes[field] = undefined;
  const messages = TAKES_DEVELOPER.test(name) ? withDeveloperFirst(body.messages) : null;
  if (messages) changes.messages = messages;
  return { model: name, changes, dropped };
}

/**
 * The same for the Responses API, where the effort is in `reasoning`, and log probabilities are requested in `include`.
 */
function prepareResponse(body: JsonObject, model: string, catalog: Catalog): Preparation | null {
  const read = readName(model);
  if (!read) return preparePlain(body, model, catalog);
  const { name } = read;
  const reasoning = recordOf(body.reasoning);
  const changes: Record<string, unknown> = {};
  const effort = effortFor(catalog.find(name), read.effort ?? reasoning?.effort);
  if (effort !== reasoning?.effort) changes.reasoning = { ...reasoning, effort };
  const reasons = !read.mayReason || (effort ?? "none") !== "none";
  if (!reasons) return { model: name, changes, dropped: [] };
  const refused = [...REFUSED_IN_RESPONSES, ...(ONE_BY_ONE.test(name) ? ["parallel_tool_calls"] : [])];
  const dropped = refused.filter((field) => body[field] != null);
  for (const field of dropped) changes[field] = undefined;
  if (Array.isArray(body.include) && body.include.includes(LOGPROBS)) {
    const include = body.include.filter((item) => item !== LOGPROBS);
    changes.include = include.length > 0 ? include : undefined;
    dropped.push("logprobs");
  }
  return { model: name, changes, dropped };
}

/**
 * What to remove for any other model: OpenAI's other models reject reasoning options, and other servers may reject
 * developer messages. Null if nothing.
 */
function preparePlain(body: JsonObject, model: string, catalog: Catalog): Preparation | null {
  const messages = developerAsSystem(body.messages, model);
  if (!neverReasons(catalog.find(model))) return messages && { model, changes: { messages }, dropped: [] };
  const requested = ["reasoning_effort", "reasoning"].filter((field) => body[field] != null);
  const changes: Record<string, unknown> = Object.fromEntries(requested.map((field) => [field, undefined]));
  // Without reasoning there is nothing to encrypt.
  if (Array.isArray(body.include) && body.include.includes(SEALED))
    changes.include = body.include.filter((item) => item !== SEALED);
  const dropped = requested.length > 0 ? ["reasoning_effort"] : [];
  return Object.keys(changes).length === 0 ? null : { model, changes, dropped };
}

function withDeveloperFirst(messages: unknown): unknown[] | null {
  if (!Array.isArray(messages)) return null;
  const first = recordOf(messages[0]);
  return first?.role === "system" ? [{ ...first, role: "developer" }, ...messages.slice(1)] : null;
}

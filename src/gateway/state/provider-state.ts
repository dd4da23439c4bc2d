import { CHANNEL_STATUS } from "../../domain/channels/entry.ts";
import { type JsonObject, recordOf, textOf } from "../../formats/json.ts";
import type { RequestRules } from "../../formats/request-rules.ts";
import type { Call } from "../call/call.ts";
import { GatewayError } from "../call/errors.ts";
import type { RoutePlan } from "../call/route.ts";
import type { Uses } from "../call/services.ts";
import { invalidRequest } from "../request/client-body.ts";
import { onTarget } from "../routing/model-fallbacks.ts";
import { findChannel } from "../routing/scheduler/choose.ts";
import { bindConversation, type ConversationStateContext } from "./conversation-state.ts";
import { keyHashOf } from "./objects/request-upstream.ts";
import { findOwners, objectsApart, type Place, type References } from "./references/may-refer.ts";
import { pinChannel } from "./responses/pin-channel.ts";
import type { UsesStores } from "./stores.ts";

/** What these functions work with. */
export type ProviderStateContext = ConversationStateContext & UsesStores<"objects">;

/**
 * Routes a request that refers to something a provider stores (a conversation, a thread, a cached prompt) to a channel
 * that may have it, or inserts what the gateway stores. It never drops such a reference, because the answer would
 * ignore the conversation. A route is bound to its first model whose channels may have it. Rejects GatewayError, the first
 * model's, if no channel can have it.
 */
export function bindState(context: ProviderStateContext, call: Call, route = call.route): Call | Promise<Call> {
  if (route) return bindRoute(context, call, route);
  // Requests in OpenAI's chat format carry the complete conversation. Those of any format may name what is stored.
  if (call.endpoint.codec.dialect === "openai-chat") return bindOwners(context, call);
  return bindConversation(context, call).then((bound) => bindOwners(context, bound));
}

async function bindRoute(context: ProviderStateContext, call: Call, route: RoutePlan): Promise<Call> {
  const failures: unknown[] = [];
  for (const target of route.targets) {
    try {
      return await bindState(context, onTarget(call, target), null);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      failures.push(error);
    }
  }
  throw failures[0];
}

/**
 * Routes a request, of any format, that names something stored to the channel and key that store it. The channel of files and
 * of parts of earlier answers is only preferred, because the provider may know them in another way. What the gateway does not
 * know is left to the provider. Rejects GatewayError: 404 for what is other users', 503 or 400 if the channel cannot take the
 * call.
 */
export function bindOwners(
  context: Uses<"channels"> & UsesStores<"objects" | "responses">,
  call: Call,
): Call | Promise<Call> {
  const references = findReferences([call.body.json], call.endpoint.rules);
  return references ? bindTo(context, call, references) : call;
}

async function bindTo(
  context: Uses<"channels"> & UsesStores<"objects" | "responses">,
  call: Call,
  references: References,
): Promise<Call> {
  const { objects, files, parts } = await findOwners(context, call.caller, references, false);
  if (objects) return pinTo(context, call, objects, objects.id);
  const preferred = files ?? parts;
  if (!preferred || !isCandidate(call, preferred) || isExcluded(context, call, preferred)) return call;
  return pinTo(context, call, preferred, "");
}

function pinTo(context: Uses<"channels">, call: Call, object: Place, id: string): Call {
  const channel =
    findChannel(call.candidates.tiers, object.channelId) ?? context.services.channels.get(object.channelId);
  const hasKey = channel?.keys.some((key) => keyHashOf(channel, key) === object.keyHash);
  if (channel?.status !== CHANNEL_STATUS.enabled || !hasKey) {
    throw new GatewayError(503, "channel_unavailable", { code: "gateway_object_channel_away" });
  }
  if (!isCandidate(call, object)) {
    // An earlier response may have been routed elsewhere already.
    if (call.excluded) throw objectsApart();
    const params = { id, model: call.summary.model };
    throw invalidRequest({ code: "gateway_object_model", params });
  }
  if (isExcluded(context, call, object)) throw objectsApart();
  return pinChannel(call, channel, object.keyHash);
}

/** Whether the call may go to the channel that stores the object. */
const isCandidate = ({ candidates }: Call, { channelId }: Place): boolean =>
  candidates.tiers.some(({ channels }) => channels.some(({ id }) => id === channelId));

/** Whether something else has bound the call to another key of the same channel. */
function isExcluded({ services }: Uses<"channels">, call: Call, { channelId, keyHash }: Place): boolean {
  const { excluded, candidates } = call;
  const channel = findChannel(candidates.tiers, channelId) ?? services.channels.get(channelId);
  const keys = excluded?.keys.get(channelId) ?? [];
  return channel !== undefined && [...keys].some((key) => keyHashOf(channel, key) === keyHash);
}

/**
 * The members of all formats that name something stored: by its id, by several, or as an object with an `id`. What they are
 * looked up as decides how the call is routed, not who may: that holds for all alike.
 */
export const REFERENCE_MEMBERS: ReadonlyMap<string, keyof References> = new Map([
  ["file_id", "files"],
  ["file_ids", "files"],
  ["input_file_id", "files"],
  ["training_file", "files"],
  ["validation_file", "files"],
  ["conversation", "objects"],
  ["container", "objects"],
  ["container_id", "objects"],
  ["vector_store_id", "objects"],
  ["vector_store_ids", "objects"],
  // Google's context caches and environments, and prompts that were saved at OpenAI.
  ["cachedContent", "objects"],
  ["cached_content", "objects"],
  ["environment", "objects"],
  ["prompt", "objects"],
]);

/** Texts of such members that are no ids: the kinds of computers that a tool may use. */
const NO_IDS: ReadonlySet<string> = new Set("auto browser linux mac none ubuntu windows".split(" "));

/** Members that name something stored only as an object with an `id`: their texts are names or data. */
const OBJECT_MEMBERS: ReadonlySet<string> = new Set(["audio", "voice", "prompt"]);

/** References that a module of its own resolves, to what the caller has stored and to nothing else. */
export const RESOLVED_ELSEWHERE: Readonly<Record<string, string>> = {
  previous_response_id: "responses/resume.ts",
  previous_interaction_id: "responses/resume.ts",
  thread: "message-threads.ts, by previous_message_id",
  previous_message_id: "message-threads.ts",
  task_id: "tasks, by the caller's own tasks",
  taskId: "tasks, by the caller's own tasks",
  continue_clip_id: "tasks/music.ts",
  ids: "tasks, by the caller's own tasks",
  // Within the path's own object, which only its owner reaches.
  part_ids: "files/routes.ts",
  eval_id: "evals/routes.ts",
};

/** Members whose names end alike and that name nothing stored. */
export const NO_REFERENCES: Readonly<Record<string, string>> = {
  id: "of the part itself, but for item references and the objects above",
  call_id: "a tool call within the request",
  tool_call_id: "a tool call within the request",
  tool_use_id: "a tool call within the request",
  custom_id: "the client's name of a line",
  customId: "a button of a drawing, which its task names",
  user_id: "the client's name of its user",
  item_id: "an item of the same session",
  previous_item_id: "an item of the same session",
  event_id: "the client's name of an event",
  response_id: "a response of the same session",
  model_id: "a model",
  handle: "a session of the same connection",
};

/** Members whose values are the client's own names in every format. */
const FREE: ReadonlySet<string> = new Set("metadata attributes parameters arguments schema json_schema".split(" "));

/**
 * The references in these parts of a request, at any depth; null if there are none. Members whose values have names that the
 * client chooses, by `rules` of its format too, are left out.
 */
export function findReferences(
  values: readonly unknown[],
  rules: Pick<RequestRules, "members"> | null = null,
): References | null {
  const references: References = { files: new Set(), objects: new Set(), parts: new Set() };
  const isFreeByName = rules?.members.isFreeByName;
  const open = [...values];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== "object" || node === null) continue;
    if (Array.isArray(node)) {
      for (const item of node) {
        if (typeof item !== "object" || item === null) continue;
        if (typeof item.id === "string" && isItemReference(item)) addIds(references.parts, item.id);
        open.push(item);
      }
      continue;
    }
    const item = node as JsonObject;
    for (const name in item) {
      const value: unknown = item[name];
      if (value == null) continue;
      const kind = kindOf(name);
      if (OBJECT_MEMBERS.has(name)) addIds(references[kind ?? "parts"], recordOf(value)?.id);
      else if (kind) addIds(references[kind], recordOf(value)?.id ?? value);
      if (typeof value === "object" && !FREE.has(name) && isFreeByName?.get(name) !== true) open.push(value);
    }
  }
  const { files, objects, parts } = references;
  return files.size + objects.size + parts.size > 0 ? references : null;
}

/** Members that no format of ours has count too, by their names. */
function kindOf(name: string): keyof References | undefined {
  const kind = REFERENCE_MEMBERS.get(name);
  if (kind !== undefined) return kind;
  const endsLikeId = (name.endsWith("d") || name.endsWith("s")) && /(?:_ids?|Ids?)$/.test(name);
  const isReference = endsLikeId && !Object.hasOwn(NO_REFERENCES, name) && !Object.hasOwn(RESOLVED_ELSEWHERE, name);
  return isReference ? "parts" : undefined;
}

/** Whether an item with an id is a reference: OpenAI's Responses take `{id}` alone as well. */
const isItemReference = (item: JsonObject): boolean =>
  item.type === "item_reference" ||
  (item.type == null && Object.keys(item).every((name) => name === "id" || name === "type"));

function addIds(ids: Set<string>, value: unknown): void {
  for (const one of Array.isArray(value) ? value : [value]) {
    const id = textOf(one);
    if (id && !NO_IDS.has(id)) ids.add(id);
  }
}

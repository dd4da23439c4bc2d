import { CHANNEL_STATUS } from "../../../domain/channels/entry.ts";
import { isObject, type JsonObject, recordOf, textOf } from "../../../formats/json.ts";
import type { Caller } from "../../auth/authenticate.ts";
import type { Call } from "../../call/call.ts";
import type { GatewayContext } from "../../call/context.ts";
import { GatewayError } from "../../call/errors.ts";
import { invalidRequest } from "../../http/client-body.ts";
import { unknownObject } from "../files/create-object.ts";
import { keyHashOf } from "../files/request-upstream.ts";
import type { StoredObject } from "../files/store.ts";
import { pinChannel } from "../responses/pin-channel.ts";

/**
 * Routes a request that names conversations, vector stores, containers or files to the channel and key that store them. The
 * channel of a file is only preferred, because the provider may know the file in another way. Objects that the gateway does
 * not know are left to the provider. Rejects GatewayError: 404 for objects of other users, 503 or 400 if the channel cannot
 * take the call.
 */
export async function bindOwners(context: GatewayContext, call: Call): Promise<Call> {
  const { input, tools, conversation, prompt, messages } = call.body.json;
  const references = findReferences([input, tools, { conversation }, prompt, messages]);
  if (!references) return call;
  const { objects, files } = await findOwners(context, call.caller, references, false);
  if (objects) return pinTo(context, call, objects);
  if (!files || !isCandidate(call, files) || isExcluded(context, call, files)) return call;
  return pinTo(context, call, files);
}

function pinTo(context: GatewayContext, call: Call, object: StoredObject): Call {
  const channel = context.services.channels.get(object.channelId);
  const hasKey = channel?.keys.some((key) => keyHashOf(channel, key) === object.keyHash);
  if (channel?.status !== CHANNEL_STATUS.enabled || !hasKey) {
    throw new GatewayError(503, "channel_unavailable", { code: "gateway_object_channel_away" });
  }
  if (!isCandidate(call, object)) {
    // An earlier response may have been routed elsewhere already.
    if (call.excluded) throw objectsApart();
    const params = { id: object.id, model: call.summary.model };
    throw invalidRequest({ code: "gateway_object_model", params });
  }
  if (isExcluded(context, call, object)) throw objectsApart();
  return pinChannel(call, channel, object.keyHash);
}

/** Whether the call may go to the channel that stores the object. */
const isCandidate = ({ candidates }: Call, { channelId }: StoredObject): boolean =>
  candidates.tiers.some(({ channels }) => channels.some(({ id }) => id === channelId));

/** Whether something else has bound the call to another key of the same channel. */
function isExcluded({ services }: GatewayContext, { excluded }: Call, { channelId, keyHash }: StoredObject): boolean {
  const channel = services.channels.get(channelId);
  const keys = excluded?.keys.get(channelId) ?? [];
  return channel !== undefined && [...keys].some((key) => keyHashOf(channel, key) === keyHash);
}

/** Ids in a request: of files, and of conversations, vector stores and containers. */
type References = Readonly<{ files: Set<string>; objects: Set<string> }>;

/** The members that name files, and those that name objects, by id or as an object with one. */
const KINDS: ReadonlyMap<string, keyof References> = new Map([
  ["file_id", "files"],
  ["file_ids", "files"],
  ["conversation", "objects"],
  ["container", "objects"],
  ["container_id", "objects"],
  ["vector_store_id", "objects"],
  ["vector_store_ids", "objects"],
]);

/** Values with names that the client chooses. */
const FREE: ReadonlySet<string> = new Set("metadata attributes parameters arguments schema json_schema".split(" "));

/** The references in values of a request, at any depth; null if there are none. */
export function findReferences(values: readonly unknown[]): References | null {
  const references: References = { files: new Set(), objects: new Set() };
  const open = values.filter(isObject);
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (Array.isArray(node)) {
      for (const item of node) if (isObject(item)) open.push(item);
      continue;
    }
    for (const name in node) {
      const value: unknown = (node as JsonObject)[name];
      const kind = value == null ? undefined : KINDS.get(name);
      if (kind === "files") addIds(references.files, value);
      else if (kind === "objects") addIds(references.objects, recordOf(value)?.id ?? value);
      if (isObject(value) && !FREE.has(name)) open.push(value);
    }
  }
  return references.files.size + references.objects.size > 0 ? references : null;
}

function addIds(ids: Set<string>, value: unknown): void {
  for (const one of Array.isArray(value) ? value : [value]) {
    const id = textOf(one);
    if (id) ids.add(id);
  }
}

/** Where referenced objects are stored; null for kinds without a known object. */
export type Owners = Readonly<{ files: StoredObject | null; objects: StoredObject | null }>;

/**
 * Finds the channel that stores what a request refers to. Rejects GatewayError: 404 for an object of another user, and for a
 * file that is not known if `onlyKnown`; 400 if the objects are stored at different channels or with different keys.
 */
export async function findOwners(
  { services }: GatewayContext,
  caller: Caller,
  { files, objects }: References,
  onlyKnown: boolean,
): Promise<Owners> {
  const found = new Map((await services.objects.findAll([...files, ...objects])).map((object) => [object.id, object]));
  const ownerAmong = (ids: ReadonlySet<string>, isRequired: boolean): StoredObject | null => {
    let owner: StoredObject | null = null;
    for (const id of ids) {
      const object = found.get(id);
      if (object ? object.userId !== caller.user.id : isRequired) throw unknownObject(id);
      if (!object) continue;
      owner ??= object;
      if (!hasSameOwner(owner, object)) throw objectsApart();
    }
    return owner;
  };
  const owners = { files: ownerAmong(files, onlyKnown), objects: ownerAmong(objects, false) };
  if (owners.files && owners.objects && !hasSameOwner(owners.files, owners.objects)) throw objectsApart();
  return owners;
}

/** Whether one channel and key stores both. */
export const hasSameOwner = (
  one: Pick<StoredObject, "channelId" | "keyHash">,
  other: Pick<StoredObject, "channelId" | "keyHash">,
): boolean => one.channelId === other.channelId && one.keyHash === other.keyHash;

/** The error of objects that no channel has together. */
export const objectsApart = () => invalidRequest({ code: "gateway_objects_apart" });

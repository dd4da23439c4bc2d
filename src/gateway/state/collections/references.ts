import { type JsonObject, recordOf, textOf } from "../../../formats/json.ts";
import type { Caller } from "../../auth/authenticate.ts";
import type { GatewayContext } from "../../call/context.ts";
import { invalidRequest } from "../../http/client-body.ts";
import { unknownObject } from "../files/create-object.ts";
import type { StoredObject } from "../files/store.ts";

/** Ids in a request: of files, and of conversations, vector stores and containers. */
type References = Readonly<{ files: Set<string>; objects: Set<string> }>;

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
      collect(references, name, value);
      if (isObject(value) && !FREE.has(name)) open.push(value);
    }
  }
  return references.files.size + references.objects.size > 0 ? references : null;
}

function collect({ files, objects }: References, name: string, value: unknown): void {
  switch (name) {
    case "file_id":
    case "file_ids":
      addIds(files, value);
      return;
    case "conversation":
    case "container":
    case "container_id":
    case "vector_store_id":
    case "vector_store_ids":
      addIds(objects, recordOf(value)?.id ?? value);
  }
}

function addIds(ids: Set<string>, value: unknown): void {
  for (const one of Array.isArray(value) ? value : [value]) {
    const id = textOf(one);
    if (id) ids.add(id);
  }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

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

import { nowSeconds } from "../../../lib/clock.ts";
import type { Caller } from "../../call/caller.ts";
import { GatewayError } from "../../call/errors.ts";
import { invalidRequest } from "../../request/client-body.ts";
import type { StoredObject } from "../objects/store.ts";
import type { UsesStores } from "../stores.ts";

/** Ids in a request: of files, of collections and the like, and of parts of earlier answers. */
export type References = Readonly<{ files: Set<string>; objects: Set<string>; parts: Set<string> }>;

/** The channel and key that store something. */
export type Place = Pick<StoredObject, "channelId" | "keyHash">;

/** Where referenced things are stored; null for kinds of which nothing is known here. */
export type Owners = Readonly<{ files: StoredObject | null; objects: StoredObject | null; parts: Place | null }>;

type Known = Readonly<{ found: ReadonlyMap<string, StoredObject>; issued: ReadonlyMap<string, Place> }>;

/**
 * Answers whether a caller may refer to stored things, for every place of every format that carries an id. What nobody stored
 * through this gateway is left to the provider: an operator's own files, voices and caches. Resolves with what is known of
 * them; rejects GatewayError 404 for what is another user's.
 */
export async function refuseForeign(
  { services }: UsesStores<"objects" | "responses">,
  { user: { id: userId } }: Pick<Caller, "user">,
  { files, objects, parts }: References,
): Promise<Known> {
  const ids = [...files, ...objects, ...parts];
  const found = new Map((await services.objects.findAll(ids)).map((object) => [object.id, object]));
  // A part of an answer may be anything: an item, audio, a container or a file that was made on the way.
  const issued = await services.responses.placesOfParts(ids, nowSeconds());
  for (const id of ids) {
    const owner = found.get(id) ?? issued.get(id);
    if (owner && owner.userId !== userId) throw unknownObject(id);
  }
  return { found, issued };
}

/**
 * The same, with where the things are stored. Rejects GatewayError also with 404 for a file that is not known if `onlyKnown`,
 * and with 400 if they are stored at different channels or with different keys.
 */
export async function findOwners(
  context: UsesStores<"objects" | "responses">,
  caller: Caller,
  references: References,
  onlyKnown: boolean,
): Promise<Owners> {
  const { files, objects } = references;
  const { found, issued } = await refuseForeign(context, caller, references);
  const ownerAmong = (ids: ReadonlySet<string>, isRequired: boolean): StoredObject | null => {
    let owner: StoredObject | null = null;
    for (const id of ids) {
      const object = found.get(id);
      if (!object && isRequired) throw unknownObject(id);
      if (!object) continue;
      owner ??= object;
      if (!hasSameOwner(owner, object)) throw objectsApart();
    }
    return owner;
  };
  const [part = null] = issued.values();
  const owners = { files: ownerAmong(files, onlyKnown), objects: ownerAmong(objects, false), parts: part };
  if (owners.files && owners.objects && !hasSameOwner(owners.files, owners.objects)) throw objectsApart();
  return owners;
}

/** Whether one channel and key stores both. */
export const hasSameOwner = (one: Place, other: Place): boolean =>
  one.channelId === other.channelId && one.keyHash === other.keyHash;

/** The error of objects that no channel has together. */
export const objectsApart = () => invalidRequest({ code: "gateway_objects_apart" });

/** The error of an object that does not exist, or not for the caller. */
export const unknownObject = (id: string): GatewayError =>
  new GatewayError(
    404,
    "not_found",
    { code: "gateway_object_unknown", params: { id } },
    { type: "invalid_request_error", param: "id" },
  );

import { and, eq, gt, lt, sql } from "drizzle-orm";
import { storedResponses } from "../../../../db/schema/channels/objects.ts";
import { DEADLINES_MS, withDeadline } from "../../../../db/server/deadlines.ts";
import type { Db } from "../../../../db/types.ts";
import type { Reply } from "../../../formats/conversation/collect-reply.ts";
import type { Conversation, Turn } from "../../../formats/conversation/conversation.ts";
import type { JsonObject } from "../../../formats/json.ts";
import { inputInstructions } from "../../../formats/openai-responses/instructions.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import { DecryptionError, type Vault } from "../../../lib/security/crypto.ts";
import type { Call } from "../../call/call.ts";
import { joinValues, type MaskedValueStore, type MaskedValues } from "../../call/guardrails/masked-values.ts";
import type { Route } from "../../call/route.ts";
import type { Uses } from "../../call/services.ts";
import { keyHashOf } from "../objects/request-upstream.ts";
import type { UsesStores } from "../stores.ts";
import { formatOfStored, storedFormatOf } from "./stored-formats.ts";

export type StoredResponse = Readonly<{
  id: string;
  userId: number;
  channelId: number;
  /** Identifies the channel's key that made it; empty if unknown. */
  keyHash: string;
  /** The upstream stores it; otherwise `turns` and `body` contain it. */
  isNative: boolean;
  turns: readonly Turn[];
  body: JsonObject;
  /** What guardrails masked in the conversation, so that nothing of it is stored in plain text; absent: they hide nothing. */
  masked?: MaskedValues;
  /** Unix time in seconds. */
  createdAt: number;
  expiresAt: number;
}>;

/** Whose a part of an answer is, and where it is stored. */
export type PartPlace = Pick<StoredResponse, "userId" | "channelId" | "keyHash">;

/** Stored responses of the Responses API. */
export type ResponseStore = MaskedValueStore & {
  /** The user's response if it has not expired; else null. */
  find(id: string, userId: number, nowSeconds: number): Promise<StoredResponse | null>;
  /** Bodies of the user's responses by id, if stored here and not expired. */
  bodies(ids: readonly string[], userId: number, nowSeconds: number): Promise<ReadonlyMap<string, JsonObject>>;
  /** Whose these parts of answers are, and which channel and key made them; those that nobody got here are absent. */
  placesOfParts(ids: readonly string[], nowSeconds: number): Promise<ReadonlyMap<string, PartPlace>>;
  /** Stores whose parts of an answer these are. */
  keepParts(ids: readonly string[], place: PartPlace, times: Pick<StoredResponse, "createdAt" | "expiresAt">): void;
  /** Stores a response: immediately in this process, soon after in the database. */
  keep(response: StoredResponse): void;
  remove(id: string, userId: number): Promise<void>;
  /** Deletes expired responses. */
  sweep(nowSeconds: number): Promise<void>;
};

/** Of larger conversations only the id is stored: clients must send them again. */
const MAX_CHARACTERS = 2_000_000;

/** Whether the conversation was too long to store. */
export const isTooLong = ({ isNative, turns }: Pick<StoredResponse, "isNative" | "turns">): boolean =>
  !isNative && turns.length === 0;

/** Stores responses in the database. A response that is still being written can already be found. */
export function createResponseStore(db: Db, log: Logger, vault: Vault): ResponseStore {
  const { rowOf, read } = sealedRows(vault);
  const beingWritten = new Map<string, Readonly<{ response: StoredResponse; written: Promise<void> }>>();
  return {
    async find(id, userId, nowSeconds) {
      const fresh = beingWritten.get(id)?.response;
      if (fresh) return fresh.userId === userId ? fresh : null;
      const [row] = await db
        .select()
        .from(storedResponses)
        .where(and(eq(storedResponses.id, id), eq(storedResponses.userId, userId)));
      if (!row || row.expiresAt <= nowSeconds) return null;
      return read(row);
    },
    async bodies(ids, userId, nowSeconds) {
      const bodies = new Map<string, JsonObject>();
      const { id, body, userId: owner, expiresAt } = storedResponses;
      const isRequested = sql`${id} in (select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))`;
      const rows = await db
        .select({ id, body })
        .from(storedResponses)
        .where(and(isRequested, eq(owner, userId), gt(expiresAt, nowSeconds)));
      for (const row of rows) {
        const stored = read({ ...row, turns: "[]" });
        if (stored) bodies.set(row.id, stored.body);
      }
      for (const { response } of ids.flatMap((requestedId) => beingWritten.get(requestedId) ?? []))
        if (response.userId === userId) bodies.set(response.id, response.body);
      return bodies;
    },
    async placesOfParts(ids, nowSeconds) {
      const places = new Map<string, PartPlace>();
      if (ids.length === 0) return places;
      const { id, userId, channelId, keyHash, expiresAt } = storedResponses;
      const keys = JSON.stringify(ids.map(partKey));
      const rows = await db
        .select({ id, userId, channelId, keyHash })
        .from(storedResponses)
        .where(and(sql`${id} in (select jsonb_array_elements_text(${keys}::jsonb))`, gt(expiresAt, nowSeconds)));
      for (const { id: key, ...place } of rows) places.set(key.slice(PART_PREFIX.length), place);
      for (const partId of ids) {
        const fresh = beingWritten.get(partKey(partId))?.response;
        if (fresh) places.set(partId, fresh);
      }
      return places;
    },
    keepParts(ids, { userId, channelId, keyHash }, { createdAt, expiresAt }) {
      const place = { userId, channelId, keyHash };
      const parts = [...new Set(ids)].map((id): StoredResponse => {
        const times = { createdAt, expiresAt };
        return { id: partKey(id), ...place, isNative: true, turns: [], body: {}, ...times };
      });
      if (parts.length === 0) return;
      const insert = async () => {
        await db
          .insert(storedResponses)
          .values(parts.map(rowOf))
          .onConflictDoNothing()
          .catch((error) => log.error({ error }, "parts of a response could not be kept"));
        for (const { id } of parts) beingWritten.delete(id);
      };
      const written = insert();
      for (const response of parts) beingWritten.set(response.id, { response, written });
    },
    keep(input) {
      const fullRow = rowOf(input);
      const isFit = fullRow.turns.length + fullRow.body.length <= MAX_CHARACTERS;
      const response = isFit
        ? input
        : {
            ...input,
            turns: [],
            ...(fullRow.body.length > MAX_CHARACTERS && { body: formatOfStored(input).nativeBody }),
          };
      const row = isFit ? fullRow : rowOf(response);
      const insert = async () => {
        await db
          .insert(storedResponses)
          .values(row)
          .onConflictDoNothing()
          .catch((error) => log.error({ error, responseId: response.id }, "a response could not be kept"));
        beingWritten.delete(response.id);
      };
      beingWritten.set(response.id, { response, written: insert() });
    },
    async maskedValues(key, now) {
      const [row] = await db
        .select()
        .from(storedResponses)
        .where(and(eq(storedResponses.id, VALUES_PREFIX + key), gt(storedResponses.expiresAt, now)));
      return (row && read(row)?.masked?.values) ?? {};
    },
    async addMaskedValues(key, { userId, expiresAt }, values) {
      const id = VALUES_PREFIX + key;
      const place = { id, userId, channelId: 0, keyHash: "", isNative: false, turns: [], body: {} };
      const rowWith = (all: MaskedValues["values"]) =>
        rowOf({ ...place, masked: { tenant: "", values: all }, createdAt: nowSeconds(), expiresAt });
      await db.transaction(async (tx) => {
        const made = await tx.insert(storedResponses).values(rowWith(values)).onConflictDoNothing().returning();
        if (made.length > 0) return;
        // Turns of one conversation may run in several processes: each adds to what the others have kept.
        const [row] = await tx.select().from(storedResponses).where(eq(storedResponses.id, id)).for("update");
        const all = joinValues((row && read(row)?.masked?.values) ?? {}, Object.entries(values));
        const { body, expiresAt: until } = rowWith(all);
        await tx.update(storedResponses).set({ body, expiresAt: until }).where(eq(storedResponses.id, id));
      });
    },
    async remove(id, userId) {
      await beingWritten.get(id)?.written;
      await db.delete(storedResponses).where(and(eq(storedResponses.id, id), eq(storedResponses.userId, userId)));
    },
    async sweep(nowSeconds) {
      const remove = () => db.delete(storedResponses).where(lt(storedResponses.expiresAt, nowSeconds));
      await withDeadline(DEADLINES_MS.usual, remove);
    },
  };
}

/** Parts and responses share one store, so their keys have different prefixes. */
const PART_PREFIX = "part:";
const partKey = (id: string): string => PART_PREFIX + id;

/** As are the values of conversations that a provider keeps. */
const VALUES_PREFIX = "masked:";

/** How encrypted texts begin: no JSON does. */
const SEALED = "v1.";

/** What is encrypted of a response. */
type SealedParts = Pick<StoredResponse, "turns" | "body" | "masked">;

/** Rows of the table. What guardrails mask something in is encrypted, bound to its id. */
function sealedRows(vault: Vault) {
  type Row = typeof storedResponses.$inferSelect;
  const rowOf = ({ masked, ...response }: StoredResponse): Row => {
    const { id, turns, body } = response;
    const row = { ...response, turns: JSON.stringify(turns), body: JSON.stringify(body) };
    return masked ? { ...row, turns: "[]", body: vault.encrypt(JSON.stringify({ id, turns, body, masked })) } : row;
  };
  /** Null: another encryption key sealed it. */
  const read = <Stored extends Pick<Row, "id" | "turns" | "body">>(
    row: Stored,
  ): (Omit<Stored, keyof SealedParts> & SealedParts) | null => {
    if (!row.body.startsWith(SEALED))
      return { ...row, turns: JSON.parse(row.turns) as Turn[], body: JSON.parse(row.body) as JsonObject };
    try {
      const sealed = JSON.parse(vault.decrypt(row.body)) as SealedParts & Pick<StoredResponse, "id">;
      return sealed.id === row.id ? { ...row, ...sealed } : null;
    } catch (error) {
      if (error instanceof DecryptionError) return null;
      throw error;
    }
  };
  return { rowOf, read };
}

/** Takes a complete response: its reply, and its body if the gateway wrote it. */
export type StoreResponse = (reply: Reply, id: string, body: JsonObject | null) => void;

/**
 * Stores a response for later reference if the format and the client request that: only its channel if the upstream
 * stores it, else the whole conversation. Null if nothing is to be stored.
 */
export function responseStorer(
  context: Uses<"settings"> & UsesStores<"responses">,
  call: Call,
  { channel, key }: Route,
  request: Conversation,
  isNative: boolean,
): StoreResponse | null {
  const hours = context.services.settings.values["responses.keep_hours"];
  const format = storedFormatOf(request.extra.dialect);
  if (!format || request.extra.members.store === false || hours === 0) return null;
  return (reply, id, body) => {
    const answer = reply.choices[0];
    const now = nowSeconds();
    const masked = call.guard?.masked();
    context.services.responses.keep({
      id,
      userId: call.caller.user.id,
      channelId: channel.id,
      keyHash: keyHashOf(channel, key),
      isNative,
      turns: isNative
        ? []
        : [...inputInstructions(request), ...request.turns, { role: "assistant", parts: answer?.parts ?? [] }],
      body: isNative ? format.nativeBody : (body ?? format.nativeBody),
      ...(masked && { masked }),
      createdAt: now,
      expiresAt: now + hours * 3600,
    });
  };
}

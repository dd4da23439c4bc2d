import { randomBytes, randomInt } from "node:crypto";
import { and, eq, gt, inArray, isNull, lt, or } from "drizzle-orm";
import { deviceAuthorizations, tokens } from "../../../../db/schema/api-keys.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import type { ApiKeyInput } from "../api-key-input.ts";
import { createApiKey } from "../create-api-key.ts";
import type { ApiKeyDeps, Owner } from "../operation.ts";

/** How long a code can be confirmed, and how often its program may ask, in seconds (RFC 8628, 3.2). */
export const DEVICE_CODE_SECONDS = 600;
export const POLL_SECONDS = 5;

/** A program that asks for a key, as it presents itself. */
export type DeviceRequest = Readonly<{ client: string; machine: string; ip: string }>;

/** What the program gets first: its own code, and the one that its user confirms. */
export type DeviceCodes = Readonly<{ deviceCode: string; userCode: string }>;

/** Why a program gets no key, by the names of RFC 8628 (3.5) and RFC 6749 (5.2). */
export type PollError = "authorization_pending" | "slow_down" | "access_denied" | "expired_token" | "invalid_grant";

/** A request that waits for its user. */
export type PendingRequest = DeviceRequest & Readonly<{ expiresAt: number }>;

/** Consonants alone: no code spells a word, and none is mistaken for another (RFC 8628, 6.1). */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const CODE_LENGTH = 8;
const TRIES = 5;
/** Requests that nobody confirmed are forgotten after a day. */
const FORGOTTEN_AFTER_SECONDS = 86_400;

/** Begins a request; the codes are valid for DEVICE_CODE_SECONDS. */
export async function requestDeviceCode(deps: ApiKeyDeps, request: DeviceRequest, now: number): Promise<DeviceCodes> {
  const { db, vault } = deps;
  await forgetOld(deps, now);
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const deviceCode = randomBytes(32).toString("base64url");
    const userCode = Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
    const [made] = await db
      .insert(deviceAuthorizations)
      .values({
        ...{ ...request, userCode, deviceHash: vault.keyedHash(deviceCode) },
        ...{ createdAt: now, expiresAt: now + DEVICE_CODE_SECONDS },
      })
      .onConflictDoNothing()
      .returning({ userCode: deviceAuthorizations.userCode });
    if (made) return { deviceCode, userCode: `${userCode.slice(0, 4)}-${userCode.slice(4)}` };
  }
  throw new Error("no free code was found");
}

/** The request that a code belongs to. Throws OperationError device_code_invalid. */
export async function findDeviceRequest(
  { db }: Pick<ApiKeyDeps, "db">,
  code: string,
  now: number,
): Promise<PendingRequest> {
  const [found] = await db.select().from(deviceAuthorizations).where(isOpen(code, now));
  if (!found) throw new OperationError("device_code_invalid");
  const { client, machine, ip, expiresAt } = found;
  return { client, machine, ip, expiresAt };
}

/** Who decides: the person, and whose key it becomes. */
type Decider = Readonly<{ person: Readonly<{ id: number }>; owner: Owner }>;

/** Confirms a code once: the program may fetch a new key of the owner. Throws OperationError. */
export async function approveDevice(
  deps: ApiKeyDeps,
  { person, owner }: Decider,
  code: string,
  { input, now }: Readonly<{ input: ApiKeyInput; now: number }>,
): Promise<void> {
  const { db } = deps;
  // First, so that nobody else confirms it; the key is known a moment later.
  const [taken] = await db
    .update(deviceAuthorizations)
    .set({ status: "approved", userId: person.id })
    .where(isOpen(code, now))
    .returning();
  if (!taken) throw new OperationError("device_code_invalid");
  const { deviceHash, client, machine } = taken;
  const own = eq(deviceAuthorizations.deviceHash, deviceHash);
  try {
    const key = await createApiKey(deps, owner, input);
    await db.update(deviceAuthorizations).set({ tokenId: key.id }).where(own);
    await writeManagementLog(db, person, `Gave ${client} on ${machine} the API key ${key.name} (#${key.id})`, {
      note: { code: "device_approved", params: { client, machine, name: key.name, id: key.id } },
      action: "create",
    });
  } catch (error) {
    await db.update(deviceAuthorizations).set({ status: "pending", userId: null }).where(own);
    throw error;
  }
}

/** Denies a code. Throws OperationError. */
export async function denyDevice({ db }: ApiKeyDeps, person: Readonly<{ id: number }>, code: string, now: number) {
  const [taken] = await db
    .update(deviceAuthorizations)
    .set({ status: "denied", userId: person.id })
    .where(isOpen(code, now))
    .returning({ client: deviceAuthorizations.client });
  if (!taken) throw new OperationError("device_code_invalid");
}

/** The key in clear, once, when its user has confirmed; else why there is none. */
export async function claimDeviceKey(
  { db, vault }: ApiKeyDeps,
  deviceCode: string,
  now: number,
): Promise<Readonly<{ key: string; name: string }> | PollError> {
  return db.transaction(async (tx) => {
    const own = eq(deviceAuthorizations.deviceHash, vault.keyedHash(deviceCode));
    const [found] = await tx.select().from(deviceAuthorizations).where(own).for("update");
    if (!found || found.status === "claimed") return "invalid_grant";
    if (found.status === "denied") return "access_denied";
    if (found.expiresAt <= now) return "expired_token";
    if (found.status === "approved" && found.tokenId !== null) {
      const [key] = await tx
        .select()
        .from(tokens)
        .where(and(eq(tokens.id, found.tokenId), isNull(tokens.deletedAt)));
      if (!key) return "access_denied";
      await tx.update(deviceAuthorizations).set({ status: "claimed" }).where(own);
      return { key: `sk-${vault.decrypt(key.keyCipher)}`, name: key.name };
    }
    await tx.update(deviceAuthorizations).set({ polledAt: now }).where(own);
    return now - found.polledAt < POLL_SECONDS ? "slow_down" : "authorization_pending";
  });
}

/** Deletes a key that a program got this way and gives back; any other key stays. Resolves whether there was one. */
export async function revokeDeviceKey({ db, changes, vault }: ApiKeyDeps, key: string, now: number): Promise<boolean> {
  const [found] = await db
    .select({
      id: tokens.id,
      name: tokens.name,
      client: deviceAuthorizations.client,
      userId: deviceAuthorizations.userId,
    })
    .from(deviceAuthorizations)
    .innerJoin(tokens, eq(tokens.id, deviceAuthorizations.tokenId))
    .where(and(eq(tokens.keyHash, vault.keyedHash(key.replace(/^sk-/, ""))), isNull(tokens.deletedAt)));
  if (!found) return false;
  const { id, name, client, userId } = found;
  await db.update(tokens).set({ deletedAt: now }).where(eq(tokens.id, id));
  if (userId !== null) {
    await writeManagementLog(db, { id: userId }, `${client} gave the API key ${name} (#${id}) back`, {
      note: { code: "device_key_revoked", params: { client, name, id } },
      action: "delete",
    });
  }
  await changes.enforce("tokens", [id]);
  return true;
}

/** Waits for its user still. */
const isOpen = (code: string, now: number) =>
  and(
    eq(deviceAuthorizations.userCode, code.toUpperCase().replace(/[^A-Z]/g, "")),
    eq(deviceAuthorizations.status, "pending"),
    gt(deviceAuthorizations.expiresAt, now),
  );

/** Requests without a key go; keys that no program fetched in time are deleted. */
async function forgetOld({ db, changes }: ApiKeyDeps, now: number): Promise<void> {
  const isOver = lt(deviceAuthorizations.expiresAt, now);
  const unclaimed = await db
    .select({ id: deviceAuthorizations.tokenId })
    .from(deviceAuthorizations)
    .where(and(isOver, eq(deviceAuthorizations.status, "approved")));
  const ids = unclaimed.flatMap(({ id }) => (id === null ? [] : [id]));
  if (ids.length > 0) await db.update(tokens).set({ deletedAt: now }).where(inArray(tokens.id, ids));
  await db
    .delete(deviceAuthorizations)
    .where(
      or(
        and(isOver, eq(deviceAuthorizations.status, "approved")),
        and(lt(deviceAuthorizations.expiresAt, now - FORGOTTEN_AFTER_SECONDS), isNull(deviceAuthorizations.tokenId)),
      ),
    );
  await changes.enforce("tokens", ids);
}

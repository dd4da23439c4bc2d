import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { and, asc, count, eq } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { passkeys } from "../../../../db/schema/accounts/sign-in.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { USER_STATUS } from "../access/roles.ts";
import { requireWayIn } from "../sign-in/sign-in-methods.ts";

/** The site as passkeys know it: they work there and nowhere else. */
export type PasskeySite = Readonly<{
  name: string;
  /** Host name. */
  id: string;
  origins: readonly string[];
}>;

const MOST_PASSKEYS = 20;
const LONGEST_NAME = 40;

const loadWebAuthn = () => import("@simplewebauthn/server");

/** What the browser needs to make a passkey; the `challenge` of it belongs into a flow. Throws OperationError. */
export async function beginPasskey(db: Db, site: PasskeySite, user: Readonly<{ id: number; username: string }>) {
  const known = await db
    .select({ id: passkeys.id, transports: passkeys.transports })
    .from(passkeys)
    .where(eq(passkeys.userId, user.id));
  if (known.length >= MOST_PASSKEYS) throw new OperationError("passkeys_too_many", { max: MOST_PASSKEYS });
  const { generateRegistrationOptions } = await loadWebAuthn();
  return generateRegistrationOptions({
    rpName: site.name,
    rpID: site.id,
    userName: user.username,
    userID: new Uint8Array(Buffer.from(String(user.id))),
    excludeCredentials: known.map(({ id, transports }) => ({ id, transports: [...transports] })),
    // A passkey stands for both factors: having the device, and unlocking it.
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

/** Keeps the passkey that the browser has made. Throws OperationError. */
export async function addPasskey(
  db: Db,
  site: PasskeySite,
  input: Readonly<{ userId: number; name: string; challenge: string; response: unknown }>,
): Promise<void> {
  const name = input.name.trim();
  if (name === "" || [...name].length > LONGEST_NAME) {
    throw new OperationError("passkey_name_required", { max: LONGEST_NAME });
  }
  const { verifyRegistrationResponse } = await loadWebAuthn();
  const { registrationInfo } = await verifyRegistrationResponse({
    response: input.response as RegistrationResponseJSON,
    expectedChallenge: input.challenge,
    expectedOrigin: [...site.origins],
    expectedRPID: site.id,
    requireUserVerification: true,
  }).catch(refused);
  if (!registrationInfo) throw new OperationError("passkey_failed");
  const { credential } = registrationInfo;
  const held = requireRow(await db.select({ many: count() }).from(passkeys).where(eq(passkeys.userId, input.userId)));
  if (held.many >= MOST_PASSKEYS) throw new OperationError("passkeys_too_many", { max: MOST_PASSKEYS });
  const added = await db
    .insert(passkeys)
    .values({
      id: credential.id,
      userId: input.userId,
      name,
      publicKey: Buffer.from(credential.publicKey).toString("base64url"),
      counter: credential.counter,
      transports: credential.transports ?? [],
      createdAt: nowSeconds(),
    })
    .onConflictDoNothing()
    .returning({ id: passkeys.id });
  if (added.length === 0) throw new OperationError("passkey_known");
}

/** What the browser needs to ask for any passkey of this site. */
export async function beginPasskeySignIn(site: PasskeySite) {
  const { generateAuthenticationOptions } = await loadWebAuthn();
  return generateAuthenticationOptions({ rpID: site.id, userVerification: "required" });
}

/** Whose passkey answered the challenge: the user's id. Throws OperationError. */
export async function signInWithPasskey(
  db: Db,
  site: PasskeySite,
  input: Readonly<{ challenge: string; response: unknown }>,
): Promise<number> {
  const response = input.response as AuthenticationResponseJSON;
  const [known] = await db
    .select({ passkey: passkeys, status: users.status, deletedAt: users.deletedAt })
    .from(passkeys)
    .innerJoin(users, eq(users.id, passkeys.userId))
    .where(and(eq(passkeys.id, String(response.id)), eq(users.kind, "person")));
  if (!known || known.deletedAt !== null) throw new OperationError("passkey_failed");
  const { passkey } = known;
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: input.challenge,
    expectedOrigin: [...site.origins],
    expectedRPID: site.id,
    requireUserVerification: true,
    credential: {
      id: passkey.id,
      publicKey: new Uint8Array(Buffer.from(passkey.publicKey, "base64url")),
      counter: passkey.counter,
    },
  }).catch(refused);
  if (!verified) throw new OperationError("passkey_failed");
  if (known.status === USER_STATUS.banned) throw new OperationError("user_banned");
  const now = nowSeconds();
  await db
    .update(passkeys)
    .set({ counter: authenticationInfo.newCounter, lastUsedAt: now })
    .where(eq(passkeys.id, passkey.id));
  await db.update(users).set({ lastLoginAt: now }).where(eq(users.id, passkey.userId));
  return passkey.userId;
}

/** A user's passkeys, the oldest first. */
export const listPasskeys = (db: Db, userId: number) =>
  db
    .select({
      id: passkeys.id,
      name: passkeys.name,
      created_at: passkeys.createdAt,
      last_used_at: passkeys.lastUsedAt,
    })
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(asc(passkeys.createdAt), asc(passkeys.id));

/** Forgets a passkey of this user. Throws OperationError when there is no such passkey, or no other way to sign in. */
export async function removePasskey(
  { db, settings }: Readonly<{ db: Db; settings: SettingsReader }>,
  userId: number,
  id: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    // Who removes two at once must not rely on the other one each time.
    await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for("update");
    const removed = await tx
      .delete(passkeys)
      .where(and(eq(passkeys.userId, userId), eq(passkeys.id, id)))
      .returning({ id: passkeys.id });
    if (removed.length === 0) throw new OperationError("passkey_unknown");
    await requireWayIn(tx, settings, userId);
  });
}

/** The library says in its errors what was forged or missing; the caller only learns that it did not work. */
function refused(): never {
  throw new OperationError("passkey_failed");
}

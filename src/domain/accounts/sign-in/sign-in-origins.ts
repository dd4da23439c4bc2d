import { and, desc, eq, inArray, lt, notInArray } from "drizzle-orm";
import { signInOrigins } from "../../../../db/schema/accounts/sign-in.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { readHostCookie, setHostCookie } from "../../../lib/http/host-cookie.ts";
import { randomText } from "../../../lib/security/crypto.ts";

/** Where a sign-in comes from. */
export type SignInOrigin = Readonly<{
  /** The key under which the address is limited; empty: unknown. */
  address: string;
  /** The value of the device's cookie for this user; null without one. */
  deviceOf(userId: number): string | null;
}>;

const VALUE_BYTES = 32;
/** The longest that browsers keep a cookie. */
const DEVICE_SECONDS = 400 * 86_400;
const RETENTION_SECONDS = 180 * 86_400;
const MOST_ORIGINS = 50;

/**
 * The origins of a request at which this user has signed in before: the device before the address, because nobody else has
 * its cookie.
 */
export async function findFamiliarOrigins(db: Db, userId: number, origin: SignInOrigin): Promise<string[]> {
  const candidates = namesOf(origin, origin.deviceOf(userId));
  if (candidates.length === 0) return [];
  const known = await db
    .select({ origin: signInOrigins.origin })
    .from(signInOrigins)
    .where(and(eq(signInOrigins.userId, userId), inArray(signInOrigins.origin, candidates)));
  return candidates.filter((name) => known.some((row) => row.origin === name));
}

/** Remembers from where a user has just signed in; returns the value of the device's cookie. */
export async function rememberOrigin(db: Db, userId: number, origin: SignInOrigin): Promise<string> {
  const known = await findFamiliarOrigins(db, userId, origin);
  const brought = origin.deviceOf(userId);
  // A value that did not come from here is replaced: whoever planted it would know it.
  const device = brought !== null && known.includes(deviceName(brought)) ? brought : randomText(VALUE_BYTES);
  const now = nowSeconds();
  await db.delete(signInOrigins).where(lt(signInOrigins.lastUsedAt, now - RETENTION_SECONDS));
  await db
    .insert(signInOrigins)
    .values(namesOf(origin, device).map((name) => ({ userId, origin: name, lastUsedAt: now })))
    .onConflictDoUpdate({ target: [signInOrigins.userId, signInOrigins.origin], set: { lastUsedAt: now } });
  const newest = db
    .select({ origin: signInOrigins.origin })
    .from(signInOrigins)
    .where(eq(signInOrigins.userId, userId))
    .orderBy(desc(signInOrigins.lastUsedAt), signInOrigins.origin)
    .limit(MOST_ORIGINS);
  await db.delete(signInOrigins).where(and(eq(signInOrigins.userId, userId), notInArray(signInOrigins.origin, newest)));
  return device;
}

const cookieName = (userId: number): string => `device-${userId}`;

/** The value of the device's cookie for a user; null without one. */
export const deviceCookieOf = (request: Request, userId: number): string | null =>
  readHostCookie(request, cookieName(userId));

/** The `Set-Cookie` texts by which a device is known at the user's next sign-in. */
export const deviceCookie = (userId: number, value: string, isHttps: boolean): string[] =>
  setHostCookie({ name: cookieName(userId), value, maxAgeSeconds: DEVICE_SECONDS }, isHttps);

const deviceName = (value: string): string =>
  `device:${new Bun.CryptoHasher("sha256").update(value).digest("base64url")}`;

const namesOf = ({ address }: SignInOrigin, device: string | null): string[] => [
  ...(device === null ? [] : [deviceName(device)]),
  ...(address === "" ? [] : [`address:${address}`]),
];

import { and, eq, gt, lt, sql } from "drizzle-orm";
import { signInFlows } from "../../../../db/schema/accounts/sign-in.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { readHostCookie, setHostCookie } from "../../../lib/http/host-cookie.ts";
import { randomText, type Vault } from "../../../lib/security/crypto.ts";

export type FlowKind =
  | "oauth"
  | "second_factor"
  | "passkey"
  | "passkey_registration"
  | "telegram_proof"
  | "download"
  | "saml_request"
  | "saml_identity"
  | "mcp_sign_in";

export type Flow = Readonly<{
  userId: number | null;
  data: Readonly<Record<string, string>>;
}>;

type FlowDeps = Readonly<{ db: Db; vault: Vault }>;

export const FLOW_SECONDS = 600;
const VALUE_BYTES = 24;
/** Wrong codes after which a sign-in has to start again. */
const MOST_ATTEMPTS = 5;

/** Starts a flow of so many seconds and returns the value that the browser keeps, mostly in a cookie; the database knows its hash only. */
export async function startFlow(
  { db, vault }: FlowDeps,
  kind: FlowKind,
  flow: Flow,
  seconds = FLOW_SECONDS,
): Promise<string> {
  const value = randomText(VALUE_BYTES);
  const now = nowSeconds();
  await db.delete(signInFlows).where(lt(signInFlows.expiresAt, now));
  await db.insert(signInFlows).values({ ...flow, id: idOf(vault, kind, value), kind, expiresAt: now + seconds });
  return value;
}

/** Starts a flow under a value that was chosen elsewhere, such as the id of a request. */
export async function keepFlow(
  { db, vault }: FlowDeps,
  kind: FlowKind,
  value: string,
  data: Flow["data"],
): Promise<void> {
  const now = nowSeconds();
  await db.insert(signInFlows).values({ id: idOf(vault, kind, value), kind, data, expiresAt: now + FLOW_SECONDS });
}

/** The flow of a value, which stays. */
export async function readFlow({ db, vault }: FlowDeps, kind: FlowKind, value: string): Promise<Flow | null> {
  const [flow] = await db
    .select({ userId: signInFlows.userId, data: signInFlows.data })
    .from(signInFlows)
    .where(isOpen(vault, kind, value));
  return flow ?? null;
}

/** The flow of a cookie, once: it is used up. `state`, when given, must be the flow's, else nothing is used up. */
export async function takeFlow(
  { db, vault }: FlowDeps,
  kind: FlowKind,
  value: string | null,
  state?: string,
): Promise<Flow | null> {
  if (value === null) return null;
  const [flow] = await db
    .delete(signInFlows)
    .where(
      and(
        isOpen(vault, kind, value),
        state === undefined ? undefined : sql`${signInFlows.data} ->> 'state' = ${state}`,
      ),
    )
    .returning({ userId: signInFlows.userId, data: signInFlows.data });
  return flow ?? null;
}

/** The flow of a cookie, which stays; each call counts as a try, and there are five. */
export async function tryFlow({ db, vault }: FlowDeps, kind: FlowKind, value: string | null): Promise<Flow | null> {
  if (value === null) return null;
  const [flow] = await db
    .update(signInFlows)
    .set({ attempts: sql`${signInFlows.attempts} + 1` })
    .where(and(isOpen(vault, kind, value), lt(signInFlows.attempts, MOST_ATTEMPTS)))
    .returning({ userId: signInFlows.userId, data: signInFlows.data });
  return flow ?? null;
}

/** Notes that something was used; false when it had been used before. */
export async function useOnce({ db, vault }: FlowDeps, kind: FlowKind, what: string): Promise<boolean> {
  const used = await db
    .insert(signInFlows)
    .values({ id: idOf(vault, kind, what), kind, data: {}, expiresAt: nowSeconds() + FLOW_SECONDS })
    .onConflictDoNothing()
    .returning({ id: signInFlows.id });
  return used.length > 0;
}

const isOpen = (vault: Vault, kind: FlowKind, value: string) =>
  and(eq(signInFlows.id, idOf(vault, kind, value)), gt(signInFlows.expiresAt, nowSeconds()));

const idOf = (vault: Vault, kind: FlowKind, value: string): string => vault.keyedHash(`flow ${kind}\n${value}`);

const nameOf = (kind: FlowKind): string => `flow_${kind}`;

/** The value of the flow cookie; null without one. */
export const flowCookieOf = (request: Request, kind: FlowKind): string | null => readHostCookie(request, nameOf(kind));

/** The `Set-Cookie` texts that bind a flow to this browser. */
export const flowCookie = (kind: FlowKind, value: string, isHttps: boolean): string[] =>
  setHostCookie({ name: nameOf(kind), value, maxAgeSeconds: FLOW_SECONDS }, isHttps);

import { eq } from "drizzle-orm";
import type { Changes } from "../../../db/changes.ts";
import { users } from "../../../db/schema/accounts/users.ts";
import type { Db } from "../../../db/types.ts";
import { OperationError } from "../../lib/operation-error.ts";
import type { SafeFetch, SafeRequest } from "../../lib/outbound/safe-fetch.ts";
import type { SettingsReader } from "../../settings/settings.ts";

export type PushDeps = Readonly<{
  db: Db;
  changes: Changes;
  settings: SettingsReader;
  fetch: SafeFetch;
  /** Base address of WxPusher. */
  address: string;
}>;

const VALID_SECONDS = 300;
const TIMEOUT_MS = 5000;
const LARGEST_ANSWER = 64 * 1024;
const SUCCESS = 1000;

/** A QR code by which somebody binds their WeChat; `code` asks later whether it was scanned. Throws OperationError. */
export async function createPushCode(
  deps: PushDeps,
  userId: number,
): Promise<{ code: string; url: string; expires_in: number }> {
  if (!deps.settings.get("WxPusherEnabled")) throw new OperationError("push_off");
  const { data } = await ask(deps, "/api/fun/create/qrcode", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      appToken: deps.settings.get("WxPusherAppToken"),
      extra: String(userId),
      validTime: VALID_SECONDS,
    }),
  });
  const { code, url } = (data ?? {}) as { code?: unknown; url?: unknown };
  if (typeof code !== "string" || typeof url !== "string" || !/^https?:\/\//.test(url)) {
    throw new OperationError("push_unreachable");
  }
  // The console shows no images that come unencrypted.
  return { code, url: url.replace(/^http:/, "https:"), expires_in: VALID_SECONDS };
}

/** Binds whoever scanned the code to the user; false while nobody has. Throws OperationError. */
export async function bindPush(deps: PushDeps, userId: number, code: string): Promise<boolean> {
  if (!deps.settings.get("WxPusherEnabled")) throw new OperationError("push_off");
  const { data } = await ask(deps, `/api/fun/scan-qrcode-uid?${new URLSearchParams({ code })}`);
  if (typeof data !== "string" || !/^UID_\w{1,100}$/.test(data)) return false;
  await change(deps, userId, (setting) => ({ ...setting, wxpusher_uid: data }));
  return true;
}

/** Forgets the user's binding; whoever was notified that way gets mail from then on. */
export const unbindPush = (deps: Pick<PushDeps, "db" | "changes">, userId: number): Promise<void> =>
  change(deps, userId, ({ wxpusher_uid: _, ...setting }) =>
    setting.notify_type === "wxpusher" ? { ...setting, notify_type: "email" } : setting,
  );

async function change(
  { db, changes }: Pick<PushDeps, "db" | "changes">,
  userId: number,
  next: (setting: Readonly<Record<string, unknown>>) => Record<string, unknown>,
): Promise<void> {
  await db.transaction(async (tx) => {
    const [user] = await tx.select({ setting: users.setting }).from(users).where(eq(users.id, userId)).for("update");
    if (!user) throw new OperationError("user_not_found");
    await tx
      .update(users)
      .set({ setting: next(user.setting) })
      .where(eq(users.id, userId));
  });
  await changes.publish("users", [userId]);
}

async function ask({ fetch, address }: PushDeps, path: string, request: SafeRequest = {}): Promise<{ data?: unknown }> {
  try {
    const answer = await fetch(address + path, {
      timeoutMs: TIMEOUT_MS,
      maxBytes: LARGEST_ANSWER,
      maxRedirects: 0,
      ...request,
    });
    const body = JSON.parse(answer.text()) as { code?: unknown; data?: unknown };
    return body.code === SUCCESS ? body : {};
  } catch {
    throw new OperationError("push_unreachable");
  }
}

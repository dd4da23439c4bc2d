import { stat } from "node:fs/promises";
import { join } from "node:path";
import { and, asc, eq, gte, isNotNull } from "drizzle-orm";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { ROLE } from "../../../accounts/access/roles.ts";
import { verifyPassword } from "../../../accounts/identity/passwords.ts";
import type { DiagnosticsContext } from "../diagnostics-context.ts";
import { type Finding, fine, skipped, trouble } from "../diagnostics-context.ts";

const SHORT_KEY = 32;
/** What gateways of this family were installed with, and what is tried first everywhere. */
const KNOWN_PASSWORDS = ["123456", "12345678", "password", "admin123", "root1234"];
const LOCAL_HOST = /^(localhost|.*\.localhost|127\..*|\[::1\])$/;
const MOST_ACCOUNTS = 10;

/** Whether the encryption key, the administrators' passwords and the session cookies are as secret as they should be. */
export async function checkSecrets(
  context: Pick<DiagnosticsContext, "config" | "database" | "settings">,
): Promise<Finding[]> {
  return [await checkKey(context.config), await checkPasswords(context), checkCookies(context)];
}

async function checkKey({ dataDir, encryptionKey }: Pick<DiagnosticsContext["config"], "dataDir" | "encryptionKey">) {
  if (encryptionKey !== null) {
    if (encryptionKey.length >= SHORT_KEY) return fine("doctor_key_from_environment");
    return trouble("warn", ["doctor_key_short", { count: encryptionKey.length }], ["doctor_fix_key_short"]);
  }
  const path = join(dataDir, "secret.key");
  const file = await stat(path).catch(() => null);
  if (!file) return trouble("fail", ["doctor_key_missing", { path }], ["doctor_fix_key_missing"]);
  const mode = (file.mode & 0o777).toString(8).padStart(4, "0");
  if ((file.mode & 0o077) === 0) return fine("doctor_key_file", { path, mode });
  return trouble("fail", ["doctor_key_open", { path, mode }], ["doctor_fix_key_open", { path }]);
}

async function checkPasswords({ database: { db } }: Pick<DiagnosticsContext, "database">): Promise<Finding> {
  const administrators = await db
    .select({ username: users.username, hash: users.passwordHash })
    .from(users)
    .where(and(gte(users.role, ROLE.admin), eq(users.status, 1), isNotNull(users.passwordHash)))
    .orderBy(asc(users.id))
    .limit(MOST_ACCOUNTS);
  const weak: string[] = [];
  for (const { username, hash } of administrators) {
    for (const password of [...KNOWN_PASSWORDS, username]) {
      if (!(await verifyPassword(password, hash))) continue;
      weak.push(username);
      break;
    }
  }
  if (weak.length === 0) return fine("doctor_passwords_fine", { count: administrators.length });
  return trouble("fail", ["doctor_passwords_known", { names: weak.join(", ") }], ["doctor_fix_passwords"]);
}

function checkCookies({ config, settings }: Pick<DiagnosticsContext, "config" | "settings">): Finding {
  const address = settings.get("ServerAddress");
  if (address === "") return skipped("doctor_cookies_no_address");
  const url = new URL(address);
  if (url.protocol === "https:") {
    if (config.trustedProxies.length > 0) return fine("doctor_cookies_secure");
    return trouble("warn", ["doctor_cookies_untrusted", { address }], ["doctor_fix_cookies_untrusted"]);
  }
  if (LOCAL_HOST.test(url.hostname)) return fine("doctor_cookies_local", { address });
  return trouble("fail", ["doctor_cookies_plain", { address }], ["doctor_fix_cookies_plain"]);
}

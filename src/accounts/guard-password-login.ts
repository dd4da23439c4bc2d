import { and, eq, exists, inArray, isNull, or, sql } from "drizzle-orm";
import { passkeys } from "../../db/schema/sign-in.ts";
import { identities, users } from "../../db/schema/users.ts";
import type { Db } from "../../db/types.ts";
import { OperationError } from "../lib/operation-error.ts";
import { type OptionKey, registry } from "../settings/registry/index.ts";
import type { SettingsReader } from "../settings/settings.ts";
import type { OutsideName } from "./outside/provider.ts";
import { ROLE, USER_STATUS } from "./roles.ts";

/** The switch of each service that people sign in with. */
const SWITCHES = {
  github: "GitHubOAuthEnabled",
  oidc: "oidc.enabled",
  linuxdo: "LinuxDOOAuthEnabled",
  discord: "DiscordOAuthEnabled",
  wechat: "WeChatAuthEnabled",
  telegram: "TelegramOAuthEnabled",
} as const satisfies Record<OutsideName, OptionKey>;

/**
 * Refuses to turn off signing in by password while no super admin has a passkey, or an account of a service that is turned
 * on: nobody could show that another way works. Other changes pass. Throws OperationError.
 */
export async function guardPasswordLogin(
  { db, settings }: Readonly<{ db: Db; settings: SettingsReader }>,
  key: string,
  text: string,
): Promise<void> {
  if (key !== "PasswordLoginEnabled" || !settings.get("PasswordLoginEnabled")) return;
  if (registry.PasswordLoginEnabled.read(text, key).value) return;
  const services = Object.entries(SWITCHES).flatMap(([name, option]) => (settings.get(option) ? [name] : []));
  const one = { one: sql`1` };
  const bound = and(eq(identities.userId, users.id), inArray(identities.provider, services));
  const [found] = await db
    .select({ id: users.id })
    .from(users)
    .where(
      and(
        eq(users.role, ROLE.root),
        eq(users.status, USER_STATUS.active),
        isNull(users.deletedAt),
        or(
          exists(db.select(one).from(passkeys).where(eq(passkeys.userId, users.id))),
          services.length > 0 ? exists(db.select(one).from(identities).where(bound)) : undefined,
        ),
      ),
    )
    .limit(1);
  if (!found) throw new OperationError("option_password_login_needed");
}

import { and, eq, exists, inArray, isNull, or, sql } from "drizzle-orm";
import { identityProviders } from "../../../../db/schema/accounts/identity-providers/identity-providers.ts";
import { passkeys } from "../../../../db/schema/accounts/sign-in.ts";
import { identities, users } from "../../../../db/schema/accounts/users.ts";
import type { Db, DbOrTx, Tx } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { registry } from "../../../settings/registry/index.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { ROLE, USER_STATUS } from "../access/roles.ts";
import type { OutsideName } from "./identities/provider.ts";

/** The switch of each service that people sign in with. */
const SWITCHES = {
  github: "GitHubOAuthEnabled",
  oidc: "oidc.enabled",
  linuxdo: "LinuxDOOAuthEnabled",
  discord: "DiscordOAuthEnabled",
  wechat: "WeChatAuthEnabled",
  telegram: "TelegramOAuthEnabled",
  ldap: "ldap.enabled",
} as const satisfies Record<OutsideName, string>;

type Switch = "PasswordLoginEnabled" | (typeof SWITCHES)[OutsideName];
type IsOn = (option: Switch) => boolean;

/**
 * Refuses changes of options (key → text) that turn a way to sign in off and leave none: password login off, and no super
 * admin with a passkey or an account of a service that is on, who would show that another way works. Throws OperationError.
 */
export async function guardWaysIn(
  { db, settings }: Readonly<{ db: Db; settings: SettingsReader }>,
  changes: Readonly<Record<string, string>>,
): Promise<void> {
  const isOn: IsOn = (option) => {
    const text = changes[option];
    try {
      return text === undefined ? settings.get(option) : registry[option].read(text, option).value;
    } catch {
      // What is no value for it is refused when it is saved.
      return settings.get(option);
    }
  };
  const switches: readonly Switch[] = ["PasswordLoginEnabled", ...Object.values(SWITCHES)];
  const isLess = switches.some((option) => settings.get(option) && !isOn(option));
  if (!isLess || isOn("PasswordLoginEnabled")) return;
  const [found] = await db
    .select({ id: users.id })
    .from(users)
    .where(
      and(
        eq(users.role, ROLE.root),
        eq(users.status, USER_STATUS.active),
        isNull(users.deletedAt),
        hasOtherWayIn(db, isOn),
      ),
    )
    .limit(1);
  if (found) return;
  const isPassword = settings.get("PasswordLoginEnabled");
  throw new OperationError(isPassword ? "option_password_login_needed" : "option_last_sign_in_needed");
}

/** Throws OperationError last_sign_in when a user cannot sign in any more as things stand inside the transaction. */
export async function requireWayIn(tx: Tx, settings: SettingsReader, userId: number): Promise<void> {
  const [user] = await tx
    .select({
      hash: users.passwordHash,
      role: users.role,
      hasOther: sql<boolean>`${hasOtherWayIn(tx, (option) => settings.get(option))}`,
    })
    .from(users)
    .where(eq(users.id, userId));
  // Super admins always get in with their password.
  const isPassword = settings.get("PasswordLoginEnabled") || user?.role === ROLE.root;
  if (!user?.hasOther && !(user?.hash && isPassword)) throw new OperationError("last_sign_in");
}

/** Whether the user of a row has a passkey, or an account of a service or identity provider that is on. */
function hasOtherWayIn(db: DbOrTx, isOn: IsOn) {
  const services = Object.entries(SWITCHES).flatMap(([name, option]) => (isOn(option) ? [name] : []));
  const one = { one: sql`1` };
  const bound = and(eq(identities.userId, users.id), inArray(identities.provider, services));
  return or(
    exists(db.select(one).from(passkeys).where(eq(passkeys.userId, users.id))),
    services.length > 0 ? exists(db.select(one).from(identities).where(bound)) : undefined,
    exists(
      db
        .select(one)
        .from(identities)
        .innerJoin(identityProviders, sql`${identities.provider} = 'sso-' || ${identityProviders.id}`)
        .where(and(eq(identities.userId, users.id), eq(identityProviders.enabled, true))),
    ),
  );
}

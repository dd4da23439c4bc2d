import type { Changes } from "../../../../db/changes.ts";
import type { Db } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { checkPasswordLength, hashPassword } from "../identity/passwords.ts";
import { checkUsername } from "../identity/usernames.ts";
import { countRegistration } from "./count-registration.ts";
import { checkEmailAddress, claimEmail } from "./email-address.ts";
import { checkCode, consumeCode } from "./verification-codes.ts";
import { findInviter, welcomeUser } from "./welcome.ts";

type Registration = Readonly<{
  username: string;
  password: string;
  /** The password once more; programs may leave it away. */
  password2?: string | null | undefined;
  email?: string | null | undefined;
  verification_code?: string | null | undefined;
  aff_code?: string | null | undefined;
}>;

type RegisterDeps = Readonly<{ db: Db; changes: Changes; vault: Vault; settings: SettingsReader }>;

/**
 * Rejects OperationError unless the site takes new users, where it asks for one with somebody's invitation; nobody joins a site that
 * one person uses for themselves.
 */
export async function checkRegistrationOpen(
  { db, settings }: Pick<RegisterDeps, "db" | "settings">,
  affCode: string,
): Promise<void> {
  if (!settings.get("RegisterEnabled") || settings.get("SelfUseModeEnabled")) {
    throw new OperationError("registration_disabled");
  }
  if (!settings.get("InvitationRequired") || (await findInviter(db, affCode)) !== null) return;
  throw new OperationError(affCode.trim() === "" ? "invitation_required" : "invitation_unknown");
}

/**
 * Creates an account with a password; where the site asks for an e-mail address it must have received the code. Without
 * that the address is not kept, as nobody has proven it. Returns the user's id. Throws OperationError.
 */
export async function registerUser(deps: RegisterDeps, request: Registration): Promise<number> {
  const { db, changes, vault, settings } = deps;
  await checkRegistrationOpen(deps, request.aff_code ?? "");
  if (!settings.get("PasswordRegisterEnabled")) throw new OperationError("password_registration_disabled");
  const username = checkUsername(request.username, settings.get("UsernameMaxLength"));
  checkPasswordLength(request.password, settings.get("PasswordMaxLength"));
  if (request.password2 != null && request.password2 !== request.password) {
    throw new OperationError("passwords_differ");
  }
  const proof = settings.get("EmailVerificationEnabled") ? await proveAddress(deps, request) : null;
  const passwordHash = await hashPassword(request.password);
  const changed = await db.transaction(async (tx) => {
    if (proof) {
      await consumeCode(tx, vault, proof);
      await claimEmail(tx, vault, proof.target);
    }
    const account = { username, email: proof?.target ?? null };
    const made = await welcomeUser(tx, { settings, account, passwordHash, affCode: request.aff_code ?? "" });
    const [userId] = made;
    if (userId !== undefined) await countRegistration(tx, settings, userId);
    return made;
  });
  await changes.publish("users", changed);
  const [userId] = changed;
  if (userId === undefined) throw new Error("the account was not created");
  return userId;
}

async function proveAddress({ db, vault, settings }: RegisterDeps, request: Registration) {
  const target = checkEmailAddress(settings, request.email ?? "");
  const code = request.verification_code?.trim() ?? "";
  if (code === "") throw new OperationError("verification_code_required");
  const proof = { purpose: "register", target, code } as const;
  if (!(await checkCode({ db, vault }, proof))) throw new OperationError("verification_code_wrong");
  return proof;
}

import { throwRuleError } from "../../../lib/operation-error.ts";
import { ACCOUNT_LIMITS, passwordError } from "../account-rules.ts";

/** OWASP's choice for argon2id: 19 MiB, two passes. */
const ARGON2ID = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** Throws OperationError unless the password has 8 to `most` characters (code points, as people count). */
export function checkPasswordLength(password: string, most: number = ACCOUNT_LIMITS.passwordMax): void {
  throwRuleError(passwordError(password, most), { min: ACCOUNT_LIMITS.passwordMin, max: most });
}

/** Hashes a password with argon2id (RFC 9106), for the column `password_hash`. */
export const hashPassword = (password: string): Promise<string> => Bun.password.hash(password, ARGON2ID);

/** A hash of no password: an unknown account takes as long to refuse as a wrong password. */
let decoy: Promise<string> | undefined;

/** Whether `password` belongs to `hash` (argon2id, or bcrypt of an imported account); null is refused in the same time. */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  decoy ??= hashPassword(crypto.randomUUID());
  const matches = await Bun.password.verify(password, hash ?? (await decoy)).catch(() => false);
  return matches && hash !== null;
}

/** Imported bcrypt hashes are replaced at the next sign-in. */
export const isOutdatedHash = (hash: string): boolean => !hash.startsWith("$argon2id$");

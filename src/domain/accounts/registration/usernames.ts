import { throwRuleError } from "../../../lib/operation-error.ts";
import { ACCOUNT_LIMITS, displayNameError, usernameError } from "../account-rules.ts";

/** The username as it is stored. Throws OperationError unless it has 1 to 12 characters (code points), none of them odd. */
export function checkUsername(name: string): string {
  throwRuleError(usernameError(name), { max: ACCOUNT_LIMITS.username });
  return name.trim().normalize("NFC");
}

/** The display name as it is stored. Throws OperationError when it is longer than 20 characters. */
export function checkDisplayName(name: string): string {
  throwRuleError(displayNameError(name), { max: ACCOUNT_LIMITS.displayName });
  return name.trim().normalize("NFC");
}

import { OperationError } from "../../../lib/operation-error.ts";

const LONGEST = 12;
const LONGEST_DISPLAY_NAME = 20;

/** The username as it is stored; throws OperationError unless it has 1 to 12 characters (code points), none of them odd. */
export function checkUsername(given: string): string {
  const username = given.trim().normalize("NFC");
  if (username === "") throw new OperationError("username_required");
  if ([...username].length > LONGEST) throw new OperationError("username_too_long", { max: LONGEST });
  // A sign-in field takes e-mail addresses too: with an @ a name could pose as one.
  if (/[\s@\p{C}]/u.test(username)) throw new OperationError("username_characters");
  return username;
}

/** The display name as it is stored. Throws OperationError when it is longer than 20 characters. */
export function checkDisplayName(given: string): string {
  const name = given.trim().normalize("NFC");
  if ([...name].length > LONGEST_DISPLAY_NAME) {
    throw new OperationError("display_name_too_long", { max: LONGEST_DISPLAY_NAME });
  }
  return name;
}

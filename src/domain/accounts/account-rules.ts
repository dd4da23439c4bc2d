/** How long the fields of an account may be, in characters (code points, as people count); `rate` is the highest limit. */
export const ACCOUNT_LIMITS = {
  username: 12,
  displayName: 20,
  passwordMin: 8,
  passwordMax: 20,
  note: 1000,
  rate: 1_000_000,
} as const;

const lengthOf = (text: string): number => [...text].length;
const cleanName = (text: string): string => text.trim().normalize("NFC");

/** How long names and passwords may be on a site. */
export type AccountLimits = Readonly<{ username: number; passwordMax: number }>;

/** The most that the site's settings may allow. */
export const MOST_CHARACTERS = 64;

/** What is wrong with a username of at most `most` characters; undefined: nothing. */
export function usernameError(
  text: string,
  most: number = ACCOUNT_LIMITS.username,
): "username_required" | "username_too_long" | "username_characters" | undefined {
  const username = cleanName(text);
  if (username === "") return "username_required";
  if (lengthOf(username) > most) return "username_too_long";
  // A sign-in field takes e-mail addresses too: with an @ a name could pose as one.
  return /[\s@\p{C}]/u.test(username) ? "username_characters" : undefined;
}

/** What is wrong with a display name; undefined: nothing. */
export const displayNameError = (text: string): "display_name_too_long" | undefined =>
  lengthOf(cleanName(text)) > ACCOUNT_LIMITS.displayName ? "display_name_too_long" : undefined;

/** What is wrong with a new password of at most `most` characters; undefined: nothing. */
export function passwordError(
  password: string,
  most: number = ACCOUNT_LIMITS.passwordMax,
): "password_length" | undefined {
  const length = lengthOf(password);
  const fits = length >= ACCOUNT_LIMITS.passwordMin && length <= most;
  return fits ? undefined : "password_length";
}

/** What is wrong with an administrator's note on a user; undefined: nothing. */
export const userNoteError = (text: string): "user_note_too_long" | undefined =>
  text.trim().length > ACCOUNT_LIMITS.note ? "user_note_too_long" : undefined;

/** What is wrong with a user's own limit (0: none); undefined: nothing. */
export const userLimitError = (limit: number): "user_limit_invalid" | undefined =>
  Number.isInteger(limit) && limit >= 0 && limit <= ACCOUNT_LIMITS.rate ? undefined : "user_limit_invalid";

export type PasswordForm = Readonly<{ original: string; password: string; confirm: string }>;
export type PasswordErrors = Partial<Record<keyof PasswordForm, "original" | "length" | "same" | "confirm">>;

const MIN_LENGTH = 8;
const MAX_LENGTH = 20;

/** What is wrong with a change of password, by field; empty when it can be sent. */
export function checkPasswordForm({ original, password, confirm }: PasswordForm, hasPassword: boolean): PasswordErrors {
  const errors: PasswordErrors = {};
  if (hasPassword && original === "") errors.original = "original";
  const length = [...password].length;
  if (length < MIN_LENGTH || length > MAX_LENGTH) errors.password = "length";
  else if (password === original) errors.password = "same";
  if (confirm !== password) errors.confirm = "confirm";
  return errors;
}

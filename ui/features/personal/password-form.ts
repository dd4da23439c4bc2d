export type PasswordForm = Readonly<{ original: string; password: string; confirm: string }>;
export type PasswordErrors = Partial<Record<keyof PasswordForm, "original" | "length" | "same" | "confirm">>;

const MIN_LENGTH = 8;
const MAX_LENGTH = 20;

/** What is wrong with a change of password, by field; empty when it can be sent. */
export function checkPasswordForm({ original, password, confirm }: PasswordForm): PasswordErrors {
  const errors: PasswordErrors = {};
  if (original === "") errors.original = "original";
  if (password.length < MIN_LENGTH || password.length > MAX_LENGTH) errors.password = "length";
  else if (password === original) errors.password = "same";
  if (confirm !== password) errors.confirm = "confirm";
  return errors;
}

import type { SiteStatus } from "../../../state/site-status.ts";

export type RegisterForm = Readonly<{
  username: string;
  password: string;
  confirm: string;
  email: string;
  code: string;
}>;

export const LONGEST_USERNAME = 12;
const PASSWORD = { min: 8, max: 20 };

/** Keys under `register.errors` in the locales. */
type RegisterErrors = Partial<
  Record<keyof RegisterForm, "username" | "usernameLong" | "password" | "passwordLong" | "confirm" | "email" | "code">
>;

/** Validation errors; empty if the form is valid. Lengths are in characters, not code units. */
export function checkRegisterForm(form: RegisterForm, needsEmail: boolean): RegisterErrors {
  const errors: RegisterErrors = {};
  if (form.username.trim() === "") errors.username = "username";
  else if ([...form.username.trim()].length > LONGEST_USERNAME) errors.username = "usernameLong";
  const length = [...form.password].length;
  if (length < PASSWORD.min) errors.password = "password";
  else if (length > PASSWORD.max) errors.password = "passwordLong";
  if (form.confirm !== form.password) errors.confirm = "confirm";
  if (needsEmail && form.email.trim() === "") errors.email = "email";
  if (needsEmail && form.code.trim() === "") errors.code = "code";
  return errors;
}

const STORAGE_KEY = "aff";

/** Stores the code of an invitation link until somebody registers on this device. */
export const rememberInvitation = (code: string): void => localStorage.setItem(STORAGE_KEY, code);

/** The code of the last invitation link; "" without one. */
export const rememberedInvitation = (): string => localStorage.getItem(STORAGE_KEY) ?? "";

/** Whether the site takes new users. */
export const isRegistrationOpen = (site: SiteStatus): boolean => site.register_enabled && !site.self_use_mode_enabled;

import { passwordError, usernameError } from "../../../../src/domain/accounts/account-rules.ts";
import type { SiteStatus } from "../../../state/site-status.ts";

export type RegisterForm = Readonly<{
  username: string;
  password: string;
  confirm: string;
  email: string;
  code: string;
}>;

/** What is wrong with the form, by field: under `register.errors` in the words. */
export const checkRegisterForm = (form: RegisterForm, needsEmail: boolean) => ({
  username: usernameError(form.username),
  password: passwordError(form.password),
  confirm: form.confirm === form.password ? undefined : ("confirm" as const),
  email: needsEmail && form.email.trim() === "" ? ("email" as const) : undefined,
  code: needsEmail && form.code.trim() === "" ? ("code" as const) : undefined,
});

const STORAGE_KEY = "aff";

/** Stores the code of an invitation link until somebody registers on this device. */
export const rememberInvitation = (code: string): void => localStorage.setItem(STORAGE_KEY, code);

/** The code of the last invitation link; "" without one. */
export const rememberedInvitation = (): string => localStorage.getItem(STORAGE_KEY) ?? "";

/** Whether the site takes new users. */
export const isRegistrationOpen = (site: SiteStatus): boolean => site.register_enabled && !site.self_use_mode_enabled;

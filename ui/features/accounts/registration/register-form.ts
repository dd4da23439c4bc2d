import { queryOptions } from "@tanstack/react-query";
import {
  ACCOUNT_LIMITS,
  type AccountLimits,
  passwordError,
  usernameError,
} from "../../../../src/domain/accounts/account-rules.ts";
import { readData } from "../../../api/client.ts";
import { setupApi } from "../../../api/groups.ts";

export type RegisterForm = Readonly<{
  username: string;
  password: string;
  confirm: string;
  email: string;
  code: string;
}>;

/** What is wrong with the form, by field: under `registration.errors` in the words. */
export const checkRegisterForm = (form: RegisterForm, needsEmail: boolean, limits: AccountLimits = ACCOUNT_LIMITS) => ({
  username: usernameError(form.username, limits.username),
  password: passwordError(form.password, limits.passwordMax),
  confirm: form.confirm === form.password ? undefined : ("confirm" as const),
  email: needsEmail && form.email.trim() === "" ? ("email" as const) : undefined,
  code: needsEmail && form.code.trim() === "" ? ("code" as const) : undefined,
});

export type UsageMode = "external" | "self" | "demo";

export type SetupForm = Readonly<{
  username: string;
  password: string;
  confirm: string;
  /** Where the site is reached from outside. */
  address: string;
  mode: UsageMode;
}>;

/** What is wrong with the administrator's account, by field: under `setup.errors` in the words. */
export const checkSetupForm = ({ username, password, confirm }: SetupForm) => ({
  username: usernameError(username),
  password: passwordError(password),
  confirm: confirm === password ? undefined : ("confirm" as const),
});

/** The request body; without the account if one exists already. */
export const setupBody = (form: SetupForm, hasRoot: boolean) => ({
  ...(!hasRoot && { username: form.username.trim(), password: form.password, confirmPassword: form.confirm }),
  SelfUseModeEnabled: form.mode === "self",
  DemoSiteEnabled: form.mode === "demo",
  ServerAddress: form.address.trim(),
});

type SetupStatus = Readonly<{
  /** Whether the gateway is set up. */
  status: boolean;
  /** Whether there is an administrator. */
  root_init: boolean;
  database_type: string;
}>;

export const setupStatus = queryOptions({
  queryKey: ["setup"],
  queryFn: ({ signal }): Promise<SetupStatus> => readData(setupApi.get({ fetch: { signal } }), { stayOn401: true }),
});

export const finishSetup = (body: ReturnType<typeof setupBody>) => readData(setupApi.post(body), { stayOn401: true });

import { queryOptions } from "@tanstack/react-query";
import { readData } from "../../../api/client.ts";
import { setupApi } from "../../../api/groups.ts";

export type UsageMode = "external" | "self" | "demo";

export type SetupForm = Readonly<{ username: string; password: string; confirm: string; mode: UsageMode }>;
type Problem = "username" | "usernameLength" | "passwordLength" | "passwordTooLong" | "confirm";
type SetupErrors = Partial<Record<"username" | "password" | "confirm", Problem>>;

const MAX_USERNAME_LENGTH = 12;
const MIN_PASSWORD_LENGTH = 8;
const MAX_PASSWORD_LENGTH = 20;

/** Validation errors of the administrator's account, by field. Lengths are in characters, not code units. */
export function checkSetupForm({ username, password, confirm }: SetupForm): SetupErrors {
  const errors: SetupErrors = {};
  if (username.trim() === "") errors.username = "username";
  else if ([...username.trim()].length > MAX_USERNAME_LENGTH) errors.username = "usernameLength";
  if (password.length < MIN_PASSWORD_LENGTH) errors.password = "passwordLength";
  else if (password.length > MAX_PASSWORD_LENGTH) errors.password = "passwordTooLong";
  if (confirm !== password) errors.confirm = "confirm";
  return errors;
}

/** The request body; without the account if one exists already. */
export const setupBody = (form: SetupForm, hasRoot: boolean) => ({
  ...(!hasRoot && { username: form.username.trim(), password: form.password, confirmPassword: form.confirm }),
  SelfUseModeEnabled: form.mode === "self",
  DemoSiteEnabled: form.mode === "demo",
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

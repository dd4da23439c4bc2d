import { queryOptions } from "@tanstack/react-query";
import { passwordError, usernameError } from "../../../../src/domain/accounts/account-rules.ts";
import { readData } from "../../../api/client.ts";
import { setupApi } from "../../../api/groups.ts";

export type UsageMode = "external" | "self" | "demo";

export type SetupForm = Readonly<{ username: string; password: string; confirm: string; mode: UsageMode }>;

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

import {
  ACCOUNT_LIMITS,
  type AccountLimits,
  displayNameError,
  passwordError,
  userLimitError,
  userNoteError,
  usernameError,
} from "../../../../src/domain/accounts/account-rules.ts";
import { readData } from "../../../api/client.ts";
import { securityApi, usersApi } from "../../../api/groups.ts";
import type { User, UserAction } from "./user.ts";

/** The drawer's fields; numbers are text while being edited. */
export type UserForm = {
  username: string;
  displayName: string;
  /** Empty: unchanged. */
  password: string;
  group: string;
  note: string;
  /** Empty or 0: no limit of the user's own. */
  maxConcurrency: string;
  perMinute: string;
};

const limitText = (limit: number | undefined): string => (limit ? String(limit) : "");

/** Initial form values of a user; null: a new user. */
export const formOf = (user: User | null): UserForm => ({
  username: user?.username ?? "",
  displayName: user?.display_name ?? "",
  password: "",
  group: user?.group ?? "default",
  note: user?.note ?? "",
  maxConcurrency: limitText(user?.max_concurrency),
  perMinute: limitText(user?.requests_per_minute),
});

type NewUserBody = Readonly<{ username: string; password: string; display_name: string }>;

export const bodyOf = ({ username, password, displayName }: UserForm): NewUserBody => ({
  username: username.trim(),
  password,
  display_name: displayName.trim(),
});

type UserChanges = Readonly<{
  username?: string;
  display_name?: string;
  password?: string;
  group?: string;
  note?: string;
  max_concurrency?: number;
  requests_per_minute?: number;
}>;

/** Sends only edited fields: the others may have changed since the form was opened. */
export function changesOf(before: UserForm, now: UserForm): UserChanges {
  const isTouched = (field: keyof UserForm) => before[field].trim() !== now[field].trim();
  return {
    ...(isTouched("username") && { username: now.username.trim() }),
    ...(isTouched("displayName") && { display_name: now.displayName.trim() }),
    ...(now.password !== "" && { password: now.password }),
    ...(isTouched("group") && { group: now.group }),
    ...(isTouched("note") && { note: now.note.trim() }),
    ...(isTouched("maxConcurrency") && { max_concurrency: Number(now.maxConcurrency) || 0 }),
    ...(isTouched("perMinute") && { requests_per_minute: Number(now.perMinute) || 0 }),
  };
}

/**
 * The errors of the form, by field; `stored` is null for a new user. Names that stay have none: those of imported users may
 * be longer than new ones.
 */
export const checkUserForm = (form: UserForm, stored: UserForm | null, limits: AccountLimits = ACCOUNT_LIMITS) => ({
  username: form.username === stored?.username ? undefined : usernameError(form.username, limits.username),
  displayName: form.displayName === stored?.displayName ? undefined : displayNameError(form.displayName),
  password: stored !== null && form.password === "" ? undefined : passwordError(form.password, limits.passwordMax),
  note: userNoteError(form.note),
  maxConcurrency: userLimitError(Number(form.maxConcurrency)),
  perMinute: userLimitError(Number(form.perMinute)),
});

export const addUser = (body: NewUserBody) => readData(usersApi.post(body));

export const updateUser = (id: number, changes: UserChanges): Promise<User> =>
  readData(usersApi.put({ ...changes, id }));

/** Adds quota units (subtracts if negative); resolves with the user. */
export const addQuota = (id: number, quotaDelta: number): Promise<User> =>
  readData(usersApi.put({ id, quota_delta: quotaDelta }));

export const manageUser = (id: number, action: UserAction): Promise<{ role: number; status: number }> =>
  readData(usersApi.manage.post({ id, action }));

export type UserBatch = Readonly<{ action: "enable" | "disable" | "delete" | "group"; group?: string }>;

/** Applies an action to several users; resolves with the outcome of each. */
export const manageUsers = (ids: readonly number[], batch: UserBatch) =>
  readData(usersApi.manage.batch.post({ ids: [...ids], ...batch }));

/** Turns off two-step verification for a user who lost the device. Rejects ApiError, also when it is off already. */
export const resetSecondFactor = (id: number) => readData(securityApi({ id }).second_factor.delete());

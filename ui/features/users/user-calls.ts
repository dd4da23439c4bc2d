import { readData } from "../../api/client.ts";
import { securityApi, usersApi } from "../../api/groups.ts";
import type { User, UserAction } from "./user.ts";
import type { NewUserBody, UserChanges } from "./user-form.ts";

export const addUser = (body: NewUserBody) => readData(usersApi.post(body));

export const updateUser = (id: number, changes: UserChanges): Promise<User> =>
  readData(usersApi.put({ ...changes, id }));

/** Adds quota units, or takes them where negative; resolves with the user. */
export const addQuota = (id: number, quotaDelta: number): Promise<User> =>
  readData(usersApi.put({ id, quota_delta: quotaDelta }));

export const manageUser = (id: number, action: UserAction): Promise<{ role: number; status: number }> =>
  readData(usersApi.manage.post({ id, action }));

export type UserBatch = Readonly<{ action: "enable" | "disable" | "delete" | "group"; group?: string }>;

/** Does the same to many; resolves with how it went with each of them. */
export const manageUsers = (ids: readonly number[], batch: UserBatch) =>
  readData(usersApi.manage.batch.post({ ids: [...ids], ...batch }));

/** Turns off the two-step verification of somebody who has lost it. Rejects ApiError, also when it is off. */
export const resetSecondFactor = (id: number) => readData(securityApi({ id }).second_factor.delete());

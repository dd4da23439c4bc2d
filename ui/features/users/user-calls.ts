import { request } from "../../api/client.ts";
import type { User, UserAction } from "./user.ts";
import type { NewUserBody, UserChanges } from "./user-form.ts";

export const addUser = (body: NewUserBody) => request<{ id: number }>("/api/user/", { method: "POST", body });

export const updateUser = (id: number, changes: UserChanges) =>
  request<User>("/api/user/", { method: "PUT", body: { ...changes, id } });

/** Adds quota units, or takes them where negative; resolves with the user. */
export const addQuota = async (id: number, quotaDelta: number): Promise<User> =>
  (await request<User>("/api/user/", { method: "PUT", body: { id, quota_delta: quotaDelta } })).data;

export const manageUser = async (id: number, action: UserAction): Promise<{ role: number; status: number }> =>
  (await request<{ role: number; status: number }>("/api/user/manage", { method: "POST", body: { id, action } })).data;

export type UserBatch = Readonly<{ action: "enable" | "disable" | "delete" | "group"; group?: string }>;
type UserOutcome = Readonly<{ id: number; success: boolean; message: string }>;

/** Does the same to many; resolves with how it went with each of them. */
export const manageUsers = async (ids: readonly number[], batch: UserBatch): Promise<UserOutcome[]> =>
  (await request<UserOutcome[]>("/api/user/manage/batch", { method: "POST", body: { ids, ...batch } })).data;

/** Turns off the two-step verification of somebody who has lost it. Rejects ApiError, also when it is off. */
export const resetSecondFactor = (id: number) => request<null>(`/api/user/${id}/second_factor`, { method: "DELETE" });

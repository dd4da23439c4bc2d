import { getDefaultStore } from "jotai";
import { RESET } from "jotai/utils";
import type { Right } from "../../src/domain/accounts/access/access-rules.ts";
import { jsonFormat, storedAtom } from "./stored-atom.ts";

/** The signed-in user as stored on this device; the server decides. */
export type StoredUser = Readonly<{
  id: number;
  username: string;
  display_name: string;
  /** 1 user, 10 admin, 100 super admin. */
  role: number;
  /** What a custom role allows beyond that. */
  rights?: readonly Right[];
  status: number;
  group: string;
}>;

const isStoredUser = (value: unknown): value is StoredUser =>
  typeof value === "object" && value !== null && "id" in value && typeof value.id === "number";

/** The stored user; null if nobody is signed in or the stored text is invalid. */
export const userAtom = storedAtom(
  "user",
  jsonFormat((value) => (isStoredUser(value) ? value : null)),
);

/** The stored user, for use outside components. */
export const readUser = (): StoredUser | null => getDefaultStore().get(userAtom);

export const rememberUser = (user: StoredUser): void => getDefaultStore().set(userAtom, user);

export const forgetUser = (): void => getDefaultStore().set(userAtom, RESET);

export const isAdmin = (user: StoredUser | null): boolean => (user?.role ?? 0) >= 10;

export const isSuperAdmin = (user: StoredUser | null): boolean => (user?.role ?? 0) >= 100;

/** Whether an administrator, or somebody whose custom role has the right. */
export const hasRight = (user: StoredUser | null, right: Right): boolean =>
  isAdmin(user) || (user?.rights?.includes(right) ?? false);

/** Whether a super administrator, or somebody whose custom role has the right. */
export const hasRootRight = (user: StoredUser | null, right: Right): boolean =>
  isSuperAdmin(user) || (user?.rights?.includes(right) ?? false);

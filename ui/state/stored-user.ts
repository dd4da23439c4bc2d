import { getDefaultStore } from "jotai";
import { RESET } from "jotai/utils";
import { jsonFormat, storedAtom } from "./stored-atom.ts";

/** Who is signed in on this device, as far as the device remembers; the server has the last word. */
export type StoredUser = Readonly<{
  id: number;
  username: string;
  display_name: string;
  /** 1 user, 10 admin, 100 super admin. */
  role: number;
  status: number;
  group: string;
}>;

const isStoredUser = (value: unknown): value is StoredUser =>
  typeof value === "object" && value !== null && "id" in value && typeof value.id === "number";

/** The remembered user; null when nobody signed in or what is stored cannot be read. */
export const userAtom = storedAtom(
  "user",
  jsonFormat((value) => (isStoredUser(value) ? value : null)),
);

/** The remembered user, outside of components. */
export const readUser = (): StoredUser | null => getDefaultStore().get(userAtom);

export const rememberUser = (user: StoredUser): void => getDefaultStore().set(userAtom, user);

export const forgetUser = (): void => getDefaultStore().set(userAtom, RESET);

export const isAdmin = (user: StoredUser | null): boolean => (user?.role ?? 0) >= 10;

export const isSuperAdmin = (user: StoredUser | null): boolean => (user?.role ?? 0) >= 100;

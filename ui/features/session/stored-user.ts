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

const STORAGE_KEY = "user";

/** The remembered user; null when nobody signed in or what is stored cannot be read. */
export function readUser(): StoredUser | null {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "null");
    if (!stored || typeof stored !== "object" || !("id" in stored) || typeof stored.id !== "number") return null;
    return stored as StoredUser;
  } catch {
    return null;
  }
}

export const rememberUser = (user: StoredUser): void => localStorage.setItem(STORAGE_KEY, JSON.stringify(user));

export const forgetUser = (): void => localStorage.removeItem(STORAGE_KEY);

export const isAdmin = (user: StoredUser | null): boolean => (user?.role ?? 0) >= 10;

export const isSuperAdmin = (user: StoredUser | null): boolean => (user?.role ?? 0) >= 100;

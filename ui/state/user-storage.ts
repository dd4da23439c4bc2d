import { storageKey } from "../lib/base-path.ts";
import { chooseOrganization } from "./organization.ts";
import { forgetUser, readUser } from "./stored-user.ts";

/** Where this device keeps the chats of a user, until that user signs out. */
export const chatsKey = (userId: number): string => storageKey(`playground-chats-${userId}`);

/** Forgets who was signed in on this device, with what the console kept of that user. */
export function forgetUserStorage(): void {
  const user = readUser();
  chooseOrganization(null);
  // First, so that nothing that waits to be stored for the user still is.
  forgetUser();
  if (user) localStorage.removeItem(chatsKey(user.id));
}

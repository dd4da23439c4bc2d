import { storageKey } from "../lib/base-path.ts";
import { chooseOrganization } from "./organization.ts";
import { forgetUser, readUser } from "./stored-user.ts";

/** The database in which this device keeps the chats of a user, until that user signs out. */
export const chatsDatabase = (userId: number): string => storageKey(`playground-chats-${userId}`);

/** Where this device keeps what a user typed into a form and did not save, until it is saved or that user signs out. */
export const draftKey = (userId: number, name: string): string => storageKey(`draft-${userId}-${name}`);

/** Forgets who was signed in on this device, with what the console kept of that user. */
export function forgetUserStorage(): void {
  const user = readUser();
  chooseOrganization(null);
  // First, so that nothing that waits to be stored for the user still is.
  forgetUser();
  if (!user) return;
  indexedDB.deleteDatabase(chatsDatabase(user.id));
  for (const key of Object.keys(localStorage)) if (key.startsWith(draftKey(user.id, ""))) localStorage.removeItem(key);
}

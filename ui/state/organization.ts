import { atom, getDefaultStore } from "jotai";
import { storageKey } from "../lib/base-path.ts";
import { siteAtom } from "./site-atom.ts";
import { userAtom } from "./stored-user.ts";

/** The organization that a user of this device chose to act for. */
type Choice = Readonly<{ user: number; organization: number }>;

const KEY = storageKey("organization");

const isChoice = (value: unknown): value is Choice =>
  typeof value === "object" &&
  value !== null &&
  "user" in value &&
  typeof value.user === "number" &&
  "organization" in value &&
  typeof value.organization === "number";

function readChoice(): Choice | null {
  try {
    const value: unknown = JSON.parse(globalThis.localStorage?.getItem(KEY) ?? "null");
    return isChoice(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * Each tab keeps the choice that it started with or made: if another tab's choice took effect here, a form that shows one
 * account could be sent for another.
 */
const choiceAtom = atom(readChoice());

/** The id of the organization that this tab acts for; null: the user's own account. */
export const organizationAtom = atom((get): number | null => {
  const choice = get(choiceAtom);
  const isOff = (get(siteAtom)?.organizations ?? "off") === "off";
  return isOff || choice === null || choice.user !== get(userAtom)?.id ? null : choice.organization;
});

/** The organization that this tab acts for, for use outside components. */
export const readOrganization = (): number | null => getDefaultStore().get(organizationAtom);

/** Acts for an organization (null: the user's own account) in this tab, and in those opened later. */
export function chooseOrganization(organization: number | null): void {
  const store = getDefaultStore();
  const user = store.get(userAtom);
  const choice = user && organization !== null ? { user: user.id, organization } : null;
  if (choice) localStorage.setItem(KEY, JSON.stringify(choice));
  else localStorage.removeItem(KEY);
  store.set(choiceAtom, choice);
}

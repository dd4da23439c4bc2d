import { atom, getDefaultStore } from "jotai";

/** Ends the question for the password, which is asked over the page; null: it is not asked. */
export const signInAgainAtom = atom<((isSignedIn: boolean) => void) | null>(null);

let asking: Promise<boolean> | null = null;
let isDeclined = false;

/**
 * Asks whoever is signed in to sign in again, over the page. Resolves with whether they did; calls that fail meanwhile wait for the
 * same answer. Once it was declined only what a person does (`isOwnAct`) asks again, not what a page reads by itself.
 */
export function askToSignIn(isOwnAct: boolean): Promise<boolean> {
  if (asking) return asking;
  if (isDeclined && !isOwnAct) return Promise.resolve(false);
  const store = getDefaultStore();
  asking = new Promise((resolve) => {
    store.set(signInAgainAtom, () => (isSignedIn: boolean) => {
      asking = null;
      isDeclined = !isSignedIn;
      store.set(signInAgainAtom, null);
      resolve(isSignedIn);
    });
  });
  return asking;
}

/** Whether somebody goes on without a session: the page stays as it is. */
export const hasDeclinedSignIn = (): boolean => isDeclined;

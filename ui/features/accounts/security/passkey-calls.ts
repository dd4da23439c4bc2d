import { startAuthentication, startRegistration } from "@simplewebauthn/browser";
import { queryOptions } from "@tanstack/react-query";
import { readData } from "../../../api/client.ts";
import { passkeyApi } from "../../../api/groups.ts";
import type { StoredUser } from "../../../state/stored-user.ts";

export type Passkey = Readonly<{
  id: string;
  name: string;
  /** Epoch seconds. */
  created_at: number;
  last_used_at: number | null;
}>;

/** The user's passkeys. */
export const passkeys = queryOptions({
  queryKey: ["passkeys"],
  queryFn: ({ signal }) => readData(passkeyApi.passkey.get({ fetch: { signal } })),
});

/** Signs in with a passkey; null if the user closed the browser's prompt. Rejects ApiError. */
export async function signInWithPasskey(): Promise<StoredUser | null> {
  const optionsJSON = await readData(passkeyApi.passkey.login.begin.post({}), { stayOn401: true });
  const response = await unlessClosed(startAuthentication({ optionsJSON }));
  if (!response) return null;
  return readData(passkeyApi.passkey.login.finish.post(response), { stayOn401: true });
}

/** Creates a passkey; null if the user closed the browser's prompt. Rejects ApiError. */
export async function addPasskey(name: string, password: string): Promise<Passkey[] | null> {
  const optionsJSON = await readData(passkeyApi.passkey.register.begin.post({ password }));
  const response = await unlessClosed(startRegistration({ optionsJSON }));
  if (!response) return null;
  return readData(passkeyApi.passkey.register.finish.post({ name, response }));
}

export const removePasskey = (id: string, password: string) =>
  readData(passkeyApi.passkey.remove.post({ id, password }));

async function unlessClosed<T>(prompt: Promise<T>): Promise<T | null> {
  try {
    return await prompt;
  } catch (error) {
    if (error instanceof Error && (error.name === "NotAllowedError" || error.name === "AbortError")) return null;
    throw error;
  }
}

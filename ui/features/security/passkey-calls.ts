import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../../api/client.ts";
import type { StoredUser } from "../session/stored-user.ts";

export type Passkey = Readonly<{
  id: string;
  name: string;
  /** Epoch seconds. */
  created_at: number;
  last_used_at: number | null;
}>;

/** One's own passkeys. */
export const passkeys = queryOptions({
  queryKey: ["passkeys"],
  queryFn: async ({ signal }) => (await request<Passkey[]>("/api/user/passkey", { signal })).data,
});

/** Signs in with a passkey; null when the person closed the browser's question. Rejects ApiError. */
export async function signInWithPasskey(): Promise<StoredUser | null> {
  const begun = await request<PublicKeyCredentialRequestOptionsJSON>("/api/user/passkey/login/begin", {
    method: "POST",
    body: {},
    stayOn401: true,
  });
  const response = await unlessClosed(startAuthentication({ optionsJSON: begun.data }));
  if (!response) return null;
  const path = "/api/user/passkey/login/finish";
  return (await request<StoredUser>(path, { method: "POST", body: response, stayOn401: true })).data;
}

/** Makes a passkey; null when the person closed the browser's question. Rejects ApiError. */
export async function addPasskey(name: string, password: string): Promise<Passkey[] | null> {
  const begun = await request<PublicKeyCredentialCreationOptionsJSON>("/api/user/passkey/register/begin", {
    method: "POST",
    body: { password },
  });
  const response = await unlessClosed(startRegistration({ optionsJSON: begun.data }));
  if (!response) return null;
  const path = "/api/user/passkey/register/finish";
  return (await request<Passkey[]>(path, { method: "POST", body: { name, response } })).data;
}

export const removePasskey = (id: string, password: string) =>
  request<Passkey[]>("/api/user/passkey/remove", { method: "POST", body: { id, password } });

async function unlessClosed<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Error && (error.name === "NotAllowedError" || error.name === "AbortError")) return null;
    throw error;
  }
}

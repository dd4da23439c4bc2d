import { queryOptions } from "@tanstack/react-query";
import type { SessionView } from "../../../src/domain/accounts/own-sessions.ts";
import type { SecurityView } from "../../../src/domain/accounts/security-view.ts";
import { request } from "../../api/client.ts";

/** How one's own account is guarded. */
export const security = queryOptions({
  queryKey: ["security"],
  queryFn: async ({ signal }) => (await request<SecurityView>("/api/user/security", { signal })).data,
});

/** One's own logins. */
export const ownSessions = queryOptions({
  queryKey: ["own-sessions"],
  queryFn: async ({ signal }) => (await request<SessionView[]>("/api/user/sessions", { signal })).data,
});

export const endSession = (id: string) => request<null>(`/api/user/sessions/${id}`, { method: "DELETE" });

export const endOtherSessions = () => request<{ ended: number }>("/api/user/sessions", { method: "DELETE" });

/** A secret for the authenticator app, as text and as the address in its QR code. */
export type TotpSecret = Readonly<{ secret: string; uri: string }>;

export const beginTotp = async (password: string) =>
  (await request<TotpSecret>("/api/user/totp/begin", { method: "POST", body: { password } })).data;

type RecoveryCodes = Readonly<{ recovery_codes: string[] }>;

export const confirmTotp = async (code: string) =>
  (await request<RecoveryCodes>("/api/user/totp/confirm", { method: "POST", body: { code } })).data.recovery_codes;

export const renewRecoveryCodes = async (code: string) =>
  (await request<RecoveryCodes>("/api/user/totp/recovery_codes", { method: "POST", body: { code } })).data
    .recovery_codes;

export const removeTotp = (code: string) => request<null>("/api/user/totp/remove", { method: "POST", body: { code } });

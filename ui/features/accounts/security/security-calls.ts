import { queryOptions } from "@tanstack/react-query";
import { readData } from "../../../api/client.ts";
import { securityApi } from "../../../api/groups.ts";

/** The security settings of the user's account. */
export const security = queryOptions({
  queryKey: ["security"],
  queryFn: ({ signal }) => readData(securityApi.security.get({ fetch: { signal } })),
});

/** The user's sessions. */
export const ownSessions = queryOptions({
  queryKey: ["own-sessions"],
  queryFn: ({ signal }) => readData(securityApi.sessions.get({ fetch: { signal } })),
});

export const endSession = (id: string) => readData(securityApi.sessions({ id }).delete());

export const endOtherSessions = () => readData(securityApi.sessions.delete());

/** A secret for the authenticator app, as text and as the address in its QR code. */
export type TotpSecret = Readonly<{ secret: string; uri: string }>;

export const beginTotp = (password: string): Promise<TotpSecret> => readData(securityApi.totp.begin.post({ password }));

export const confirmTotp = async (code: string) =>
  (await readData(securityApi.totp.confirm.post({ code }))).recovery_codes;

export const renewRecoveryCodes = async (code: string) =>
  (await readData(securityApi.totp.recovery_codes.post({ code }))).recovery_codes;

export const removeTotp = (code: string) => readData(securityApi.totp.remove.post({ code }));

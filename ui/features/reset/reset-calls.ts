import { readData, readEnvelope } from "../../api/client.ts";
import { verificationApi } from "../../api/groups.ts";

/** Has a reset link mailed to the address, if an account has it. */
export const requestReset = (email: string, turnstile: string) =>
  readEnvelope(verificationApi.reset_password.get({ query: { email: email.trim(), turnstile } }), { stayOn401: true });

/** Uses the link of the mail; resolves with the new password. */
export const confirmReset = (email: string, token: string): Promise<string> =>
  readData(verificationApi.user.reset.post({ email, token }), { stayOn401: true });

import { request } from "../../api/client.ts";

/** Has a reset link mailed to the address, if an account has it. */
export const requestReset = (email: string, turnstile: string) =>
  request<null>("/api/reset_password", { query: { email: email.trim(), turnstile }, stayOn401: true });

/** Uses the link of the mail; resolves with the new password. */
export const confirmReset = async (email: string, token: string): Promise<string> =>
  (await request<string>("/api/user/reset", { method: "POST", body: { email, token }, stayOn401: true })).data;

import { request } from "../../api/client.ts";
import type { RegisterForm } from "./register-form.ts";

/** Makes the account; `affCode` is the code of whoever invited. */
export const register = (form: RegisterForm, turnstile: string, affCode: string) =>
  request<null>("/api/user/register", {
    method: "POST",
    query: { turnstile },
    body: {
      username: form.username.trim(),
      password: form.password,
      password2: form.confirm,
      email: form.email.trim(),
      verification_code: form.code.trim(),
      aff_code: affCode,
    },
    stayOn401: true,
  });

/** Mails a code to an address: to register with it, or to bind it when somebody is signed in. */
export const sendCode = (email: string, turnstile: string) =>
  request<null>("/api/verification", { query: { email: email.trim(), turnstile }, stayOn401: true });

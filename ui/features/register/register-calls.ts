import { readData, readEnvelope } from "../../api/client.ts";
import { registerApi, verificationApi } from "../../api/groups.ts";
import type { RegisterForm } from "./register-form.ts";

/** Makes the account; `affCode` is the code of whoever invited. */
export const register = (form: RegisterForm, turnstile: string, affCode: string) =>
  readData(
    registerApi.register.post(
      {
        username: form.username.trim(),
        password: form.password,
        password2: form.confirm,
        email: form.email.trim(),
        verification_code: form.code.trim(),
        aff_code: affCode,
      },
      { query: { turnstile } },
    ),
    { stayOn401: true },
  );

/** Mails a code to an address: to register with it, or to bind it when somebody is signed in. */
export const sendCode = (email: string, turnstile: string) =>
  readEnvelope(verificationApi.verification.get({ query: { email: email.trim(), turnstile } }), { stayOn401: true });

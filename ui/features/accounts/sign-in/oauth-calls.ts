import { isSsoName } from "../../../../src/domain/accounts/identity/sso-rules.ts";
import { rememberedInvitation } from "../../../api/accounts/invitation.ts";
import { readData, readEnvelope } from "../../../api/client.ts";
import { bindingApi, oauthApi } from "../../../api/groups.ts";
import { readRecord } from "../../../lib/json.ts";
import type { StoredUser } from "../../../state/stored-user.ts";
import { type AnyService, SERVICES } from "./sign-in-services.ts";

/** The signed-in user, or that a second factor is required; null: an account was linked. */
export type SignInResult = StoredUser | Readonly<{ require_2fa: true }> | null;

/** Redirects to a sign-in service, which returns to /oauth/{service}. Rejects ApiError. */
export async function goToService(service: AnyService, returnTo: string): Promise<void> {
  const state = crypto.randomUUID();
  const start =
    service === "telegram"
      ? bindingApi.oauth.telegram.start.get({ query: { state } })
      : oauthApi({ provider: service }).start.get({ query: { aff: rememberedInvitation() } });
  const { url } = await readData(start, { stayOn401: true });
  rememberPendingSignIn({ service, returnTo, state });
  window.location.assign(url);
}

/** Completes `goToService` with the parameters of the callback. Rejects ApiError. */
export const completeSignIn = (service: AnyService, query: Readonly<Record<string, string>>, isSignedIn: boolean) => {
  const stay = { stayOn401: true };
  if (service !== "telegram") return readEnvelope(oauthApi({ provider: service }).get({ query }), stay);
  const { bind, login } = bindingApi.oauth.telegram;
  return isSignedIn ? readEnvelope(bind.get({ query }), stay) : readEnvelope(login.get({ query }), stay);
};

/** The fields of Telegram's response in a URL's fragment; null without one. */
export function readTelegramFragment(fragment: string): Record<string, string> | null {
  const packed = new URLSearchParams(fragment.replace(/^#/, "")).get("tgAuthResult");
  if (!packed) return null;
  try {
    const bytes = Uint8Array.from(atob(packed.replaceAll("-", "+").replaceAll("_", "/")), (letter) =>
      letter.charCodeAt(0),
    );
    const fields = readRecord(new TextDecoder().decode(bytes));
    return fields && Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, String(value)]));
  } catch {
    return null;
  }
}

/** Signs in with the code that the WeChat account sent. Rejects ApiError. */
export const signInByWeChat = (code: string) =>
  readEnvelope(bindingApi.oauth.wechat.get({ query: { code, aff: rememberedInvitation() } }), { stayOn401: true });

export const bindWeChat = (code: string) => readEnvelope(bindingApi.oauth.wechat.bind.get({ query: { code } }));

/** The service that a callback's path names; undefined: none. */
export const serviceOf = (name: string | undefined): AnyService | undefined =>
  name !== undefined && isSsoName(name) ? name : SERVICES.find((service) => service.name === name)?.name;

/** A sign-in or link that this tab has started at a service. */
export type PendingSignIn = Readonly<{
  service: AnyService;
  /** A page of this site. */
  returnTo: string;
  /** Telegram's callback carries it; a callback without it was started by somebody else. */
  state: string;
}>;

const STORAGE_KEY = "sign-in-under-way";

const rememberPendingSignIn = (pending: PendingSignIn): void =>
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(pending));

/** The pending sign-in of this tab at the service; null: none. */
export function readPendingSignIn(service: string): PendingSignIn | null {
  const { service: name, returnTo, state } = readRecord(sessionStorage.getItem(STORAGE_KEY) ?? "") ?? {};
  const started = name === service ? serviceOf(service) : undefined;
  return started && typeof returnTo === "string" && typeof state === "string"
    ? { service: started, returnTo, state }
    : null;
}

export const forgetUnderWay = (): void => sessionStorage.removeItem(STORAGE_KEY);

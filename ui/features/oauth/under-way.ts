import type { ServiceName } from "./services.ts";

/** A sign-in or binding that this tab has sent to another service. */
export type UnderWay = Readonly<{
  service: ServiceName;
  /** A page of this site. */
  returnTo: string;
  /** Telegram's way back carries it; whoever comes back without it was sent by somebody else. */
  state: string;
}>;

const STORAGE_KEY = "sign-in-under-way";

export const rememberUnderWay = (underWay: UnderWay): void =>
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(underWay));

/** What this tab has under way with the service; null: nothing. */
export function readUnderWay(service: string): UnderWay | null {
  try {
    const stored = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "null") as UnderWay | null;
    return stored?.service === service ? stored : null;
  } catch {
    return null;
  }
}

export const forgetUnderWay = (): void => sessionStorage.removeItem(STORAGE_KEY);

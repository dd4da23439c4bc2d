import { discord, github, linuxdo } from "./oauth-providers.ts";
import { oidc } from "./oidc.ts";
import type { OutsideName, OutsideProvider } from "./provider.ts";

const PROVIDERS: readonly OutsideProvider[] = [github, oidc, linuxdo, discord];

/** The service of this name that people sign in with by OAuth 2; undefined: there is none. */
export const findProvider = (name: string): OutsideProvider | undefined =>
  PROVIDERS.find((provider) => provider.name === name);

/** Everything that can be bound, as people know it. */
export const OUTSIDE_LABELS: Readonly<Record<OutsideName, string>> = {
  github: "GitHub",
  oidc: "OIDC",
  linuxdo: "Linux DO",
  discord: "Discord",
  wechat: "WeChat",
  telegram: "Telegram",
};

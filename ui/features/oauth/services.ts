import type { SiteStatus } from "../../site-status.ts";

export type ServiceName = "github" | "oidc" | "linuxdo" | "discord" | "wechat" | "telegram";

export type Service = Readonly<{
  name: ServiceName;
  /** Under `oauth.services` in the words. */
  isOn: (site: SiteStatus) => boolean;
}>;

/** What people can sign in with besides a password, in the order of the buttons. */
export const SERVICES: readonly Service[] = [
  { name: "github", isOn: (site) => site.github_oauth },
  { name: "oidc", isOn: (site) => site.oidc_enabled },
  { name: "linuxdo", isOn: (site) => site.linuxdo_oauth },
  { name: "discord", isOn: (site) => site.discord_oauth },
  { name: "wechat", isOn: (site) => site.wechat_login },
  { name: "telegram", isOn: (site) => site.telegram_oauth },
];

import type { User } from "./user.ts";

/** Where else a user signs in; empty values: not bound. */
export const bindingsOf = (user: User) =>
  [
    { name: "email", value: user.email },
    { name: "github", value: user.github_id },
    { name: "oidc", value: user.oidc_id },
    { name: "wechat", value: user.wechat_id },
    { name: "telegram", value: user.telegram_id },
    { name: "linuxdo", value: user.linux_do_id },
    { name: "discord", value: user.discord_id },
  ] as const;

import { address, bool, domains, endpoint, line, oneOf } from "../option/option.ts";

const COMMON_MAIL_DOMAINS = [
  "gmail.com",
  "163.com",
  "126.com",
  "qq.com",
  "outlook.com",
  "hotmail.com",
  "icloud.com",
  "yahoo.com",
  "foxmail.com",
];

/** Who may register and how people sign in. */
export const signInOptions = {
  PasswordLoginEnabled: bool(true),
  PasswordRegisterEnabled: bool(true),
  RegisterEnabled: bool(true),
  EmailVerificationEnabled: bool(false),
  EmailDomainRestrictionEnabled: bool(false, { needs: ["EmailDomainWhitelist"] }),
  /** Refuses `+` and `.` before the @. */
  EmailAliasRestrictionEnabled: bool(false),
  EmailDomainWhitelist: domains(COMMON_MAIL_DOMAINS),
  /** Wallets and keys that people share; `required`: people create keys in organizations only. */
  Organizations: oneOf(["off", "on", "required"], "off"),
  /** Where the public keys of a scanner are that reports leaked API keys, as GitHub publishes them; empty: no reports are taken. */
  LeakReportKeysUrl: endpoint(),
  /** A reported key is disabled at once. */
  DisableLeakedKeys: bool(true),

  "oidc.enabled": bool(false, { needs: ["oidc.client_id"] }),
  "oidc.client_id": line(""),
  "oidc.client_secret": line("", { secret: true }),
  "oidc.well_known": endpoint(),
  "oidc.authorization_endpoint": endpoint(""),
  "oidc.token_endpoint": endpoint(),
  "oidc.user_info_endpoint": endpoint(),

  GitHubOAuthEnabled: bool(false, { needs: ["GitHubClientId"] }),
  GitHubClientId: line(""),
  GitHubClientSecret: line("", { secret: true }),

  LinuxDOOAuthEnabled: bool(false, { needs: ["LinuxDOClientId"] }),
  LinuxDOClientId: line(""),
  LinuxDOClientSecret: line("", { secret: true }),

  DiscordOAuthEnabled: bool(false, { needs: ["DiscordClientId"] }),
  DiscordClientId: line(""),
  DiscordClientSecret: line("", { secret: true }),

  WeChatAuthEnabled: bool(false, { needs: ["WeChatServerAddress"] }),
  WeChatServerAddress: address(),
  WeChatServerToken: line("", { secret: true }),
  WeChatAccountQRCodeImageURL: line(""),

  TelegramOAuthEnabled: bool(false, { needs: ["TelegramBotToken"] }),
  TelegramBotToken: line("", { secret: true }),
  TelegramBotName: line(""),

  // Without its secret every check fails, and with it every sign-in, so both must be there first.
  TurnstileCheckEnabled: bool(false, { needs: ["TurnstileSiteKey", "TurnstileSecretKey"] }),
  TurnstileSiteKey: line(""),
  TurnstileSecretKey: line("", { secret: true }),
};

import { address, bool, domains, endpoint, line } from "../option.ts";

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
  PasswordLoginEnabled: bool(true, { status: "password_login_enabled" }),
  PasswordRegisterEnabled: bool(true, { status: "password_register_enabled" }),
  RegisterEnabled: bool(true, { status: "register_enabled" }),
  EmailVerificationEnabled: bool(false, { status: "email_verification" }),
  EmailDomainRestrictionEnabled: bool(false, { needs: ["EmailDomainWhitelist"] }),
  /** Refuses `+` and `.` before the @. */
  EmailAliasRestrictionEnabled: bool(false),
  EmailDomainWhitelist: domains(COMMON_MAIL_DOMAINS),

  "oidc.enabled": bool(false, { status: "oidc_enabled", needs: ["oidc.client_id"] }),
  "oidc.client_id": line("", { status: "oidc_client_id" }),
  "oidc.client_secret": line("", { secret: true }),
  "oidc.well_known": endpoint(),
  "oidc.authorization_endpoint": endpoint("", { status: "oidc_authorization_endpoint" }),
  "oidc.token_endpoint": endpoint(),
  "oidc.user_info_endpoint": endpoint(),

  GitHubOAuthEnabled: bool(false, { status: "github_oauth", needs: ["GitHubClientId"] }),
  GitHubClientId: line("", { status: "github_client_id" }),
  GitHubClientSecret: line("", { secret: true }),

  LinuxDOOAuthEnabled: bool(false, { status: "linuxdo_oauth", needs: ["LinuxDOClientId"] }),
  LinuxDOClientId: line("", { status: "linuxdo_client_id" }),
  LinuxDOClientSecret: line("", { secret: true }),

  DiscordOAuthEnabled: bool(false, { status: "discord_oauth", needs: ["DiscordClientId"] }),
  DiscordClientId: line("", { status: "discord_client_id" }),
  DiscordClientSecret: line("", { secret: true }),

  WeChatAuthEnabled: bool(false, { status: "wechat_login", needs: ["WeChatServerAddress"] }),
  WeChatServerAddress: address(),
  WeChatServerToken: line("", { secret: true }),
  WeChatAccountQRCodeImageURL: line("", { status: "wechat_qrcode" }),

  TelegramOAuthEnabled: bool(false, { status: "telegram_oauth", needs: ["TelegramBotToken"] }),
  TelegramBotToken: line("", { secret: true }),
  TelegramBotName: line("", { status: "telegram_bot_name" }),

  // Without its secret every check fails, and with it every sign-in, so both must be there first.
  TurnstileCheckEnabled: bool(false, { status: "turnstile_check", needs: ["TurnstileSiteKey", "TurnstileSecretKey"] }),
  TurnstileSiteKey: line("", { status: "turnstile_site_key" }),
  TurnstileSecretKey: line("", { secret: true }),
};

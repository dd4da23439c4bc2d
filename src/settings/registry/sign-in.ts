import { jsonMap, textShape } from "../option/json-option.ts";
import { ldapAddress, ldapFilter } from "../option/ldap-options.ts";
import { address, bool, domains, endpoint, integer, line, oneOf, text } from "../option/option.ts";

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
  /** Only people with the invitation link or code of a user may register. */
  InvitationRequired: bool(false),
  /** New users from one address a day; 0: any number. */
  RegistrationsPerAddress: integer(0, { max: 100_000 }),
  /** Characters; 12 and 20 are what programs of the family expect. */
  UsernameMaxLength: integer(12, { min: 12, max: 64 }),
  PasswordMaxLength: integer(20, { min: 20, max: 64 }),
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

  "ldap.enabled": bool(false, { needs: ["ldap.url", "ldap.user_base"] }),
  "ldap.url": ldapAddress(),
  /** TLS on a connection that begins without it; ldaps:// has it from the start. */
  "ldap.start_tls": bool(true),
  /** Of the authority that signed the directory's certificate, PEM; empty: those of the system. */
  "ldap.ca_certificate": text(),
  /** As whom entries are looked for; empty: anonymously. */
  "ldap.bind_dn": line(""),
  "ldap.bind_password": line("", { secret: true }),
  "ldap.user_base": line(""),
  "ldap.user_filter": ldapFilter("(uid={username})", ["username"]),
  /** What the directory never gives to another entry. */
  "ldap.id_attribute": line("entryUUID"),
  "ldap.name_attribute": line("cn"),
  "ldap.email_attribute": line("mail"),
  /** Empty: the attribute memberOf of entries has their groups. */
  "ldap.group_base": line(""),
  "ldap.group_filter": ldapFilter("(member={dn})", ["dn", "username"]),
  /** Name or distinguished name of a group there → the group here; the first that fits counts. */
  "ldap.groups": jsonMap({}, textShape),
  /** Who is in none of these groups may not sign in. */
  "ldap.groups_required": bool(false, { needs: ["ldap.groups"] }),

  // Without its secret every check fails, and with it every sign-in, so both must be there first.
  TurnstileCheckEnabled: bool(false, { needs: ["TurnstileSiteKey", "TurnstileSecretKey"] }),
  TurnstileSiteKey: line(""),
  TurnstileSecretKey: line("", { secret: true }),
};

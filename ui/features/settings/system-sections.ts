import { address, endpoint, integerField, json, on, secret, type TabSection, text } from "./setting-field.ts";

/** Sections of the tab "system": the public server, sign-in and payments. */
export const SYSTEM: readonly TabSection[] = [
  { id: "server", fields: address("ServerAddress") },
  {
    id: "login",
    fields: [
      ...on(
        "PasswordLoginEnabled",
        "PasswordRegisterEnabled",
        "RegisterEnabled",
        "InvitationRequired",
        "EmailVerificationEnabled",
        "GitHubOAuthEnabled",
        "LinuxDOOAuthEnabled",
        "DiscordOAuthEnabled",
        "WeChatAuthEnabled",
        "TelegramOAuthEnabled",
        "TurnstileCheckEnabled",
      ),
      { key: "RegistrationsPerAddress", kind: "number", min: 0, isInteger: true },
      { key: "Organizations", kind: "choice", choices: ["off", "on", "required"] },
      { key: "UsernameMaxLength", kind: "number", min: 12, max: 64, isInteger: true, unit: "characters" },
      { key: "PasswordMaxLength", kind: "number", min: 20, max: 64, isInteger: true, unit: "characters" },
    ],
  },
  {
    id: "emailDomains",
    fields: [
      ...on("EmailDomainRestrictionEnabled", "EmailAliasRestrictionEnabled"),
      { key: "EmailDomainWhitelist", kind: "domains" },
    ],
  },
  {
    id: "smtp",
    fields: [
      ...text("SMTPServer"),
      { key: "SMTPPort", kind: "number", min: 1, max: 65_535, isInteger: true },
      ...text("SMTPAccount", "SMTPFrom"),
      secret("SMTPToken"),
      ...on("SMTPSSLEnabled"),
      { key: "MailsPerUser", kind: "number", min: 0, max: 10_000, isInteger: true },
      { key: "MailsPerRecipient", kind: "number", min: 0, max: 10_000, isInteger: true },
    ],
  },
  {
    id: "payment",
    needsServerAddress: true,
    fields: [
      ...address("PayAddress"),
      ...text("EpayId"),
      secret("EpayKey"),
      ...address("CustomCallbackAddress"),
      { key: "Price", kind: "number", min: 0, step: 0.1, unit: "perDollar" },
      integerField("MinTopUp", 0, "dollars"),
      json("TopupGroupRatio"),
    ],
  },
  {
    id: "alipay",
    needsServerAddress: true,
    fields: [
      ...text("AlipayAppId"),
      secret("AlipayPrivateKey"),
      { key: "AlipayPublicKey", kind: "lines" },
      ...address("AlipayGateway"),
    ],
  },
  {
    id: "wechatPay",
    needsServerAddress: true,
    fields: [
      ...text("WechatPayMerchantId", "WechatPayAppId", "WechatPaySerial"),
      secret("WechatPayPrivateKey"),
      secret("WechatPayApiV3Key"),
      ...text("WechatPayPublicKeyId"),
      { key: "WechatPayPublicKey", kind: "lines" },
      ...address("WechatPayAddress"),
    ],
  },
  {
    id: "paypal",
    needsServerAddress: true,
    fields: [
      ...text("PaypalClientId"),
      secret("PaypalSecret"),
      ...text("PaypalWebhookId"),
      { key: "PaypalCurrency", kind: "choice", choices: ["usd", "eur", "gbp", "hkd", "sgd", "aud", "cad", "jpy"] },
      { key: "PaypalPrice", kind: "number", min: 0, step: 0.1, unit: "perDollar" },
      ...address("PaypalAddress"),
    ],
  },
  {
    id: "stripe",
    needsServerAddress: true,
    fields: [
      secret("StripeSecretKey"),
      secret("StripeWebhookSecret"),
      {
        key: "StripeCurrency",
        kind: "choice",
        choices: ["usd", "eur", "gbp", "cny", "hkd", "sgd", "aud", "cad", "jpy"],
      },
      { key: "StripePrice", kind: "number", min: 0, step: 0.1, unit: "perDollar" },
    ],
  },
  {
    id: "planOrders",
    fields: [
      { key: "ManualPaymentInstructions", kind: "lines" },
      {
        key: "ManualPaymentCurrency",
        kind: "choice",
        choices: ["usd", "eur", "gbp", "cny", "hkd", "sgd", "aud", "cad", "jpy"],
      },
      { key: "ManualPaymentPrice", kind: "number", min: 0, step: 0.1, unit: "perDollar" },
      { key: "PlanReminderDays", kind: "number", min: 1, max: 60, isInteger: true },
    ],
  },
  {
    id: "statements",
    fields: [
      ...on("StatementsEnabled"),
      ...text("StatementNumberPrefix", "StatementIssuerName"),
      { key: "StatementIssuerAddress", kind: "lines" },
      ...text("StatementIssuerTaxId"),
    ],
  },
  {
    id: "taxes",
    fields: [json("TaxRates"), ...text("TaxCountry"), ...on("TaxIncluded")],
  },
  { id: "metrics", fields: [secret("MetricsToken")] },
  { id: "keyLeaks", fields: [...address("LeakReportKeysUrl"), ...on("DisableLeakedKeys")] },
  {
    id: "oidc",
    extra: "discovery",
    fields: [
      ...on("oidc.enabled"),
      ...text("oidc.client_id"),
      secret("oidc.client_secret"),
      ...endpoint("oidc.well_known", "oidc.authorization_endpoint", "oidc.token_endpoint", "oidc.user_info_endpoint"),
    ],
  },
  {
    id: "ldap",
    fields: [
      ...on("ldap.enabled"),
      ...text("ldap.url"),
      { key: "ldap.ca_certificate", kind: "code" },
      ...text("ldap.bind_dn"),
      secret("ldap.bind_password"),
      ...text("ldap.user_base", "ldap.user_filter"),
      ...text("ldap.id_attribute", "ldap.name_attribute", "ldap.email_attribute"),
      ...text("ldap.group_base", "ldap.group_filter"),
      json("ldap.groups"),
      ...on("ldap.start_tls", "ldap.groups_required"),
    ],
  },
  { id: "github", fields: [...text("GitHubClientId"), secret("GitHubClientSecret")] },
  { id: "linuxdo", fields: [...text("LinuxDOClientId"), secret("LinuxDOClientSecret")] },
  { id: "discord", fields: [...text("DiscordClientId"), secret("DiscordClientSecret")] },
  {
    id: "wechat",
    fields: [...address("WeChatServerAddress"), secret("WeChatServerToken"), ...text("WeChatAccountQRCodeImageURL")],
  },
  { id: "telegram", fields: [secret("TelegramBotToken"), ...text("TelegramBotName")] },
  { id: "turnstile", fields: [...text("TurnstileSiteKey"), secret("TurnstileSecretKey")] },
  { id: "wxpusher", fields: [...on("WxPusherEnabled"), secret("WxPusherAppToken")] },
  { id: "endpoints", fields: on("OpenAIEndpointEnabled", "ClaudeEndpointEnabled") },
  { id: "worker", fields: [...address("WorkerUrl"), secret("WorkerValidKey")] },
];

import { json, jsonMap, ratioShape, taxRatesShape } from "../option/json-option.ts";
import { address, bool, exact, integer, line, oneOf, text, timeZone } from "../option/option.ts";

/** Online recharge, and monthly statements. */
export const paymentOptions = {
  PayAddress: address(),
  EpayId: line(),
  EpayKey: line("", { secret: true }),
  /** Base of the payment's notify address; falls back to ServerAddress. */
  CustomCallbackAddress: address(),
  /** Payment currency per dollar. */
  Price: exact(7.3, { max: 1_000_000 }),
  /** Dollars. */
  MinTopUp: integer(1, { max: 1_000_000 }),
  /** Factor on the payable price by the user's group. */
  TopupGroupRatio: jsonMap({ default: 1, vip: 1, svip: 1 }, ratioShape),
  /** Alipay without anybody between: its keys, and where it is. */
  AlipayAppId: line(),
  AlipayPrivateKey: text("", { secret: true }),
  AlipayPublicKey: text(),
  AlipayGateway: address("https://openapi.alipay.com/gateway.do"),
  /** WeChat Pay without anybody between. */
  WechatPayMerchantId: line(),
  WechatPayAppId: line(),
  WechatPaySerial: line(),
  WechatPayPrivateKey: text("", { secret: true }),
  WechatPayApiV3Key: line("", { secret: true }),
  WechatPayPublicKeyId: line(),
  WechatPayPublicKey: text(),
  WechatPayAddress: address("https://api.mch.weixin.qq.com"),
  /** Payment by card. */
  StripeSecretKey: line("", { secret: true }),
  StripeWebhookSecret: line("", { secret: true }),
  /** What cards are charged in, and that currency per dollar of quota. */
  StripeCurrency: oneOf(["usd", "eur", "gbp", "cny", "hkd", "sgd", "aud", "cad", "jpy"], "usd"),
  StripePrice: exact(1, { max: 1_000_000 }),
  /** PayPal: its app, its webhook, what is charged, and where it is. */
  PaypalClientId: line(),
  PaypalSecret: line("", { secret: true }),
  PaypalWebhookId: line(),
  PaypalCurrency: oneOf(["usd", "eur", "gbp", "hkd", "sgd", "aud", "cad", "jpy"], "usd"),
  PaypalPrice: exact(1, { max: 1_000_000 }),
  PaypalAddress: address("https://api-m.paypal.com"),
  /** How to pay the operator, for orders that administrators complete; empty: nobody can. What is charged, and that currency per dollar. */
  ManualPaymentInstructions: text(),
  ManualPaymentCurrency: oneOf(["usd", "eur", "gbp", "cny", "hkd", "sgd", "aud", "cad", "jpy"], "usd"),
  ManualPaymentPrice: exact(1, { max: 1_000_000 }),
  /** Days before the end of a paid period at which its subscriber is reminded to pay the next. */
  PlanReminderDays: integer(3, { min: 1, max: 60 }),
  /** Monthly statements of accounts. */
  StatementsEnabled: bool(true),
  /** Stands before the counted number of a document. */
  StatementNumberPrefix: line("ST-"),
  /** Who issues statements; the site's name where it is empty. */
  StatementIssuerName: line(),
  StatementIssuerAddress: text(),
  StatementIssuerTaxId: line(),
  /** Percent of tax by the customer's country; empty: no taxes. */
  TaxRates: json({}, taxRatesShape),
  /** Where the operator is taxed; customers who have not stated where they are count as there. */
  TaxCountry: line(),
  /** Prices include the tax; otherwise it is added to them. */
  TaxIncluded: bool(false),
};

/** What is given away, held back and warned about; amounts are quota units. */
export const quotaOptions = {
  QuotaForNewUser: integer(0),
  QuotaForInviter: integer(0),
  QuotaForInvitee: integer(0),
  /** Output tokens assumed for a hold when the call names no limit. */
  PreConsumedQuota: integer(500),
  /** For those who chose none themselves, who are shown it. */
  QuotaRemindThreshold: integer(500_000),
  /** Percent of a recharge paid to the inviter; 0: none. */
  RechargeCashbackRate: exact(0, { max: 100, decimals: 2 }),
  MinRechargeCashbackQuota: integer(0),
  RebateEnabled: bool(false),
  RebatePercentage: exact(0, { max: 100 }),
  CheckInEnabled: bool(false),
  /** Who may check in: with an e-mail address, after a top-up, after so many requests, with at most so many units left (0: any). */
  CheckInNeedsEmail: bool(false),
  CheckInNeedsTopUp: bool(false),
  CheckInMinRequests: integer(0),
  CheckInMaxBalance: integer(0),
  CheckInQuota: integer(1000),
  /** Above CheckInQuota: the reward is random between the two. */
  CheckInMaxQuota: integer(0),
  /** Whose midnight begins a day of check-ins. */
  CheckInTimeZone: timeZone("UTC"),
};

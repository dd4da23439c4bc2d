import { jsonMap, ratioShape } from "../option/json-option.ts";
import { address, exact, integer, line, oneOf } from "../option/option.ts";

/** Online recharge. */
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
  /** Payment by card. */
  StripeSecretKey: line("", { secret: true }),
  StripeWebhookSecret: line("", { secret: true }),
  /** What cards are charged in, and that currency per dollar of quota. */
  StripeCurrency: oneOf(["usd", "eur", "gbp", "cny", "hkd", "sgd", "aud", "cad", "jpy"], "usd"),
  StripePrice: exact(1, { max: 1_000_000 }),
};

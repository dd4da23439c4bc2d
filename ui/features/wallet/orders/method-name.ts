import type { TFunction } from "i18next";
import type { PayMethod } from "../../../../src/domain/wallet/payments/quote.ts";

/** The ways through an Epay service, and the same ones without it. */
const DIRECT = { zfb: "alipay", wx: "wechat" } as const;

/** The name of a way to pay among those that are offered next to it: of two with the same name, the one through Epay says so. */
export function methodName(method: PayMethod, offered: readonly PayMethod[], t: TFunction): string {
  if ((method === "zfb" || method === "wx") && offered.includes(DIRECT[method])) {
    return t(method === "zfb" ? "wallet.methods.zfbByEpay" : "wallet.methods.wxByEpay");
  }
  return t(`wallet.methods.${method}`);
}

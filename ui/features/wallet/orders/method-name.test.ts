import { expect, test } from "bun:test";
import type { TFunction } from "i18next";
import { methodName } from "./method-name.ts";

test("names ways through Epay apart only where the site offers the same one without it", () => {
  const t = ((key: string) => key.replace("wallet.methods.", "")) as TFunction;
  const names = (...offered: Parameters<typeof methodName>[1]) =>
    offered.map((method) => methodName(method, offered, t));
  expect(names("zfb", "wx", "stripe")).toEqual(["zfb", "wx", "stripe"]);
  expect(names("alipay", "wechat")).toEqual(["alipay", "wechat"]);
  expect(names("zfb", "wx", "alipay")).toEqual(["zfbByEpay", "wx", "alipay"]);
  expect(names("wx", "wechat")).toEqual(["wxByEpay", "wechat"]);
});

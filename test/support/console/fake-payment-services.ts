import { createCipheriv, generateKeyPairSync, randomBytes, sign, verify } from "node:crypto";

/** What a fake knows of an order; money in its smallest coin. */
type Trade = {
  tradeNo: string;
  cents: number;
  state: "open" | "paid" | "closed";
  no: string;
  refunds: Map<string, number>;
};

const pair = () =>
  generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
const signText = (text: string, key: string) => sign("sha256", Buffer.from(text), key).toString("base64");
const isSigned = (text: string, signature: string, key: string) =>
  verify("sha256", Buffer.from(text), key, Buffer.from(signature, "base64"));
const yuan = (cents: number) => (cents / 100).toFixed(2);
const fieldsText = (fields: Readonly<Record<string, string>>) =>
  Object.entries(fields)
    .filter(([name, value]) => name !== "sign" && value !== "")
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");

/** `failing`: the next responses have no valid signature, as if somebody else answered. */
const ledger = () => ({ trades: new Map<string, Trade>(), failing: 0, refusesRefunds: false });

/** A stand-in for Alipay's gateway as its reference documents it: requests are checked by their signatures, responses signed. */
export function startFakeAlipay() {
  const merchant = pair();
  const service = pair();
  const state = ledger();
  /** Opens the page that a browser was sent to. */
  const openPage = (url: string) => {
    const fields = Object.fromEntries(new URL(url).searchParams);
    if (!isSigned(fieldsText(fields), fields.sign ?? "", merchant.publicKey)) throw new Error("wrong signature");
    const content = JSON.parse(fields.biz_content ?? "") as Record<string, string>;
    const tradeNo = content.out_trade_no ?? "";
    const cents = Math.round(Number(content.total_amount) * 100);
    state.trades.set(tradeNo, { tradeNo, cents, state: "open", no: `2026${state.trades.size}`, refunds: new Map() });
    return fields;
  };
  const answer = (method: string, content: Record<string, string>): object => {
    const trade = state.trades.get(content.out_trade_no ?? "");
    if (!trade)
      return { code: "40004", msg: "Business Failed", sub_code: "ACQ.TRADE_NOT_EXIST", sub_msg: '{"交易"} \\ 不存在' };
    if (method === "alipay.trade.refund") {
      if (state.refusesRefunds) return { code: "40004", msg: "Business Failed", sub_code: "ACQ.TRADE_HAS_FINISHED" };
      trade.refunds.set(content.out_request_no ?? "", Math.round(Number(content.refund_amount) * 100));
      return { code: "10000", msg: "Success", out_trade_no: trade.tradeNo, fund_change: "Y" };
    }
    const status = { open: "WAIT_BUYER_PAY", paid: "TRADE_SUCCESS", closed: "TRADE_CLOSED" }[trade.state];
    return { code: "10000", msg: "Success", trade_no: trade.no, trade_status: status, total_amount: yuan(trade.cents) };
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const fields = Object.fromEntries(new URLSearchParams(await request.text()));
      if (!isSigned(fieldsText(fields), fields.sign ?? "", merchant.publicKey))
        return new Response("wrong signature", { status: 400 });
      const raw = JSON.stringify(answer(fields.method ?? "", JSON.parse(fields.biz_content ?? "")));
      const key = state.failing-- > 0 ? merchant.privateKey : service.privateKey;
      const name = `${fields.method?.replaceAll(".", "_")}_response`;
      return new Response(`{"${name}":${raw},"sign":"${signText(raw, key)}"}`);
    },
  });
  /** The notification of a trade, as it is posted. */
  const notice = (tradeNo: string, changes: Record<string, string> = {}, key = service.privateKey) => {
    const trade = state.trades.get(tradeNo);
    const fields = {
      ...{
        app_id: "app",
        charset: "utf-8",
        notify_type: "trade_status_sync",
        out_trade_no: tradeNo,
        trade_no: trade?.no ?? "",
      },
      ...{ trade_status: "TRADE_SUCCESS", total_amount: yuan(trade?.cents ?? 0), ...changes },
    };
    return new URLSearchParams({ ...fields, sign: signText(fieldsText(fields), key), sign_type: "RSA2" }).toString();
  };
  const settings = {
    ...{
      AlipayAppId: "app",
      AlipayPrivateKey: merchant.privateKey,
      AlipayGateway: `http://127.0.0.1:${server.port}/gateway.do`,
    },
    // As Alipay's tools give it out.
    AlipayPublicKey: service.publicKey.replaceAll(/-----[^-]+-----|\s/g, ""),
  };
  return { state, openPage, notice, settings, stop: () => server.stop(true), merchant };
}

const API_KEY = "0123456789abcdef0123456789abcdef";

/** A stand-in for WeChat Pay's API v3 as its reference documents it, native payments. */
export function startFakeWechatPay() {
  const merchant = pair();
  const service = pair();
  const state = ledger();
  const signed = (body: string, key = service.privateKey, timestamp = Math.floor(Date.now() / 1000)) => {
    const nonce = randomBytes(8).toString("hex");
    return {
      ...{ "Wechatpay-Timestamp": String(timestamp), "Wechatpay-Nonce": nonce, "Wechatpay-Serial": "PUB_KEY_ID_1" },
      "Wechatpay-Signature": signText(`${timestamp}\n${nonce}\n${body}\n`, key),
    };
  };
  const transaction = (trade: Trade) => ({
    ...{ mchid: "1900", appid: "wx1", out_trade_no: trade.tradeNo, transaction_id: trade.no },
    trade_state: { open: "NOTPAY", paid: "SUCCESS", closed: "CLOSED" }[trade.state],
    ...(trade.state === "paid" && { amount: { total: trade.cents, payer_total: trade.cents, currency: "CNY" } }),
  });
  function answer(method: string, path: string, body: Record<string, unknown>): [status: number, body: object] {
    if (method === "POST" && path === "/v3/pay/transactions/native") {
      const { total } = body.amount as { total: number };
      const tradeNo = String(body.out_trade_no);
      const fresh = {
        tradeNo,
        cents: total,
        state: "open" as const,
        no: `4200${state.trades.size}`,
        refunds: new Map(),
      };
      state.trades.set(tradeNo, fresh);
      return [200, { code_url: `weixin://wxpay/bizpayurl?pr=${tradeNo}` }];
    }
    const trade = state.trades.get(String(body.out_trade_no ?? path.split("/").at(-1)));
    if (!trade) return [404, { code: "ORDER_NOT_EXIST" }];
    if (method === "GET") return [200, transaction(trade)];
    if (state.refusesRefunds) return [403, { code: "NOT_ENOUGH" }];
    trade.refunds.set(String(body.out_refund_no), (body.amount as { refund: number }).refund);
    return [200, { status: "PROCESSING" }];
  }
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const text = await request.text();
      const claims = Object.fromEntries(
        [...(request.headers.get("authorization") ?? "").matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [
          name,
          value,
        ]),
      );
      const message = `${request.method}\n${pathname}${search}\n${claims.timestamp}\n${claims.nonce_str}\n${text}\n`;
      if (!isSigned(message, claims.signature ?? "", merchant.publicKey))
        return Response.json({ code: "SIGN_ERROR" }, { status: 401 });
      const [status, body] = answer(request.method, pathname, text === "" ? {} : JSON.parse(text));
      const raw = JSON.stringify(body);
      const key = state.failing-- > 0 ? merchant.privateKey : service.privateKey;
      return new Response(raw, { status, headers: signed(raw, key) });
    },
  });
  /** The notification of a trade: headers and body, the resource encrypted. */
  const notice = (tradeNo: string, changes: object = {}, key?: string, timestamp?: number) => {
    const trade = state.trades.get(tradeNo);
    if (!trade) throw new Error(`there is no trade ${tradeNo}`);
    const nonce = randomBytes(6).toString("hex");
    const cipher = createCipheriv("aes-256-gcm", Buffer.from(API_KEY), Buffer.from(nonce));
    cipher.setAAD(Buffer.from("transaction"));
    const plain = JSON.stringify({ ...transaction({ ...trade, state: "paid" }), ...changes });
    const ciphertext = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString("base64");
    const resource = { algorithm: "AEAD_AES_256_GCM", ciphertext, nonce, associated_data: "transaction" };
    const body = JSON.stringify({ id: randomBytes(8).toString("hex"), event_type: "TRANSACTION.SUCCESS", resource });
    return { body, headers: signed(body, key, timestamp) };
  };
  const settings = {
    ...{
      WechatPayMerchantId: "1900",
      WechatPayAppId: "wx1",
      WechatPaySerial: "AB12",
      WechatPayPrivateKey: merchant.privateKey,
    },
    ...{ WechatPayApiV3Key: API_KEY, WechatPayPublicKeyId: "PUB_KEY_ID_1", WechatPayPublicKey: service.publicKey },
    WechatPayAddress: `http://127.0.0.1:${server.port}`,
  };
  return { state, notice, settings, stop: () => server.stop(true), merchant };
}

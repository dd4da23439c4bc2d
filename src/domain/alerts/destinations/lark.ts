import { createHmac } from "node:crypto";
import type { DestinationType } from "./destination-type.ts";

/**
 * A custom bot of Lark or Feishu. The signature's key is timestamp and secret, and what it signs is empty.
 * https://open.larksuite.com/document/client-docs/bot-v3/add-custom-bot
 */
export const lark: DestinationType = {
  fields: [
    { name: "url", format: "url", isSecret: true },
    { name: "secret", format: /^\S{1,200}$/, isSecret: true, isOptional: true },
  ],
  buildRequest({ url = "", secret }, { title, content, link }, { now, language }) {
    const timestamp = String(now);
    const lines = [
      [{ tag: "text", text: content }],
      ...(link ? [[{ tag: "a", text: link.label, href: link.address }]] : []),
    ];
    const sign = secret && createHmac("sha256", `${timestamp}\n${secret}`).digest("base64");
    return {
      url,
      body: {
        ...(sign && { timestamp, sign }),
        msg_type: "post",
        content: { post: { [language === "zh" ? "zh_cn" : "en_us"]: { title, content: lines } } },
      },
    };
  },
  findRejection({ code, StatusCode: legacyCode, msg }) {
    if (code === 0 || legacyCode === 0) return undefined;
    return typeof msg === "string" && msg !== "" ? msg : `code ${String(code)}`;
  },
};

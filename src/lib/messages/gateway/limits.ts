/** Why a call is refused for now: quota, rate limits, and what the gateway itself cannot do at the moment. */
export const limitMessages = {
  gateway_user_quota: {
    en: "Your quota does not cover this call: {needed} quota units are needed for it at most, {available} are available.",
    zh: "额度不足以支付本次调用：最多需要 {needed} 额度单位，可用 {available}。",
  },
  gateway_key_quota: {
    en: "The quota of this API key does not cover this call: {needed} quota units are needed for it at most, {available} are available.",
    zh: "该 API 密钥的额度不足以支付本次调用：最多需要 {needed} 额度单位，可用 {available}。",
  },
  gateway_no_ledger: {
    en: "The balance cannot be checked at the moment. Try again shortly.",
    zh: "暂时无法核对余额，请稍后重试。",
  },
  gateway_no_budget: {
    en: "The budget of this API key cannot be renewed at the moment.",
    zh: "该 API 密钥的周期额度暂时无法更新。",
  },
  gateway_requests_a_minute: {
    en: "You may make {count} requests a minute. Try again in {seconds} s.",
    zh: "每分钟最多 {count} 次请求，请在 {seconds} 秒后重试。",
  },
  gateway_requests_at_once: {
    en: "You may have {count} requests under way at the same time. Try again in {seconds} s.",
    zh: "最多可同时进行 {count} 个请求，请在 {seconds} 秒后重试。",
  },
  gateway_requests_in_a_minute: {
    en: "You may make {count} requests in 1 minute. Try again in {seconds} s.",
    zh: "1 分钟内最多 {count} 次请求，请在 {seconds} 秒后重试。",
  },
  gateway_requests_in_minutes: {
    en: "You may make {count} requests in {minutes} minutes. Try again in {seconds} s.",
    zh: "{minutes} 分钟内最多 {count} 次请求，请在 {seconds} 秒后重试。",
  },
  gateway_key_requests: {
    en: "This API key may make {count} requests a minute. Try again in {seconds} s.",
    zh: "该 API 密钥每分钟最多 {count} 次请求，请在 {seconds} 秒后重试。",
  },
  gateway_key_tokens: {
    en: "This API key may use {count} tokens a minute. Try again in {seconds} s.",
    zh: "该 API 密钥每分钟最多使用 {count} 个 token，请在 {seconds} 秒后重试。",
  },
  gateway_internal: { en: "Something went wrong inside the gateway.", zh: "网关内部错误。" },
  gateway_restarting: {
    en: "The gateway is restarting. Send the request again.",
    zh: "网关正在重启，请重新发送请求。",
  },
  gateway_restarting_socket: { en: "The gateway is restarting. Connect again.", zh: "网关正在重启，请重新连接。" },
  gateway_client_left: { en: "The client closed its connection.", zh: "客户端断开了连接。" },
} as const;
